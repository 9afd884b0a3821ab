/** A live run and backtests over it, side by side. */

import type { MarketParity, Parity, Side } from '../../lab/parity/contract.js';
import { count, formatGain, formatMoney, formatPercent, formatShares } from '../../lab/report/figures.js';
import { type Column, table } from '../output/table.js';

type Line = readonly [name: string, figure: (side: Side) => string];

const LINES: readonly Line[] = [
  ['Fills', ({ fills }) => count(fills)],
  ['Shares filled', ({ sharesMicros }) => formatShares(sharesMicros)],
  ['Result', ({ resultMicros }) => formatGain(resultMicros)],
  ['  spread earned', ({ spreadMicros }) => formatGain(spreadMicros)],
  ['  inventory drift', ({ driftMicros }) => formatGain(driftMicros)],
  ['  fees', ({ feesMicros }) => formatMoney(feesMicros)],
  ['Largest inventory', ({ peakInventoryMicros }) => formatShares(peakInventoryMicros)],
  ['Two-sided quotes', ({ twoSidedShare }) => formatPercent(twoSidedShare)],
  ['One-sided quotes', ({ oneSidedShare }) => formatPercent(oneSidedShare)],
  ['Orders placed', ({ ordersPlaced }) => count(ordersPlaced)],
  ['Orders canceled', ({ ordersCanceled }) => count(ordersCanceled)],
  ['Public requests', ({ publicRequests }) => (publicRequests === null ? '–' : count(publicRequests))],
  ['Signed requests', ({ signedRequests }) => (signedRequests === null ? '–' : count(signedRequests))],
];

/**
 * A column for each side, the first ones where a narrow terminal has no room for all.
 * @param width of the terminal; left out for a file
 */
export function sideTable({ sides }: Pick<Parity, 'sides'>, width?: number): string {
  const columns: Column<Line>[] = [
    { title: '', cell: ([name]) => name },
    ...sides.map(
      (side, i): Column<Line> => ({
        title: side.name,
        cell: ([, figure]) => figure(side),
        right: true,
        keep: 50 - i,
      }),
    ),
  ];
  return table(LINES, columns, width);
}

/**
 * Shares filled, market by market.
 * @param more columns after those of the sides
 * @param width of the terminal; left out for a file
 */
export function marketTable({ markets, sides }: Parity, more: readonly Column<MarketParity>[], width?: number): string {
  const columns: Column<MarketParity>[] = [
    {
      title: 'Shares filled in',
      cell: ({ title }) => (title.length > 50 ? `${title.slice(0, 49)}…` : title),
      gives: 'cut',
    },
    ...sides.map(
      ({ name }, index): Column<MarketParity> => ({
        title: name,
        cell: (market) => formatShares(market.sides[index]?.sharesMicros ?? 0),
        right: true,
        keep: 50 - index,
      }),
    ),
    ...more,
  ];
  return table(markets, columns, width);
}
