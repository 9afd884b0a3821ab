/** Finds the venue profiles and strategies that ship with the package, relative to this file. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { assert } from '../../shared/base/errors.js';

const HERE = fileURLToPath(import.meta.url);

/** File extension of our own modules: `.js` if compiled, `.ts` if run from the sources. */
const OWN_EXTENSION = extname(HERE);

/** Folder with `src` and `strategies` of the running program: the repository, or its `dist`. */
const codeRoot = dirname(dirname(dirname(dirname(HERE))));

/** The package's folder, which contains `config/`. */
export const packageRoot = ((): string => {
  const root = [codeRoot, dirname(codeRoot)].find((folder) => existsSync(join(folder, 'package.json')));
  assert(root !== undefined, `no package.json above ${HERE}`);
  return root;
})();

export const venueNames = (): readonly string[] => namesIn(join(packageRoot, 'config', 'venues'), '.yaml');

export const venueFile = (name: string): string => join(packageRoot, 'config', 'venues', `${name}.yaml`);

export const shippedStrategies = (): readonly string[] => namesIn(join(codeRoot, 'strategies'), OWN_EXTENSION);

export const shippedStrategyFile = (name: string): string => join(codeRoot, 'strategies', `${name}${OWN_EXTENSION}`);

function namesIn(folder: string, extension: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(extension) && !file.endsWith('.d.ts'))
    .map((file) => file.slice(0, -extension.length))
    .sort();
}

const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));

export const VERSION: string = z.object({ version: z.string() }).parse(manifest).version;
