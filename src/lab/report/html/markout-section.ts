/** Markouts: value of a share some time after its fill. */

import type { Markout, MarkoutHorizon, MarkoutSide } from '../analysis/markouts.js';
import { cents, count, formatShares, signedCents } from '../figures.js';
import type { Markup } from './markup.js';
import { dataTable, note, perSession, type Shown, section } from './parts.js';

export const markoutSection = (sessions: readonly Shown[]): Markup =>
  section(
    'markouts',
    'Markouts',
    'Cents a share, weighted by shares: the middle some time after a fill against its price. The effective half-spread was earned at the fill; adverse selection was lost to those who knew more.',
    perSession(sessions, ({ analysis: { markouts } }) =>
      markouts.every(({ fills }) => fills === 0)
        ? note('No fill has a middle after it: there is no markout.')
        : table(markouts),
    ),
  );

const NAMES: Readonly<Record<string, string>> = {
  1000: '1 s',
  5000: '5 s',
  30000: '30 s',
  60000: '60 s',
  300000: '5 min',
  settlement: 'settlement',
};
const nameHorizon = (horizon: MarkoutHorizon): string => NAMES[horizon] ?? `${horizon} ms`;

function table(markouts: readonly Markout[]): Markup {
  const heads = [
    { title: 'After', isText: true },
    { title: 'Side', isText: true },
    { title: 'Fills' },
    { title: 'Shares' },
    { title: 'Markets' },
    { title: 'Effective half-spread, ¢' },
    { title: 'Adverse selection, ¢' },
    { title: 'Markout, ¢' },
    { title: 'Standard error, ¢', explains: 'clustered by market' },
  ];
  const rows = markouts.map((row) => ({
    cells: [
      { text: nameHorizon(row.horizon) },
      { text: SIDE_NAMES[row.side] },
      { text: count(row.fills) },
      { text: formatShares(row.sharesMicros) },
      { text: count(row.markets) },
      { text: signedCents(row.effectiveMicros) },
      { text: signedCents(row.adverseMicros) },
      { text: signedCents(row.markoutMicros) },
      { text: cents(row.standardErrorMicros) },
    ],
  }));
  return dataTable(heads, rows, { caption: 'Markouts by horizon and side' });
}

const SIDE_NAMES: Readonly<Record<MarkoutSide, string>> = {
  all: 'all',
  bid: 'our bids',
  ask: 'our asks',
  late: 'orders that arrived late and took',
};
