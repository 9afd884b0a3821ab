/** Parameters that several strategies share, each declared once. */

import type { GuardSetting, ParamSpecs } from '../../src/trader/strategy/strategy.js';

/** For a strategy that caches nothing made from its parameters: a running quoter uses new values at once. */
export const readEachTurn = <const S extends ParamSpecs>(specs: S) =>
  // Each as it was declared, and with its class.
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, live: 'now' }])) as {
    readonly [N in keyof S]: S[N] & { readonly live: 'now' };
  };

export const maxBookAgeMs = {
  kind: 'integer',
  unit: 'ms',
  min: 100,
  max: 3_600_000,
  default: 30_000,
  help: 'Oldest book that quotes are made on.',
} as const;

export const jumpPauseS = {
  kind: 'number',
  unit: 's',
  min: 0,
  max: 86_400,
  default: 10,
  help: 'Stay out after a jump.',
} as const;

export const haltBeforeS = (value: number) =>
  ({
    kind: 'number',
    unit: 's',
    min: 0,
    max: 1e8,
    default: value,
    help: 'Time before resolution from which nothing is quoted.',
  }) as const;

export const modelSdLogOdds = {
  kind: 'number',
  unit: 'log-odds',
  min: 0.01,
  max: 2,
  default: 0.1,
  help: 'How far the feed is off, as a standard deviation, where its rows name no `sd`.',
} as const;

export const maxGapSds = {
  kind: 'number',
  unit: 'standard deviations',
  min: 1,
  max: 20,
  default: 4,
  help: 'Nothing is quoted where feed and book are further apart than this: one of them is wrong.',
} as const;

export const widenFactor = {
  kind: 'number',
  unit: 'times',
  min: 1,
  max: 100,
  default: 2,
  help: 'Factor of distances while the trader quotes wider.',
} as const;

export const postOnly = {
  kind: 'boolean',
  default: true,
  help: 'No order is sent that would trade at once, by the newest poll and trade seen.',
} as const;

export const orderShares = (value: string) =>
  ({
    kind: 'shares',
    min: '0.000001',
    max: '1000000',
    default: value,
    help: 'Size of each quote at most.',
  }) as const;

export const repriceTicks = {
  kind: 'integer',
  unit: 'ticks',
  min: 0,
  max: 500_000,
  default: 1,
  help: 'An order so close to its level stays where it is and keeps its place in the queue.',
} as const;

export const resizeFraction = {
  kind: 'number',
  unit: 'part',
  min: 0,
  max: 1,
  default: 0.2,
  help: 'An order whose size differs from its level by at most this part stays.',
} as const;

export const riskAversion = {
  kind: 'number',
  unit: 'log-odds per share',
  min: 0,
  max: 1,
  default: 0.002,
  help: 'How far one share of net position shifts the price (0.002 and 100 shares: 5 cents at a price of 0.50).',
} as const;

/** @param from origin of the distance, for its help */
export const halfSpreadTicks = (from: string) =>
  ({
    kind: 'integer',
    unit: 'ticks',
    min: 1,
    max: 500_000,
    default: 2,
    help: `Smallest distance of a quote from ${from}.`,
  }) as const;

export const improveTicks = {
  kind: 'integer',
  unit: 'ticks',
  min: 0,
  max: 500_000,
  default: 1,
  help: 'Maximum ticks by which quotes improve the best of others.',
} as const;

export const behindTicks = {
  kind: 'integer',
  unit: 'ticks',
  min: 0,
  max: 500_000,
  default: 500_000,
  help: 'Maximum ticks behind the best of others of a side that adds to the position; beyond it by its distance alone, it is left out.',
} as const;

/** @param price which price it is compared with, for its help */
export const minFairPrice = (price: string) =>
  ({
    kind: 'number',
    unit: 'price',
    min: 0,
    max: 0.5,
    default: 0.02,
    help: `Below ${price} (and above 1 - it) only quotes that reduce the position are made.`,
  }) as const;

export const maxBookSpread = {
  kind: 'number',
  unit: 'price',
  min: 0.000001,
  max: 1,
  default: 0.2,
  help: "Widest spread of others' book that still gives a fair price.",
} as const;

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

/** Last parameters of a strategy with one order a side; `haltBefore` in seconds. */
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
