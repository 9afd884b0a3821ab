/** Profit of a backtest by kind of fill: the result some time after each fill. */

import { formatGain, formatMoney, formatShares } from '../../src/lab/report/figures.js';
import { type FillRecord, MARKOUT_HORIZONS_MS, type MarketSession } from '../../src/lab/session/contract.js';
import { computeMoments } from '../../src/shared/statistics/moments.js';
import { nameWindow } from './figures.js';

const ONE = 1_000_000;
/** The result after each of the horizons, and at the end. */
const HORIZONS = [...MARKOUT_HORIZONS_MS.map((ms) => `${ms / 1000} s`), 'end'];

/** A fill and its result at each horizon, micros of currency; null if unknown. */
interface JudgedFill {
  readonly window: string;
  readonly sharesMicros: number;
  readonly broughtMicros: readonly (number | null)[];
  /** Its traits, by which fills are grouped: `side` is `bid`, … */
  readonly traits: Readonly<Record<Trait, string>>;
}

const TRAITS = ['who came', 'side', 'YES price', 'minutes left', 'position before', 'queue'] as const;
type Trait = (typeof TRAITS)[number];

/** One backtest: its fills, and all its windows, with or without fills. */
export interface JudgedRun {
  readonly windows: readonly string[];
  readonly fills: readonly JudgedFill[];
}

export const judgeRun = (markets: readonly MarketSession[]): JudgedRun => ({
  windows: [...new Set(markets.map(nameWindow))],
  fills: markets.flatMap(judgeMarket),
});

function judgeMarket(market: MarketSession): readonly JudgedFill[] {
  let position = 0;
  return market.fills.map((fill) => {
    const bought = fill.side === 'bid' ? fill.amountMicros : -fill.amountMicros;
    const before = position;
    position += bought;
    return {
      window: nameWindow(market),
      sharesMicros: fill.amountMicros,
      broughtMicros: marksOf(fill, market).map((mark) =>
        mark === null ? null : ((mark - fill.priceMicros) * bought) / ONE,
      ),
      traits: {
        'who came': nameRole(fill),
        side: fill.side,
        'YES price': nameBand(fill.priceMicros / ONE, [0.1, 0.3, 0.7, 0.9]),
        'minutes left':
          market.closeMs === null ? 'unknown' : nameBand((market.closeMs - fill.timeMs) / 60_000, [2, 5, 10]),
        'position before': before === 0 ? 'none' : before * bought > 0 ? 'added to' : 'reduced',
        queue:
          fill.isMaker !== true
            ? 'our order took'
            : fill.joinedBehindMicros === 0
              ? 'first at its price'
              : 'behind others',
      },
    };
  });
}

/** Value of YES after each horizon and at the end; after the close it is the payout. */
function marksOf(fill: FillRecord, { outcome, closeMs, endMarkMicros }: MarketSession): readonly (number | null)[] {
  const end = outcome === null ? endMarkMicros : outcome ? ONE : 0;
  const later = fill.marksAfterMicros.map((mark, index) => {
    const atMs = fill.timeMs + (MARKOUT_HORIZONS_MS[index] ?? 0);
    return mark ?? (closeMs !== null && atMs >= closeMs ? end : null);
  });
  return [...later, end];
}

const nameRole = ({ isMaker, atCrossing }: FillRecord): string =>
  isMaker !== true ? 'our order took what others offer' : atCrossing === true ? 'a maker, at a crossing' : 'a taker';

function nameBand(value: number, bounds: readonly number[]): string {
  const index = bounds.findIndex((bound) => value < bound);
  if (index === 0) return `below ${bounds[0]}`;
  return index < 0 ? `from ${bounds.at(-1)} on` : `${bounds[index - 1]} to ${bounds[index]}`;
}

/** All runs in one table: a row for all fills and one for each value of each trait, in currency per run. */
export function partsTable(runs: readonly JudgedRun[]): string {
  const head = `| fills | a run | shares | ${HORIZONS.join(' | ')} |\n|---|---:|---:|${'---:|'.repeat(HORIZONS.length)}`;
  const values = TRAITS.flatMap((trait) =>
    [...new Set(runs.flatMap(({ fills }) => fills.map(({ traits }) => traits[trait])))]
      .sort()
      .map((value) => rowOf(`${trait}: ${value}`, runs, ({ traits }) => traits[trait] === value)),
  );
  return [head, rowOf('all', runs, () => true), ...values].join('\n');
}

function rowOf(name: string, runs: readonly JudgedRun[], isMeant: (fill: JudgedFill) => boolean): string {
  const fills = runs.flatMap((run) => run.fills.filter(isMeant));
  const shares = fills.reduce((sum, { sharesMicros }) => sum + sharesMicros, 0) / runs.length;
  const windows = [...new Set(runs.flatMap((run) => run.windows))];
  const brought = HORIZONS.map((_, index) => broughtText(windows, fills, index, runs.length));
  const count = (fills.length / runs.length).toFixed(0);
  return `| ${[name, count, formatShares(Math.round(shares / ONE) * ONE), ...brought].join(' | ')} |`;
}

/** Mean result of all windows, with the error from the variance between windows, because runs share their paths. */
function broughtText(windows: readonly string[], fills: readonly JudgedFill[], horizon: number, runs: number): string {
  const sums = new Map(windows.map((window) => [window, 0]));
  for (const { window, broughtMicros } of fills)
    sums.set(window, (sums.get(window) ?? 0) + (broughtMicros[horizon] ?? 0) / runs);
  const each = [...sums.values()];
  const { standardDeviation } = computeMoments(each);
  const total = each.reduce((sum, value) => sum + value, 0);
  const error = standardDeviation === null ? '' : ` ± ${formatMoney(standardDeviation * Math.sqrt(each.length))}`;
  return `${formatGain(total)}${error}`;
}
