/** Path of our own command. */

import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(import.meta.url);

/** Run by Node, like this process. */
export const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);
