/** `twinbook alerts`: open alerts, their acknowledgement, and whether a channel works. */

import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { RememberedAlert } from '../../shell/alerts/contract.js';
import type { TraderConfig } from '../../shell/config/load.js';
import type { AlertStore } from '../../shell/console/store/alert-store.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { type Answer, command, type OptionRow, text } from '../command.js';
import type { CliIo } from '../output/io.js';
import { type Column, table } from '../output/table.js';

const COLUMNS: readonly Column<RememberedAlert>[] = [
  { title: 'alert', cell: ({ kind }) => kind },
  { title: 'severity', cell: ({ severity }) => severity, keep: 2 },
  { title: 'since (UTC)', cell: ({ sinceMs }) => utcText(sinceMs) },
  { title: 'seen', cell: ({ acknowledgedMs }) => (acknowledgedMs === null ? '' : utcText(acknowledgedMs)), keep: 1 },
  { title: 'what', cell: ({ title, text: said }) => `${title}: ${said}`, gives: 'fold' },
];

const listCommand = command({
  name: 'list',
  help: 'open alerts, as last reported by the console',
  config: 'trader',
  options: {
    ack: text('--ack <alert>', 'an operator has seen this open alert: it is not repeated until it is over'),
    test: {
      option: new Option(
        '--test <channel>',
        'send one message now over this channel of alerts.channels, and print the result',
      ).conflicts('ack'),
    } as OptionRow<string | undefined>,
  },
});

const acknowledgeCommand = command({
  name: 'ack',
  help: 'marks it as seen: it is not sent again until it is over',
  args: [['<alert>', 'as `twinbook alerts list` names it']],
  config: 'trader',
  run: async ({ config, args: [kind = ''], io }) => {
    const { open, store, close } = await openAlerts(config, io);
    try {
      if (ack !== undefined) return acknowledge(ack, open, store);
      return { data: open, text: (width) => (open.length === 0 ? 'no alert is open\n' : table(open, COLUMNS, width)) };
    } finally {
      close();
    }
  },
});

export const addAlertCommands = group(
  'alerts',
  'open alerts, and the channels that send them',
  listCommand,
  acknowledgeCommand,
  testCommand,
);

/** The console's data beside the ledger. */
async function openAlerts({ ledger }: TraderConfig, io: CliIo) {
  const { StoreFile, locateStore } = await import('../../shell/console/store/store-file.js');
  const { AlertStore } = await import('../../shell/console/store/alert-store.js');
  const path = locateStore(ledger.path);
  if (!existsSync(path)) {
    const hint = 'The console keeps it: the start begins one where the file has a channel of alerts or a dashboard.';
    throw new TwinbookError('file_unreadable', `nothing is known of alerts: there is no ${path}`, hint);
  }
  const note = (text: string) => io.err(`${text}\n`);
  const opened = new StoreFile({ path, note, nowMs, steadyMs: () => performance.now() });
  const store = new AlertStore(opened);
  return { open: store.load()?.open ?? [], store, close: () => opened.close() };
}
