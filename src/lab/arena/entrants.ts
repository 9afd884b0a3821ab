/** Reads the entered strategies from traders' files and strategy files. */

import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/types.js';
import type { ConfigSource } from '../sweep/contract.js';
import type { Entrant } from './contract.js';

/** The strategies of this trader, one by one. */
export const listEntrants = (config: Config): readonly Entrant[] =>
  config.strategies.map((strategy) => ({ ...strategy, config }));

/** Throws `config_invalid` with all errors of the file, or for a file without a strategy. */
export async function loadEntrants(source: ConfigSource): Promise<readonly Entrant[]> {
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true, feeds: 'any' });
  if (config.strategies.length === 0)
    throw new TwinbookError('config_invalid', `${source.file} names no strategy`, 'List strategy files in it.');
  return listEntrants(config);
}
