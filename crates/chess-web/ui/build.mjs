// In: the sources beside this file and what package-lock.json names. Out: app.js and app.css in the directory given,
// or in ../assets: the same bytes every time, and not minified, so that a change of the bundle can be read.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const version = name => JSON.parse(readFileSync(`${here}/node_modules/${name}/package.json`, 'utf8')).version;
const licence = `/*! The page of chess-web, GPL-3.0-or-later; its sources are in crates/chess-web/ui. It contains
@lichess-org/chessground ${version('@lichess-org/chessground')}, GPL-3.0-or-later, https://github.com/lichess-org/chessground
chessops ${version('chessops')}, GPL-3.0-or-later, https://github.com/niklasf/chessops
@badrap/result ${version('@badrap/result')}:

${readFileSync(`${here}/node_modules/@badrap/result/LICENSE`, 'utf8').trim()}
*/`;
/** Leaves out the rules of other games, and writes the pieces as text, which compresses better than base64. */
const smaller = {
  name: 'smaller',
  setup(build) {
    build.onResolve({ filter: /^\.\/variant\.js$/ }, () => ({ path: `${here}/variants.ts` }));
    build.onLoad({ filter: /cburnett\.css$/ }, ({ path }) => ({
      loader: 'css',
      contents: readFileSync(path, 'utf8').replace(/url\(["']?data:image\/svg\+xml;base64,([\w+/=]+)["']?\)/g, (_, picture) => {
        const text = Buffer.from(picture, 'base64').toString('utf8').replace(/\s+/g, ' ').replace(/"/g, "'");
        return `url("data:image/svg+xml,${text.replace(/[<>#%{}]/g, encodeURIComponent)}")`;
      }),
    }));
  },
};
await build({
  absWorkingDir: here,
  entryPoints: [
    { in: 'main.ts', out: 'app' },
    { in: 'app.css', out: 'app' },
  ],
  outdir: resolve(process.argv[2] ?? `${here}/../assets`),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  banner: { js: licence },
  plugins: [smaller],
  logLevel: 'warning',
});
