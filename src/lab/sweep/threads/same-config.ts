/** The configuration as a worker thread reads it again: what a strategy is made of cannot be handed to a thread. */

import { TwinbookError } from '../../../shared/base/errors.js';
import { loadConfig } from '../../../shell/config/load.js';
import type { Config } from '../../../shell/config/types.js';
import type { WorkerSetup } from './thread-contract.js';

/** Throws `config_invalid` when it is not the one that the leading thread has read. */
export async function sameConfig({ source, configHash }: Pick<WorkerSetup, 'source' | 'configHash'>): Promise<Config> {
  const loaded = await loadConfig(source.file, { ...source, strategyFileToo: true });
  if (loaded.configHash === configHash) return loaded;
  const hint = 'Leave the configuration and its strategies as they are while it runs.';
  throw new TwinbookError('config_invalid', `${source.file} has changed since the run began`, hint);
}
