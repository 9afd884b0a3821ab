/** `twinbook config diff|apply|rollback|history`: the configuration of a running trader, changed without a restart. */

import type { Command } from 'commander';
import { TwinbookError } from '../shared/base/errors.js';
import { utcText } from '../shared/base/utc-text.js';
import type { ConfigAction, ConfigData } from '../shell/control/control-protocol.js';
import { type ConfigEntry, configHistory, HISTORY_NOTE } from '../trader/engine/control/config-history.js';
import { nonEmpty } from './arguments.js';
import { addControlOptions, type ControlOptions, QUICK_S } from './control/control-options.js';
import { askThere } from './control/reach.js';
import { readLedger } from './ledger/ledger-reading.js';
import { EXIT } from './output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from './output/io.js';
import { json } from './output/table.js';

interface LiveOptions extends ControlOptions {
  readonly reason?: string;
  readonly dryRun?: true;
}

/** New code is loaded in a process of its own first, s. The page waits a second longer. */
const CHECKED_S = 24;

export function addConfigLiveCommands(config: Command, session: Session): void {
  const { io } = session;
  const diff = config
    .command('diff')
    .description('what the files say against what the trader goes by, or went by last');
  addAction<LiveOptions>(addControlOptions(diff, QUICK_S), session, async (options) => {
    tell(await fetchDiff(options, io), options, io);
    return EXIT.ok;
  });

  const apply = config
    .command('apply')
    .description('lets the running trader take up what the files say: all of it, or nothing');
  addControlOptions(apply, CHECKED_S)
    .option('--dry-run', 'only say what would be taken up, and what it wants')
    .option('--reason <text>', 'why; wanted for looser limits and other code; recorded in the ledger', nonEmpty);
  addAction<LiveOptions>(apply, session, async (options) => {
    tell(await ask('apply', options, await loadQuietly(options.config, io)), options, io);
    return EXIT.ok;
  });

  const rollback = config
    .command('rollback')
    .description('goes back to what was in force before; the files stay as they are');
  addControlOptions(
    rollback.argument('[hash]', 'one of `config history`, or its beginning (default: the one before)'),
    CHECKED_S,
  )
    .option('--dry-run', 'only say what would change')
    .requiredOption('--reason <text>', 'why; recorded in the ledger', nonEmpty);
  addAction<LiveOptions>(rollback, session, async (options, [hash = '']) => {
    tell(await ask('rollback', options, await loadQuietly(options.config, io), hash), options, io);
    return EXIT.ok;
  });

  const history = addJsonOption(
    addConfigOption(config.command('history').description('which configurations were in force, and what changed')),
  );
  addAction<{ config: string; json?: true }>(history, session, async (options) => {
    const entries = await readLedger(options.config, io, configHistory);
    io.out(
      options.json === true ? json(entries) : entries.map(entryText).join('') || 'no configuration is recorded yet\n',
    );
    return EXIT.ok;
  });
}

type Reached = Parameters<typeof askThere>[1];

/** The trader itself reads the strategy files, and a rollback is for when they are broken. */
async function loadQuietly(file: string, io: CliIo): Promise<Reached> {
  const { loadTraderConfig } = await import('../shell/config/load.js');
  return loadTraderConfig(file, io);
}

const ask = (action: ConfigAction, options: LiveOptions, config: Reached, hash = ''): Promise<ConfigData> =>
  askThere({ command: 'config', action, reason: options.reason ?? '', dryRun: options.dryRun === true, hash }, config, {
    timeoutMs: options.timeout * 1000,
  });

async function fetchDiff(options: LiveOptions, io: CliIo): Promise<ConfigData> {
  try {
    return await ask('diff', options, await loadQuietly(options.config, io));
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    return diffToLast(options.config, io);
  }
}

/** No trader runs: compares with the copy of the configuration that was in force last. */
async function diffToLast(file: string, io: CliIo): Promise<ConfigData> {
  const { readConfig } = await import('../shell/config/load.js');
  const { changesSinceLast } = await import('../shell/daemon/live/last-config.js');
  const config = await readConfig(file, io);
  const history = await readLedger(config, io, (ledger) => ledger.note(HISTORY_NOTE));
  const changes = await changesSinceLast(config, { note: () => history }, io);
  const nothing = changes === null ? 'no trader has recorded what it went by' : 'nothing differs from the last run';
  const lines = changes === null || changes.length === 0 ? [nothing] : changes;
  return { lines, applied: false, hash: null };
}

function tell(data: ConfigData, options: ControlOptions, io: CliIo): void {
  io.out(options.json === true ? json(data) : data.lines.map((line) => `${line}\n`).join(''));
}

function entryText({ atMs, hash, by, reason, changes }: ConfigEntry): string {
  const why = reason === '' ? '' : `: ${reason}`;
  const head = `${utcText(atMs)}  ${hash.slice(0, 12)}  ${by}${why}\n`;
  return head + changes.map((change) => `    ${change}\n`).join('');
}
