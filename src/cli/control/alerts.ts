/** `twinbook alerts`: what is open, who has seen it, and whether a channel reaches anybody. */

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { RememberedAlert } from '../../shell/alerts/contract.js';
import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { addAnswer } from '../answer.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, type CliIo, type Session } from '../output/io.js';
import { type Column, table } from '../output/table.js';

export function addAlertCommands(program: Command, session: Session): void {
  const alerts = program
    .command('alerts')
    .description('what is wrong, and the channels that tell people who do not look');
  addList(alerts, session);
  addAcknowledge(alerts, session);
  const test = alerts
    .command('test')
    .description('sends one message over a channel, now, and says what became of it')
    .argument('<channel>', 'its name under alerts.channels');
  addAction<{ config: string }>(addConfigOption(test), session, async (options, [name = '']) => {
    const config = loadTraderConfig(options.config, session.io);
    const { channels } = config.alerts;
    const channel = channels.find((one) => one.name === name);
    if (channel === undefined) {
      const known = channels.map((one) => one.name).join(', ') || 'none';
      throw new TwinbookError('usage', `there is no alert channel ${JSON.stringify(name)}`, `There are: ${known}.`);
    }
    const { testChannel } = await import('../../shell/console/test-channel.js');
    const delivery = await testChannel(config.file, channel);
    if (delivery.kind !== 'delivered') {
      throw new TwinbookError(
        'timed_out',
        `${name} did not take the message: ${delivery.why}`,
        'Look at its address file, and whether something answers there.',
      );
    }
    session.io.out(`${name} took the message; look whether it arrived\n`);
    return EXIT.ok;
  });
}

const COLUMNS: readonly Column<RememberedAlert>[] = [
  { title: 'alert', cell: ({ kind }) => kind },
  { title: 'severity', cell: ({ severity }) => severity, keep: 2 },
  { title: 'since (UTC)', cell: ({ sinceMs }) => utcText(sinceMs) },
  { title: 'seen', cell: ({ acknowledgedMs }) => (acknowledgedMs === null ? '' : utcText(acknowledgedMs)), keep: 1 },
  { title: 'what', cell: ({ title, text }) => `${title}: ${text}`, gives: 'fold' },
];

function addList(alerts: Command, session: Session): void {
  const command = alerts.command('list').description('alerts that are open, as the console told them last');
  addAnswer(command, session, async (_, config) => {
    const { open, close } = await openAlerts(config, session.io);
    close();
    return { data: open, text: open.length === 0 ? 'no alert is open\n' : table(open, COLUMNS, session.io.columns) };
  });
}

function addAcknowledge(alerts: Command, session: Session): void {
  const command = alerts
    .command('ack')
    .description('a person has seen it: it is not told again until it is over')
    .argument('<alert>', 'as `twinbook alerts list` names it');
  addAction<{ config: string }>(addConfigOption(command), session, async (options, [kind = '']) => {
    const { open, store, close } = await openAlerts(loadTraderConfig(options.config, session.io), session.io);
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
    session.io.out(`${kind} is not told again until it is over; what it says holds all the same\n`);
    return EXIT.ok;
  });
}

/** What the console keeps beside the ledger. */
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
