/** Figures of a session and its repeats as named lines, for terminal and page. */

import type { Analysis } from './analysis/analyse.js';
import { shownInterval, shownSharpe } from './analysis/events.js';
import type { Markout, MarkoutHorizon, MarkoutSide } from './analysis/markouts.js';
import type { RepeatFigures, RunSpread } from './analysis/repeats.js';
import {
  count,
  formatDuration,
  formatGain,
  formatMoney,
  formatPercent,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from './figures.js';

/** `onPage`: its name in the page's table of fill models, for lines that are there too. */
type Line<T> = readonly [name: string, figure: (of: T) => string, onPage?: string];

function markout(markouts: readonly Markout[], horizon: MarkoutHorizon, side: MarkoutSide = 'all'): string {
  return signedCents(markouts.find((row) => row.horizon === horizon && row.side === side)?.markoutMicros ?? null);
}

export const LINES: readonly Line<Analysis>[] = [
  ['Result', ({ result }) => formatGain(result.resultMicros), 'Result'],
  ['  of the capital', ({ equity }) => formatPercent(equity.returnShare, 2)],
  ['  spread earned', ({ result }) => formatGain(result.spreadMicros), 'Spread earned'],
  ['  inventory drift', ({ result }) => formatGain(result.driftMicros), 'Inventory drift'],
  ['  fees', ({ result }) => formatGain(-result.feesMicros), 'Fees'],
  ['  fees saved by legs', ({ trading }) => formatGain(trading.feesSavedByLegsMicros)],
  ['  merges', ({ result }) => formatGain(result.mergesMicros)],
  ['  settlement', ({ result }) => formatGain(result.settlementMicros), 'Settlement'],
  ['  cannot be divided', ({ result }) => formatGain(result.undividedMicros)],
  ['95 % interval, from', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[0] ?? null)],
  ['95 % interval, to', ({ byEvent }) => formatGain(shownInterval(byEvent)?.[1] ?? null)],
  ['Sharpe per event', ({ byEvent }) => ratio(shownSharpe(byEvent)), 'Sharpe per event'],
  ['Deepest drawdown', ({ drawdown }) => formatMoney(drawdown.maxMicros), 'Deepest drawdown'],
  ['Capital locked, mean', ({ capital }) => formatMoney(capital.meanLockedMicros)],
  ['Fills', ({ trading }) => count(trading.fills), 'Fills'],
  ['Filled of posted', ({ trading }) => formatPercent(trading.fillRatioShare), 'Filled part of posted shares'],
  ['Markout 5 s, cents', ({ markouts }) => markout(markouts, 5_000)],
  ['Markout 60 s, cents', ({ markouts }) => markout(markouts, 60_000), 'Markout after 60 s, cents a share'],
  ['Markout settlement, cents', ({ markouts }) => markout(markouts, 'settlement')],
  ['  late orders, 60 s', ({ markouts }) => markout(markouts, 60_000, 'late')],
  [
    'Filled at crossings',
    ({ crossing }) => formatShares(crossing?.filled.sharesMicros ?? null),
    'Filled at crossings, shares',
  ],
  [
    'Crossed, not filled',
    ({ crossing }) => formatShares(crossing?.unfilled.sharesMicros ?? null),
    'Crossed and not filled, shares',
  ],
  ['  crossed for, median', ({ crossing }) => formatDuration(crossing?.unfilled.crossed.median ?? null)],
  ...([1_000, 5_000, 60_000, 'settlement'] as const).map(
    (horizon): Line<Analysis> => [
      `  markout ${horizon === 'settlement' ? horizon : `${horizon / 1_000} s`}, cents`,
      ({ crossing }) => markout(crossing?.unfilled.markouts ?? [], horizon),
    ],
  ),
  ['Two-sided quotes', ({ quoting }) => formatPercent(quoting.twoSidedShare), 'Two-sided quotes, of the time'],
  ['Public requests, of limit', ({ requests }) => formatPercent(requests?.publicShare ?? null)],
  ['  requests for looks', ({ requests }) => count(requests?.byPurpose.looks ?? null)],
  ['  requests for placing', ({ requests }) => count(requests?.byPurpose.moves ?? null)],
  ['  requests for cancels', ({ requests }) => count(requests?.byPurpose.cancels ?? null)],
  ['  requests for conversions', ({ requests }) => count(requests?.byPurpose.conversions ?? null)],
  ['  requests for own state', ({ requests }) => count(requests?.byPurpose.own ?? null)],
  ['  requests a fill', ({ requests }) => ratio(requests?.perFill ?? null)],
  ['  value a request, cents', ({ requests }) => signedCents(requests?.valueMicros ?? null)],
  ['Carried into settlement', ({ inventory }) => formatPercent(inventory.carriedShare)],
  ['Markets traded', ({ coverage }) => `${count(coverage.marketsTraded)} of ${count(coverage.markets)}`],
  ['Recorded time covered', ({ coverage }) => formatPercent(coverage.coveredShare, 2)],
  ['Recorded time', ({ coverage }) => (coverage.spanMs === 0 ? UNKNOWN : formatDuration(coverage.spanMs))],
];

type Figure = (micros: number | null) => string;

const meanAndSpread = (shown: Figure, spread: Figure, { mean, deviation }: RunSpread): string =>
  deviation === null ? shown(mean) : `${shown(mean)} ± ${spread(deviation)}`;

const unsignedCents: Figure = (micros) => signedCents(micros).replace('+', '');

/** ± is the deviation between repeats. */
export const REPEAT_LINES: readonly Line<RepeatFigures>[] = [
  ['Result, mean', ({ resultMicros }) => meanAndSpread(formatGain, formatMoney, resultMicros)],
  ['  lowest', ({ resultMicros }) => formatGain(resultMicros.lowest)],
  ['  highest', ({ resultMicros }) => formatGain(resultMicros.highest)],
  ['  95 % interval, from', ({ intervalMicros }) => formatGain(intervalMicros?.[0] ?? null)],
  ['  95 % interval, to', ({ intervalMicros }) => formatGain(intervalMicros?.[1] ?? null)],
  ['Spread earned', ({ spreadMicros }) => meanAndSpread(formatGain, formatMoney, spreadMicros)],
  ['Fills', ({ fills }) => meanAndSpread(count, count, fills)],
  ['Markout 5 s, cents', ({ markout5sMicros }) => meanAndSpread(signedCents, unsignedCents, markout5sMicros)],
  ['Markout 60 s, cents', ({ markout60sMicros }) => meanAndSpread(signedCents, unsignedCents, markout60sMicros)],
];
