/** Reads the strategies that enter, from traders' files and strategy files. */

import { loadConfig } from '../../shell/config/load.js';
import type { Entered, Entrant } from './contract.js';
import type { ArenaSource } from './thread-contract.js';

/** What a reader of the results needs to find it again; `file` as it was given. */
export const enteredOf = ({ strategy, config }: Entrant, file: string): Entered => ({
  name: strategy.name,
  file,
  module: strategy.moduleName,
  params: strategy.params,
  configHash: config.configHash,
});

/** In the order of the files. Throws `config_invalid` with everything that is wrong in the first file that is wrong. */
export async function entrantsOf({ files, env, cwd }: ArenaSource): Promise<readonly Entrant[]> {
  const entrants: Entrant[] = [];
  for (const file of files) {
    const config = await loadConfig(file, { env, cwd, strategyFileToo: true });
    for (const strategy of config.strategies) {
      const { name, module, params } = strategy;
      entrants.push({ name, module, params, strategy, config });
    }
  }
  return entrants;
}
