/** `twinbook alerts`: open alerts, their acknowledgement, and whether a channel works. */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { RememberedAlert } from '../../shell/alerts/contract.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { command, group } from '../command.js';
import type { CliIo } from '../output/io.js';
import { type Column, table } from '../output/table.js';

const testCommand = command({
  name: 'test',
  help: 'sends one message over a channel, now, and says what became of it',
  args: [['<channel>', 'its name under alerts.channels']],
  config: 'trader',
  run: async ({ config, args: [name = ''], io }) => {
    const { channels } = config.alerts;
    const channel = channels.find((one) => one.name === name);
    if (channel === undefined) {
      const known = channels.map((one) => one.name).join(', ') || 'none';
      throw new TwinbookError('usage', `there is no alert channel ${JSON.stringify(name)}`, `There are: ${known}.`);
    }
    const { testChannel } = await import('../../shell/console/test-channel.js');
    const delivery = await testChannel(config.file, channel);
    if (delivery.kind !== 'delivered') {
      const hint = 'Look at its address file, and whether something answers there.';
      throw new TwinbookError('timed_out', `${name} did not take the message: ${delivery.why}`, hint);
    }
    io.out(`${name} took the message; look whether it arrived\n`);
  },
});

const COLUMNS: readonly Column<RememberedAlert>[] = [
  { title: 'alert', cell: ({ kind }) => kind },
  { title: 'severity', cell: ({ severity }) => severity, keep: 2 },
  { title: 'since (UTC)', cell: ({ sinceMs }) => utcText(sinceMs) },
  { title: 'seen', cell: ({ acknowledgedMs }) => (acknowledgedMs === null ? '' : utcText(acknowledgedMs)), keep: 1 },
  { title: 'what', cell: ({ title, text }) => `${title}: ${text}`, gives: 'fold' },
];

const listCommand = command({
  name: 'list',
  help: 'open alerts, as last reported by the console',
  config: 'trader',
  answer: async ({ config, io }) => {
    const { open, close } = await openAlerts(config, io);
    close();
    return { data: open, text: (width) => (open.length === 0 ? 'no alert is open\n' : table(open, COLUMNS, width)) };
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
      const alert = open.find((one) => one.kind === kind);
      if (alert === undefined) {
        const known = open.map((one) => one.kind).join(', ') || 'none';
        throw new TwinbookError('usage', `no alert ${JSON.stringify(kind)} is open`, `There are: ${known}.`);
      }
      if (!store.acknowledge({ kind, sinceMs: alert.sinceMs, timeMs: nowMs() }))
        throw new TwinbookError('file_unreadable', 'it cannot be kept that it was seen', 'Look at the message above.');
    } finally {
      close();
    }
    io.out(`${kind} is not told again until it is over; what it says holds all the same\n`);
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
