/** Compares a configuration with the last one in force, by the copy of its files. Runs no code of either. */

import { configHistory } from '../../../trader/engine/control/config-history.js';
import type { Ledger } from '../../../trader/ledger/contract.js';
import { configChanges } from '../../config/config-diff.js';
import { type LoadOptions, readConfig } from '../../config/load.js';
import type { ReadConfig } from '../../config/types.js';
import { ConfigCopies } from './config-copies.js';

/**
 * A sentence per difference; null when no configuration is recorded. Throws like `ConfigCopies.read` and `readConfig`.
 */
export async function changesSinceLast(
  config: ReadConfig,
  ledger: Pick<Ledger, 'note'>,
  { env, cwd }: Pick<LoadOptions, 'env' | 'cwd'>,
): Promise<readonly string[] | null> {
  const last = configHistory(ledger).at(-1);
  if (last === undefined) return null;
  const copy = new ConfigCopies(config.ledger.path).read(last.copy);
  const loaded = new Map(config.strategies.flatMap(({ moduleKey, module }) => (module ? [[moduleKey, module]] : [])));
  const before = await readConfig(copy.main, { env, cwd, loaded, copy: copy.texts });
  return configChanges(before, config).map(({ text }) => text);
}
