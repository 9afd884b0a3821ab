/** Strategies as they enter the arena, with the trader that a strategy file alone is given. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEntrants } from '../../../src/lab/arena/entrants.js';
import { must } from '../../../src/shared/base/errors.js';
import { newFolder } from '../../support/folders.js';

const SHIPPED = resolve('config/strategies');

export const entrant = (name: string) => load(join(SHIPPED, `${name}.yaml`));

/** bands with every band: it meets whoever comes, where the shipped file leaves out what is soon passed. */
export function everyBand() {
  const file = join(newFolder(), 'bands.yaml');
  writeFileSync(file, readFileSync(join(SHIPPED, 'bands.yaml'), 'utf8').replace('stale_sigmas: 3', 'stale_sigmas: 0'));
  return load(file);
}

async function load(file: string) {
  const [only] = await loadEntrants({ files: [file], env: {}, cwd: resolve('.') });
  return must(only, file);
}
