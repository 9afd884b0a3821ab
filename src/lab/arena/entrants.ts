/** Reads the strategies that enter, from traders' files and strategy files. */

import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config, StrategyConfig } from '../../shell/config/types.js';
import type { Entered, Entrant } from './contract.js';
import type { ArenaSource } from './thread-contract.js';

/** What a reader of the results needs to find it again; `file` as it was given. */
export const describeEntrant = ({ strategy, config }: Entrant, file: string): Entered => ({
  name: strategy.name,
  file,
  module: strategy.moduleName,
  params: strategy.params,
  configHash: config.configHash,
});

/** A strategy of this trader, by itself. */
export function makeEntrant(config: Config, strategy: StrategyConfig): Entrant {
  const { name, module, params } = strategy;
  return { name, module, params, strategy, config };
}

/**
 * In the order of the files. Throws `config_invalid` with everything that is wrong in the first file that is wrong, or that
 * it names no strategy.
 */
export async function loadEntrants({ files, env, cwd }: ArenaSource): Promise<readonly Entrant[]> {
  const entrants: Entrant[] = [];
  for (const file of files) {
    const config = await loadConfig(file, { env, cwd, strategyFileToo: true, feeds: 'any' });
    if (config.strategies.length === 0)
      throw new TwinbookError('config_invalid', `${file} names no strategy`, 'List strategy files in it.');
    entrants.push(...config.strategies.map((strategy) => makeEntrant(config, strategy)));
  }
  return entrants;
}
