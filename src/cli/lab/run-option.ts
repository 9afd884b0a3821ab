/** Commands that are about one recorded run: which run is meant, and which configuration it is compared with. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { ReplayedTrader } from '../../lab/replay/contract.js';
import { loadConfig, loadTraderConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { RUN_FILE } from '../../shell/journal/journal.js';
import { readRun } from '../../shell/journal/read-run.js';
import { findRun } from '../../shell/journal/runs.js';
import { type CliIo, DEFAULT_CONFIG, defaultConfig } from '../output/io.js';

export const RUN_ARGUMENT =
  'a run in journal.dir of the configuration (`last`, or the beginning of its id), or its folder';

export const withRunConfig = (command: Command): Command =>
  command.option(
    '-c, --config <file>',
    `the trader's configuration file (default: ${DEFAULT_CONFIG}; of a folder, the file that the run was started with)`,
  );

/** The run that a person means; without a configuration where the run's folder itself is named. */
export function openRun(name: string, config: string | undefined, io: CliIo): RunJournal {
  const folder = resolve(io.cwd, name);
  if (existsSync(join(folder, RUN_FILE))) return readRun(folder);
  const { journal } = loadTraderConfig(config ?? defaultConfig(io.cwd), io);
  return readRun(findRun(name, journal.dir, io.cwd));
}

/** The configuration file that this run is compared with. */
export const chooseConfigFile = (run: RunJournal, name: string, config: string | undefined, io: CliIo): string => {
  if (config !== undefined) return config;
  return existsSync(join(resolve(io.cwd, name), RUN_FILE)) ? run.description.configFile : defaultConfig(io.cwd);
};

/** The run's trader with the files as they are now. */
export async function traderOfNow(
  run: RunJournal,
  name: string,
  config: string | undefined,
  io: CliIo,
): Promise<ReplayedTrader> {
  const { traderNow } = await import('../../lab/replay/run-settings.js');
  return traderNow(await loadConfig(chooseConfigFile(run, name, config, io), io), run.description);
}
