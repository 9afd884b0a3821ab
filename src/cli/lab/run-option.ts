/** Options of commands about one recorded run: the run, and the configuration to compare with. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ReplayedTrader } from '../../lab/replay/replay.js';
import { RunCode } from '../../lab/replay/run-code.js';
import { loadConfig, loadTraderConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { RUN_FILE } from '../../shell/journal/contract.js';
import { readRun } from '../../shell/journal/read-run.js';
import { findRun } from '../../shell/journal/runs.js';
import { type OptionRow, text, type Values } from '../command.js';
import { type CliIo, changedCodeOption, DEFAULT_CONFIG, defaultConfig } from '../output/io.js';

export const RUN_ARGUMENT =
  'a run in journal.dir of the configuration (`last`, or the beginning of its id), or its folder';

export const RUN_OPTIONS = {
  config: text(
    '-c, --config <file>',
    `the trader's configuration file (default: ${DEFAULT_CONFIG}; of a folder, the file that the run was started with, without code of its user)`,
  ),
  acceptChangedCode: { option: changedCodeOption() } as OptionRow<true | undefined>,
};

export type RunFlags = Values<typeof RUN_OPTIONS>;

/** The named run; without a configuration if the run's folder itself is named. */
export function openRun(name: string, config: string | undefined, io: CliIo): RunJournal {
  if (isFolder(name, io)) return readRun(resolve(io.cwd, name));
  const { journal } = loadTraderConfig(config ?? defaultConfig(io.cwd), io);
  return readRun(findRun(name, journal.dir, io.cwd));
}

const isFolder = (name: string, io: CliIo): boolean => existsSync(join(resolve(io.cwd, name), RUN_FILE));

/** User code comes from files that the operator names: a run's folder may be foreign. */
export function makeRunCode(name: string, { config, acceptChangedCode }: RunFlags, io: CliIo): RunCode {
  const file = config ?? (isFolder(name, io) ? null : defaultConfig(io.cwd));
  return new RunCode({
    loadFiles: file === null ? null : () => loadConfig(file, io),
    acceptsChanged: acceptChangedCode === true,
  });
}

/** The run's trader with the present files. */
export async function traderOfNow(
  run: RunJournal,
  name: string,
  config: string | undefined,
  io: CliIo,
): Promise<ReplayedTrader> {
  const { traderNow } = await import('../../lab/replay/run-settings.js');
  if (config === undefined && isFolder(name, io)) {
    const other = () => 'the run names this file, and only code that you name with -c FILE is run';
    return traderNow(await loadConfig(run.description.configFile, { ...io, code: { other } }), run.description);
  }
  return traderNow(await loadConfig(config ?? defaultConfig(io.cwd), io), run.description);
}
