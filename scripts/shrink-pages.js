/**
 * Makes the scripts of pages short: they are carried in documents, and read by browsers alone. What modules have of each other keeps its
 * name, as they are joined into one script; everything within a function gets a short one.
 */

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const PAGE = /^src\/.*\/page\/[^/]+\.js$/;

/**
 * @param {string} root folder of the project, with `node_modules`
 * @param {string} made folder of the compiled modules, which are replaced; not joined yet
 */
export async function shrinkPages(root, made) {
  const all = readdirSync(made, { recursive: true }).map((name) => String(name).split(sep).join('/'));
  const names = all.filter((name) => PAGE.test(name));
  if (names.length === 0) return;
  const { transform } = await import(`${join(root, 'node_modules/esbuild/lib/main.js')}`);
  const { readPageScript } = await import(`${join(made, 'src/shell/document/page-script.js')}`);
  for (const name of names) {
    const file = join(made, name);
    const script = readPageScript(pathToFileURL(`${dirname(file)}/`), [
      name.slice(name.lastIndexOf('/') + 1, -'.js'.length),
    ]);
    writeFileSync(file, await shrinkScript(transform, script));
    rmSync(`${file}.map`, { force: true });
  }
}

/**
 * As it is no module, nothing at its top gets another name.
 *
 * @param {typeof import('esbuild').transform | typeof import('esbuild').transformSync} transform of esbuild
 * @param {string} script
 */
export async function shrinkScript(transform, script) {
  const { code } = await transform(script, { minifyIdentifiers: true, minifyWhitespace: true, legalComments: 'none' });
  return code;
}
