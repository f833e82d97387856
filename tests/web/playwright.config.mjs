// In: CHROMIUM, a browser (Debian's if it is missing); TARGET, where pictures of failures go. Out: how Playwright runs the tests.
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** How long anything is waited for, on however slow a machine, in milliseconds. */
export const PATIENCE = 300_000;

const programs = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

export default defineConfig({
  testDir: '.',
  // the tests of a file share a page, and all of them a database
  workers: 1,
  // each wait has its own limit
  timeout: 0,
  forbidOnly: true,
  reporter: 'list',
  outputDir: `${process.env.TARGET ?? '../../target'}/web-failures`,
  use: {
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: programs.find(program => program && existsSync(program)),
      timeout: PATIENCE,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...quiet],
    },
  },
});
