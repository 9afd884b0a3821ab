/** Parameters that several strategies share, each declared once. */

import type { GuardSetting, ParamSpecs } from '../../src/trader/strategy/strategy.js';

const numeric =
  <const K extends 'number' | 'integer'>(kind: K) =>
  (unit: string, [min, max]: readonly [number, number], usual: number, help: string) =>
    ({ kind, unit, min, max, default: usual, help }) as const;
/** Unit, range, default and help of a parameter. */
export const number = numeric('number');
export const integer = numeric('integer');
/** Range and default as decimal strings. */
export const shares = ([min, max]: readonly [string, string], usual: string, help: string) =>
  ({ kind: 'shares', min, max, default: usual, help }) as const;

/** Marks parameters as `live: 'now'`, for a strategy that caches nothing made from them. */
export const readEachTurn = <const S extends ParamSpecs>(specs: S) =>
  // Each parameter keeps its declaration and gets a live class.
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, live: 'now' }])) as {
    readonly [N in keyof S]: S[N] & { readonly live: 'now' };
  };

export const maxBookAgeMs = integer('ms', [100, 3_600_000], 30_000, 'Oldest book that quotes are made on.');

export const jumpPauseS = number('s', [0, 86_400], 10, 'Stay out after a jump.');

export const haltBeforeS = (value: number) =>
  number('s', [0, 1e8], value, 'Time before resolution from which nothing is quoted.');

export const modelSdLogOdds = number(
  'log-odds',
  [0.01, 2],
  0.1,
  'Standard deviation of the feed where its rows name no `sd`.',
);

export const maxGapSds = number(
  'standard deviations',
  [1, 20],
  4,
  'Nothing is quoted if feed and book differ by more than this.',
);

export const widenFactor = number('times', [1, 100], 2, 'Factor of distances while the trader quotes wider.');

export const postOnly = {
  kind: 'boolean',
  default: true,
  help: 'No order is sent that would trade at once, by the newest poll and trade.',
} as const;

export const orderShares = (value: string) => shares(['0.000001', '1000000'], value, 'Size of each quote at most.');

export const repriceTicks = integer('ticks', [0, 500_000], 1, 'An order this close to its level stays.');

export const resizeFraction = number('part', [0, 1], 0.2, 'An order stays if its size differs by at most this part.');

export const riskAversion = number(
  'log-odds per share',
  [0, 1],
  0.002,
  'Shift of the price by one share of net position (0.002, 100 shares: 5 cents at 0.50).',
);

/** @param from origin of the distance, for the help text */
export const halfSpreadTicks = (from: string) =>
  integer('ticks', [1, 500_000], 2, `Smallest distance of a quote from ${from}.`);

export const improveTicks = integer(
  'ticks',
  [0, 500_000],
  1,
  'Maximum ticks by which quotes improve the best of others.',
);

export const behindTicks = integer(
  'ticks',
  [0, 500_000],
  500_000,
  'A side that adds is left out if its distance alone puts it more ticks than this behind the best of others.',
);

/** @param price name of the compared price, for the help text */
export const minFairPrice = (price: string) =>
  number('price', [0, 0.5], 0.02, `Below ${price} (and above 1 - it) only quotes that reduce the position are made.`);

export const maxBookSpread = number(
  'price',
  [0.000001, 1],
  0.2,
  "Widest spread of others' book that still gives a fair price.",
);

interface GuardParams {
  readonly max_book_age_ms: number;
  readonly jump_pause_s: number;
  readonly halt_before_s: number;
}

export const makeGuards = (p: GuardParams): GuardSetting => ({
  maxBookAgeMs: p.max_book_age_ms,
  jumpPauseMs: p.jump_pause_s * 1000,
  haltBeforeMs: p.halt_before_s * 1000,
});

/** Common last parameters of a strategy with one order per side; `haltBefore` in seconds. */
export const standingParams = (haltBefore: number) =>
  ({
    max_book_age_ms: maxBookAgeMs,
    jump_pause_s: jumpPauseS,
    halt_before_s: haltBeforeS(haltBefore),
    widen_factor: widenFactor,
    post_only: postOnly,
    reprice_ticks: repriceTicks,
    resize_fraction: resizeFraction,
  }) as const;
