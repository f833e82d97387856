// In: the sources beside this file and what package-lock.json names. Out: app.js and app.css in the directory given,
// or in ../assets. Not minified, so that a change of the bundle can be read; the same bytes every time.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';

const here = fileURLToPath(new URL('.', import.meta.url));
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
  logLevel: 'warning',
});
