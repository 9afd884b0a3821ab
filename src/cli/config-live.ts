/** `twinbook config diff|apply|rollback`: changes the configuration of a running trader without a restart. */

import { utcText } from '../shared/base/utc-text.js';
import { readConfig, type TraderConfig } from '../shell/config/load.js';
import type { ConfigAction, ConfigData } from '../shell/control/control-protocol.js';
import { type ConfigEntry, configHistory, HISTORY_NOTE } from '../trader/engine/control/config-history.js';
import { nonEmpty } from './arguments.js';
import { type Answer, command, flag, linesText, QUICK_S, read, required, timeoutOption } from './command.js';
import { askThere, nullOn } from './control/reach.js';
import { readLedger } from './ledger/ledger-reading.js';
import type { CliIo } from './output/io.js';

interface LiveOptions {
  readonly timeout: number;
  readonly reason?: string | undefined;
  readonly dryRun?: true | undefined;
}

/** New code is loaded in a separate process first, s. The page waits a second longer. */
const CHECKED_S = 24;

const diffCommand = command({
  name: 'diff',
  help: 'compares the files with the configuration in force, or the last one; or what was in force before',
  config: 'trader',
  options: {
    history: flag('--history', 'list the configurations that were in force, and what changed'),
    timeout: timeoutOption(QUICK_S),
  },
  answer: async ({ options, config, file, io }) => {
    if (options.history === true) {
      const entries = await readLedger(config, io, configHistory);
      return { data: entries, text: entries.map(entryText).join('') || 'no configuration is recorded yet\n' };
    }
    return makeAnswer(
      (await ask('diff', options, config).catch(nullOn('not_running'))) ?? (await diffToLast(file, io)),
    );
  },
});

const applyCommand = command({
  name: 'apply',
  help: 'applies the files to the running trader: all changes, or none',
  config: 'trader',
  options: {
    dryRun: flag('--dry-run', 'only show the changes and their requirements'),
    reason: read('--reason <text>', 'why; wanted for looser limits and other code; recorded in the ledger', nonEmpty),
    timeout: timeoutOption(CHECKED_S),
  },
  answer: async ({ options, config }) => makeAnswer(await ask('apply', options, config)),
});

const rollbackCommand = command({
  name: 'rollback',
  help: 'restores the previous configuration; the files stay unchanged',
  args: [['[hash]', 'one of `config diff --history`, or its beginning (default: the one before)']],
  config: 'trader',
  options: {
    dryRun: flag('--dry-run', 'only show the changes'),
    reason: required('--reason <text>', 'why; recorded in the ledger', nonEmpty),
    timeout: timeoutOption(CHECKED_S),
  },
  answer: async ({ options, config, args: [hash = ''] }) => makeAnswer(await ask('rollback', options, config, hash)),
});

export const configLiveCommands = [diffCommand, applyCommand, rollbackCommand] as const;

const makeAnswer = (data: ConfigData): Answer => ({ data, text: linesText(data.lines) });

/** The trader itself reads the strategy files; a rollback is for broken ones. */
const ask = (action: ConfigAction, options: LiveOptions, config: TraderConfig, hash = ''): Promise<ConfigData> =>
  askThere({ command: 'config', action, reason: options.reason ?? '', dryRun: options.dryRun === true, hash }, config, {
    timeoutMs: options.timeout * 1000,
  });

/** No trader runs: compares with the copy of the last configuration in force. */
async function diffToLast(file: string, io: CliIo): Promise<ConfigData> {
  const { changesSinceLast } = await import('../shell/daemon/live/config-copies.js');
  const config = await readConfig(file, io);
  const history = await readLedger(config, io, (ledger) => ledger.note(HISTORY_NOTE));
  const changes = await changesSinceLast(config, { note: () => history }, io);
  const nothing = changes === null ? 'no trader has recorded its configuration' : 'nothing differs from the last run';
  const lines = changes === null || changes.length === 0 ? [nothing] : changes;
  return { lines, applied: false, hash: null };
}

function entryText({ atMs, hash, by, reason, changes }: ConfigEntry): string {
  const why = reason === '' ? '' : `: ${reason}`;
  const head = `${utcText(atMs)}  ${hash.slice(0, 12)}  ${by}${why}\n`;
  return head + changes.map((change) => `    ${change}\n`).join('');
}
