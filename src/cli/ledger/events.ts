/** `twinbook events`: what somebody should be able to find tomorrow: commands with their reasons, limits, refusals. */

import { type Command, Option } from 'commander';
import { utcText } from '../../shared/base/utc-text.js';
import type { OperatorEvent } from '../../trader/ledger/contract.js';
import { integerBetween } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';
import { type Column, json, table } from '../output/table.js';
import { type ReadOptions, readLedger } from './ledger-reading.js';

const SHOWN = 50;
const MOST = 1_000_000;

export function addEventsCommand(program: Command, session: Session): void {
  const command = program
    .command('events')
    .description('what was said and what happened: commands with their reasons, limits, refusals; newest first')
    .addOption(new Option('--limit <n>', 'how many').default(SHOWN).argParser(integerBetween(1, MOST)));
  addJsonOption(addConfigOption(command));
  addAction<ReadOptions & { limit: number }>(command, session, async (options) => {
    const events = await readLedger(options.config, session.io, (ledger) => ledger.events(options.limit));
    const rows = events.map(({ timeMs, ...event }) => ({ time: timeMs, ...event }));
    session.io.out(options.json === true ? json(rows) : table(events, COLUMNS, session.io.columns));
    return EXIT.ok;
  });
}

const COLUMNS: readonly Column<OperatorEvent>[] = [
  { title: 'TIME (UTC)', cell: ({ timeMs }) => utcText(timeMs) },
  { title: 'KIND', cell: ({ kind }) => kind, gives: 'cut' },
  { title: 'WHAT', cell: ({ text }) => text, gives: 'fold' },
];
