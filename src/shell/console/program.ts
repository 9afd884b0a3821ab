/** Where our own command is. */

import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(import.meta.url);

/** Run by Node, as this process is. */
export const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);
