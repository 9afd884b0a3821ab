/** The package's version, read from its own package.json. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from './shipped.js';

const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));

export const VERSION: string = z.object({ version: z.string() }).parse(manifest).version;
