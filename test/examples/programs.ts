/** The programs of `examples/`. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const FOLDER = join(ROOT, 'examples');

export interface ExampleProgram {
  readonly file: string;
  readonly text: string;
  /** The command in its opening comment, without the text after `#`; empty if there is none. */
  readonly command: string;
}

export const programs: readonly ExampleProgram[] = readdirSync(FOLDER)
  .filter((file) => /\.[jt]s$/.test(file))
  .sort()
  .map((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const [opening = ''] = text.split('*/');
    return { file, text, command: /^ \* {5}((?:node|\.\/twinbook) [^#\n]*)/m.exec(opening)?.[1]?.trim() ?? '' };
  });
