/** The modules of a page as the one script of its document. */

import { readFileSync } from 'node:fs';

/**
 * Each module follows its imports, so their names differ. Types and other comments are for readers of
 * the sources; a reference to a source map would be one to another file.
 *
 * @param folder of the modules, e.g. `new URL('./page/', import.meta.url)`
 * @param names without their ending, in an order in which each follows its imports
 */
export const readPageScript = (folder: URL, names: readonly string[]): string =>
  names.map((name) => moduleText(new URL(`${name}.js`, folder))).join('\n');

const moduleText = (file: URL): string =>
  readFileSync(file, 'utf8')
    .replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export \{\};?$/gm, '')
    .replace(/^export (?=const |let |function |async )/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
