// In: the tests beside this file. Out: their result, by Node's own runner. esbuild bundles them first, because they import
// TypeScript.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(here).filter(name => name.endsWith('.test.mjs'));
const built = mkdtempSync(join(tmpdir(), 'chess-web-ui-'));
try {
  await build({
    absWorkingDir: here,
    entryPoints: names,
    outdir: built,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const files = names.map(name => join(built, name));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...files], {
    stdio: 'inherit',
    env: { ...process.env, UI: join(here, '..') },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(built, { recursive: true });
}
