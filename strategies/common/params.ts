/** Parameters that several strategies share, each declared once. */

import type { GuardSetting, ParamSpecs } from '../../src/trader/strategy/strategy.js';

const numeric =
  <const K extends 'number' | 'integer'>(kind: K) =>
  (unit: string, [min, max]: readonly [number, number], usual: number, help: string) =>
    ({ kind, unit, min, max, default: usual, help }) as const;
/** Declares a number parameter by its unit, range, default and help text. */
export const number = numeric('number');
export const integer = numeric('integer');
/** Declares a parameter in shares. The parameter's range and default are decimal strings. */
export const shares = ([min, max]: readonly [string, string], usual: string, help: string) =>
  ({ kind: 'shares', min, max, default: usual, help }) as const;

/** Marks parameters as changeable at once (`live: 'now'`); for strategies that cache no results of parameters. */
export const readEachTurn = <const S extends ParamSpecs>(specs: S) =>
  // The cast is right: each parameter keeps its declaration and gets `live`.
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, live: 'now' }])) as {
    readonly [N in keyof S]: S[N] & { readonly live: 'now' };
  };

export const maxBookAgeMs = integer(
  'ms',
  [100, 3_600_000],
  30_000,
  'Maximum age of a book that the strategy quotes on.',
);

export const jumpPauseS = number('s', [0, 86_400], 10, 'Time after a price jump in which the strategy does not quote.');

export const haltBeforeS = (value: number) =>
  number('s', [0, 1e8], value, "Time before the market's resolution at which quoting ends.");

export const modelSdLogOdds = number(
  'log-odds',
  [0.01, 2],
  0.1,
  'Standard deviation of feed values whose rows have no `sd`.',
);

export const maxGapSds = number(
  'standard deviations',
  [1, 20],
  4,
  'The strategy does not quote if feed and book differ by more than this.',
);

export const widenFactor = number(
  'times',
  [1, 100],
  2,
  'Factor that multiplies quote distances while the trader is in mode `widened`.',
);

export const postOnly = {
  kind: 'boolean',
  default: true,
  help: 'An order is not sent if the newest poll or trade shows that it would trade at once.',
} as const;

export const orderShares = (value: string) => shares(['0.000001', '1000000'], value, 'Maximum size of each quote.');

export const repriceTicks = integer(
  'ticks',
  [0, 500_000],
  1,
  'An order stays if its price is at most this far from the wanted price.',
);

export const resizeFraction = number(
  'part',
  [0, 1],
  0.2,
  'An order stays if its size differs from the wanted size by at most this fraction.',
);

export const riskAversion = number(
  'log-odds per share',
  [0, 1],
  0.002,
  'Shift of the price that quotes are centred on, per share of net position. At 0.002, 100 shares shift a price of 0.50 by 5 cents.',
);

/** @param from price from which the distance is measured, for the help text */
export const halfSpreadTicks = (from: string) =>
  integer('ticks', [1, 500_000], 2, `Minimum distance of a quote from ${from}.`);

export const improveTicks = integer(
  'ticks',
  [0, 500_000],
  1,
  "Maximum number of ticks by which a quote improves others' best price.",
);

export const behindTicks = integer(
  'ticks',
  [0, 500_000],
  500_000,
  "A side that adds to the position is not quoted if its half-spread alone puts it more than this many ticks behind others' best price.",
);

/** @param price name of the compared price, for the help text */
export const minFairPrice = (price: string) =>
  number(
    'price',
    [0, 0.5],
    0.02,
    `If ${price} is below this value or above 1 minus it, only quotes that reduce the position are made.`,
  );

export const maxBookSpread = number(
  'price',
  [0.000001, 1],
  0.2,
  "Maximum spread of others' book from which a fair price is computed.",
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

/** Parameters for `makeGuards`. `haltBefore` and `jumpPause` are defaults, in seconds. */
export const guardParams = (haltBefore: number, jumpPause = 10) =>
  ({
    max_book_age_ms: maxBookAgeMs,
    jump_pause_s: { ...jumpPauseS, default: jumpPause },
    halt_before_s: haltBeforeS(haltBefore),
  }) as const;

/** Common parameters of strategies with one order per side. `haltBefore`: default of `halt_before_s`, in seconds. */
export const standingParams = (haltBefore: number) =>
  ({
    ...guardParams(haltBefore),
    widen_factor: widenFactor,
    post_only: postOnly,
    reprice_ticks: repriceTicks,
    resize_fraction: resizeFraction,
  }) as const;
