/** Strategies as they enter the arena, with the trader that a strategy file alone is given. */

import { resolve } from 'node:path';
import { loadEntrants } from '../../../src/lab/arena/entrants.js';
import { must } from '../../../src/shared/base/errors.js';

export async function entrant(name: string) {
  const files = [resolve('config/strategies', `${name}.yaml`)];
  const [only] = await loadEntrants({ files, env: {}, cwd: resolve('.') });
  return must(only, name);
}
