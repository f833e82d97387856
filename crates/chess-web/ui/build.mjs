// In: the sources beside this file and what package-lock.json names. Out: app.css, app.js, a file for each module that it imports
// later and one for each language, in the directory given, or in ../assets: minified, and the same bytes every time.
//
// app.js asks for the other files by name and hash, so that a page never gets a part of another version. They import from
// app.js whatever they share with it.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { language } from './patterns.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const version = name => JSON.parse(readFileSync(`${here}/node_modules/${name}/package.json`, 'utf8')).version;
const licence = `/*! chess-web, GPL-3.0-or-later, with @lichess-org/chessground ${version('@lichess-org/chessground')} and chessops ${version('chessops')}, GPL-3.0-or-later, and
@badrap/result ${version('@badrap/result')}:

${readFileSync(`${here}/node_modules/@badrap/result/LICENSE`, 'utf8').trim()}
*/`;
/** Leaves out rules that are not needed, and writes the pieces as text, which compresses better than base64. */
const smaller = {
  name: 'smaller',
  setup(build) {
    build.onResolve({ filter: /^\.\/(variant|premove)\.js$/ }, () => ({ path: `${here}/left-out.ts` }));
    build.onLoad({ filter: /cburnett\.css$/ }, ({ path }) => ({
      loader: 'css',
      contents: readFileSync(path, 'utf8').replace(/url\(["']?data:image\/svg\+xml;base64,([\w+/=]+)["']?\)/g, (_, picture) => {
        const text = Buffer.from(picture, 'base64').toString('utf8').replace(/\s+/g, ' ').replace(/"/g, "'");
        return `url("data:image/svg+xml,${text.replace(/[<>#%{}]/g, encodeURIComponent)}")`;
      }),
    }));
  },
};

const ofDocuments = {
  name: 'of-documents',
  setup(build) {
    build.onResolve({ filter: /^docs:patterns$/ }, ({ path }) => ({ path, namespace: 'docs' }));
    build.onLoad({ filter: /.*/, namespace: 'docs' }, () => ({ loader: 'json', contents: JSON.stringify(language()) }));
  },
};

/** The tables of the languages, which the page reads before app.js; their keys are those that words.ts makes of the English texts. */
async function tables() {
  const compiled = await build({ absWorkingDir: here, entryPoints: ['words.ts'], format: 'esm', write: false });
  const { keyOf, LANGUAGES } = await import(`data:text/javascript,${encodeURIComponent(compiled.outputFiles[0].text)}`);
  return LANGUAGES.slice(1).map(language => {
    // what is still to be translated is shown in English
    const isWhole = ([, own]) => (typeof own === 'string' ? [own] : Object.values(own)).every(Boolean);
    const texts = Object.entries(JSON.parse(readFileSync(`${here}/languages/${language}.json`, 'utf8'))).filter(isWhole);
    const table = Object.fromEntries([['', language], ...texts.map(([text, own]) => [keyOf(text), own])]);
    if (Object.keys(table).length <= texts.length) throw new Error('two texts have the same key: words.ts must make longer ones');
    return [`${language}.js`, `var WORDS=${JSON.stringify(table)}\n`];
  });
}

/**
 * The modules that others import later import main.ts here, and in no source: so all that they share with the first page is in
 * one chunk with main.ts.
 */
const sources = readdirSync(here).filter(name => name.endsWith('.ts'));
const later = sources.flatMap(name =>
  [...readFileSync(`${here}/${name}`, 'utf8').matchAll(/\bimport\('\.\/(\w+)'\)/g)].map(([, module]) => module),
);
const inOneChunk = {
  name: 'in-one-chunk',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!later.includes(basename(path, '.ts'))) return;
      return { loader: 'ts', contents: `import './main';\n${readFileSync(path, 'utf8')}` };
    });
  },
};

const outdir = resolve(process.argv[2] ?? `${here}/../assets`);
const built = await build({
  absWorkingDir: here,
  entryPoints: [
    { in: 'main.ts', out: 'main' },
    { in: 'app.css', out: 'app' },
  ],
  outdir,
  bundle: true,
  minify: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  plugins: [smaller, ofDocuments, inOneChunk],
  logLevel: 'warning',
  write: false,
});
/** By the names that esbuild gives, without directories. */
const texts = new Map(built.outputFiles.map(({ path, text }) => [basename(path), text]));
// beside an empty main.js
const names = [...texts.keys()];
const [app, ...others] = names.filter(name => name.startsWith('chunk-'));
if (!app || others.length) throw new Error('two later modules share what main.ts does not import: import it there, too');
const parts = names.filter(name => name.endsWith('.js') && name !== app && name !== 'main.js');
let bundle = texts.get(app);
for (const name of parts) {
  const file = `${name.slice(0, name.lastIndexOf('-'))}.js`;
  const text = `/*! A part of app.js, GPL-3.0-or-later */\n${texts.get(name).replaceAll(app, 'app.js')}`;
  const other = parts.find(part => part !== name && text.includes(part));
  if (other) throw new Error(`${file} asks for ${other}, whose hash only app.js knows: a module of main.ts must ask for it`);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  bundle = bundle.replaceAll(name, `${file}?${hash}`);
  writeFileSync(resolve(outdir, file), text);
}
writeFileSync(resolve(outdir, 'app.js'), `${licence}\n${bundle}`);
writeFileSync(resolve(outdir, 'app.css'), texts.get('app.css'));
for (const [file, text] of await tables()) writeFileSync(resolve(outdir, file), text);
