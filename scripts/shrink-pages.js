/** Replaces the main module of each page by its whole script: pages carry it in their document, and browsers alone read it. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRIES = ['src/lab/report/page/main.js', 'src/lab/report/page/tables.js', 'src/shell/dashboard/page/main.js'];

/**
 * @param {string} root folder of the project, with `node_modules`
 * @param {string} made folder of the compiled modules
 */
export async function shrinkPages(root, made) {
  const entries = ENTRIES.filter((name) => existsSync(join(root, name)));
  if (entries.length === 0) return;
  const { bundlePage } = await import(`${join(made, 'src/shell/web-kit/page-script.js')}`);
  for (const name of entries) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), bundlePage(join(root, name)));
  }
}
