/** A strategy as an entrant of the arena, with the trader of a plain strategy file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEntrants } from '../../../src/lab/arena/arena.js';
import { must } from '../../../src/shared/base/errors.js';
import { newFolder } from '../../support/folders.js';

/** bands with every band: it fills any taker, while the shipped file omits bands that the price soon passes. */
export async function everyBand() {
  const file = join(newFolder(), 'bands.yaml');
  const shipped = readFileSync(resolve('config/strategies/bands.yaml'), 'utf8');
  writeFileSync(file, shipped.replace('stale_sigmas: 3', 'stale_sigmas: 0'));
  const [only] = await loadEntrants({ file, env: {}, cwd: resolve('.') });
  return must(only, file);
}
