/** Reads the strategies that enter, from traders' files and strategy files. */

import { loadConfig } from '../../shell/config/load.js';
import type { Entrant } from './contract.js';
import type { ArenaSource } from './thread-contract.js';

/** In the order of the files. Throws `config_invalid` with everything that is wrong in the first file that is wrong. */
export async function entrantsOf({ files, env, cwd }: ArenaSource): Promise<readonly Entrant[]> {
  const entrants: Entrant[] = [];
  for (const file of files) {
    const { strategies } = await loadConfig(file, { env, cwd, strategyFileToo: true });
    entrants.push(...strategies);
  }
  return entrants;
}
