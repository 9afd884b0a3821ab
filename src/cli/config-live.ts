/** `twinbook config diff|apply|rollback|history`: the configuration of a running trader, changed without a restart. */

import type { Command } from 'commander';
import { utcText } from '../shared/base/utc-text.js';
import { readConfig, type TraderConfig } from '../shell/config/load.js';
import type { ConfigAction, ConfigData } from '../shell/control/control-protocol.js';
import { type ConfigEntry, configHistory, HISTORY_NOTE } from '../trader/engine/control/config-history.js';
import { type Answer, addAnswer, addTimeoutOption, type ControlOptions, linesText, QUICK_S } from './answer.js';
import { nonEmpty } from './arguments.js';
import { askThere, nullOn } from './control/reach.js';
import { readLedger } from './ledger/ledger-reading.js';
import type { CliIo, Session } from './output/io.js';

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
  addAnswer<LiveOptions>(addTimeoutOption(diff, QUICK_S), session, async (options, trader) =>
    makeAnswer(
      (await ask('diff', options, trader).catch(nullOn('not_running'))) ?? (await diffToLast(options.config, io)),
    ),
  );

  const apply = config
    .command('apply')
    .description('lets the running trader take up what the files say: all of it, or nothing')
    .option('--dry-run', 'only say what would be taken up, and what it wants')
    .option('--reason <text>', 'why; wanted for looser limits and other code; recorded in the ledger', nonEmpty);
  addAnswer<LiveOptions>(addTimeoutOption(apply, CHECKED_S), session, async (options, trader) =>
    makeAnswer(await ask('apply', options, trader)),
  );

  const rollback = config
    .command('rollback')
    .description('goes back to what was in force before; the files stay as they are')
    .argument('[hash]', 'one of `config history`, or its beginning (default: the one before)')
    .option('--dry-run', 'only say what would change')
    .requiredOption('--reason <text>', 'why; recorded in the ledger', nonEmpty);
  addAnswer<LiveOptions>(addTimeoutOption(rollback, CHECKED_S), session, async (options, trader, [hash = '']) =>
    makeAnswer(await ask('rollback', options, trader, hash)),
  );

  const history = config.command('history').description('which configurations were in force, and what changed');
  addAnswer(history, session, async (_, trader) => {
    const entries = await readLedger(trader, io, configHistory);
    return { data: entries, text: entries.map(entryText).join('') || 'no configuration is recorded yet\n' };
  });
}

const makeAnswer = (data: ConfigData): Answer => ({ data, text: linesText(data.lines) });

/** The trader itself reads the strategy files, and a rollback is for when they are broken. */
const ask = (action: ConfigAction, options: LiveOptions, config: TraderConfig, hash = ''): Promise<ConfigData> =>
  askThere({ command: 'config', action, reason: options.reason ?? '', dryRun: options.dryRun === true, hash }, config, {
    timeoutMs: options.timeout * 1000,
  });

/** No trader runs: compares with the copy of the configuration that was in force last. */
async function diffToLast(file: string, io: CliIo): Promise<ConfigData> {
  const { changesSinceLast } = await import('../shell/daemon/live/last-config.js');
  const config = await readConfig(file, io);
  const history = await readLedger(config, io, (ledger) => ledger.note(HISTORY_NOTE));
  const changes = await changesSinceLast(config, { note: () => history }, io);
  const nothing = changes === null ? 'no trader has recorded what it went by' : 'nothing differs from the last run';
  const lines = changes === null || changes.length === 0 ? [nothing] : changes;
  return { lines, applied: false, hash: null };
}

function entryText({ atMs, hash, by, reason, changes }: ConfigEntry): string {
  const why = reason === '' ? '' : `: ${reason}`;
  const head = `${utcText(atMs)}  ${hash.slice(0, 12)}  ${by}${why}\n`;
  return head + changes.map((change) => `    ${change}\n`).join('');
}
