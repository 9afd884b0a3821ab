/** `twinbook alerts`: open alerts, their acknowledgement, and whether a channel works. */

import { existsSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { RememberedAlert } from '../../shell/alerts/contract.js';
import type { TraderConfig } from '../../shell/config/config.js';
import type { AlertStore } from '../../shell/console/store/alert-store.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { type Answer, command, text } from '../command.js';
import type { CliIo } from '../output/io.js';
import { type Column, table } from '../output/table.js';

const COLUMNS: readonly Column<RememberedAlert>[] = [
  { title: 'alert', cell: ({ kind }) => kind },
  { title: 'severity', cell: ({ severity }) => severity, keep: 2 },
  { title: 'since (UTC)', cell: ({ sinceMs }) => utcText(sinceMs) },
  { title: 'seen', cell: ({ acknowledgedMs }) => (acknowledgedMs === null ? '' : utcText(acknowledgedMs)), keep: 1 },
  { title: 'what', cell: ({ title, text: said }) => `${title}: ${said}`, gives: 'fold' },
];

export const addAlertsCommand = command({
  name: 'alerts',
  help: 'open alerts, as the console reported them last; acknowledges one, or tests a channel',
  config: 'trader',
  options: {
    ack: text('--ack <alert>', 'an operator has seen this open alert: it is not repeated until it is over'),
    test: text(
      '--test <channel>',
      'send one message now over this channel of alerts.channels, and print the result',
      'ack',
    ),
  },
  answer: async ({ options: { ack, test }, config, io }) => {
    if (test !== undefined) return testNamed(config, test);
    const { open, store, close } = await openAlerts(config, io);
    try {
      if (ack !== undefined) return acknowledge(ack, open, store);
      return { data: open, text: (width) => (open.length === 0 ? 'no alert is open\n' : table(open, COLUMNS, width)) };
    } finally {
      close();
    }
  },
});

async function testNamed({ alerts: { channels }, file }: TraderConfig, name: string): Promise<Answer> {
  const channel = channels.find((one) => one.name === name);
  if (channel === undefined) {
    const known = channels.map((one) => one.name).join(', ') || 'none';
    throw new TwinbookError('usage', `there is no alert channel ${JSON.stringify(name)}`, `There are: ${known}.`);
  }
  const { testChannel } = await import('../../shell/console/test-channel.js');
  const delivery = await testChannel(file, channel);
  if (delivery.kind !== 'delivered') {
    const hint = 'Look at its address file, and whether something answers there.';
    throw new TwinbookError('timed_out', `${name} did not take the message: ${delivery.why}`, hint);
  }
  return { data: { tested: name }, text: `${name} took the message; look whether it arrived\n` };
}

function acknowledge(kind: string, open: readonly RememberedAlert[], store: Pick<AlertStore, 'acknowledge'>): Answer {
  const alert = open.find((one) => one.kind === kind);
  if (alert === undefined) {
    const known = open.map((one) => one.kind).join(', ') || 'none';
    throw new TwinbookError('usage', `no alert ${JSON.stringify(kind)} is open`, `There are: ${known}.`);
  }
  if (!store.acknowledge({ kind, sinceMs: alert.sinceMs, timeMs: nowMs() }))
    throw new TwinbookError('file_unreadable', 'it cannot be kept that it was seen', 'Look at the message above.');
  return { data: alert, text: `${kind} is not told again until it is over; what it says holds all the same\n` };
}

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
