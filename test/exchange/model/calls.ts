/** Calls of the exchange as data, drawn so that most succeed and orders meet; shrinking simplifies them. */

import fc from 'fast-check';

/** The caller: the record's owner, another user, or a caller of a record that does not exist. */
export type Caller = 'owner' | 'stranger' | 'nobody';

/** Errors and special values in the fields of a draft. */
export const FLAWS = [
  ...(['none', 'off grid', 'too much', 'too little', 'missing', 'unasked', 'unread'] as const),
  // As much as the account can pay for, to the last lot; and one lot more.
  ...(['all in', 'one more'] as const),
  // Repeats the conversion in progress.
  'again',
] as const;
export type Flaw = (typeof FLAWS)[number];

export const TROUBLES = ['paused', 'interrupted', 'unbacked', 'custodial', 'no signing'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** Two open books, a pool, a margin book, and a market that does not exist. */
export const MARKETS = { first: 0, second: 1, pool: 2, marginBook: 3, unknown: 4 } as const;

const often = <T>(common: T, rare: readonly T[], weight: number): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });

const pick = fc.nat(40);
const by = fc.nat(2);
const caller = often<Caller>('owner', ['stranger', 'nobody'], 20);
const valid = fc.nat(19).map((dice) => dice < 19);
const market = fc.nat(39).map((dice) => (dice < 24 ? MARKETS.first : dice < 37 ? MARKETS.second : dice - 35));
const flawed = (usual: readonly Flaw[]) =>
  fc.oneof({ weight: 11, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...FLAWS) });
const flaw = flawed(['none', 'none', 'none', 'none', 'all in']);
const conversionFlaw = flawed(['none', 'none', 'all in', 'again']);
/** Distance from a half, in cents and in ticks. */
const cents = fc.integer({ min: -6, max: 6 });
const ticks = fc.integer({ min: -2, max: 2 });
/** In whole units and in lots. */
const size = { units: fc.nat(12), lots: fc.nat(99) };

const order = fc.record({
  do: fc.constant('order' as const),
  by,
  market,
  isYes: fc.boolean(),
  buys: fc.boolean(),
  isLimit: fc.nat(3).map((dice) => dice > 0),
  cents,
  ticks,
  ...size,
  flaw,
});
const submit = (what: 'order' | 'cancel' | 'merge' | 'split' | 'redeem') =>
  fc.record({ do: fc.constant('submit' as const), what: fc.constant(what), pick, by: caller, valid });
const conversion = fc.record({
  do: fc.constantFrom('merge' as const, 'split' as const),
  by,
  market,
  ...size,
  flaw: conversionFlaw,
});
const redeem = fc.record({ do: fc.constant('redeem' as const), by, market });
const funds = fc.constantFrom<number>(-1, 0, 1, 3_333_333);
const deposit = fc.record({ do: fc.constant('deposit' as const), by, funds });
const wait = (...ms: number[]) => fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(...ms) });
const [bid, immediate] = [fc.boolean(), fc.boolean()];
const place = { by: fc.nat(1), market, bid, cents, ticks, ...size, immediate };
const internal = fc.record({ do: fc.constant('internal' as const), ...place });
/** Stops the exchange and restores it from its snapshot. */
const restart = fc.constant({ do: 'restart' as const });
const landing = fc.constant({ do: 'wait' as const, ms: 400 });
const drafting = fc.oneof(order, conversion, submit('order'), submit('merge'), submit('split'));
/** A restart in the middle must keep the fault, and conversions that land then must be affected by it. */
const troubled = fc.oneof(
  { weight: 3, arbitrary: drafting },
  { weight: 1, arbitrary: landing },
  { weight: 1, arbitrary: restart },
);
const duringIt = { market: fc.nat(1), calls: fc.array(troubled, { minLength: 1, maxLength: 3 }) };
const trouble = fc.record({ do: fc.constant('while' as const), trouble: fc.constantFrom(...TROUBLES), ...duringIt });

const call = fc.oneof(
  { weight: 28, arbitrary: order },
  { weight: 28, arbitrary: submit('order') },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick, by: caller }) },
  { weight: 4, arbitrary: submit('cancel') },
  { weight: 7, arbitrary: conversion },
  { weight: 4, arbitrary: submit('merge') },
  { weight: 4, arbitrary: submit('split') },
  { weight: 1, arbitrary: redeem },
  { weight: 1, arbitrary: submit('redeem') },
  { weight: 1, arbitrary: deposit },
  { weight: 5, arbitrary: wait(1, 399, 400, 999, 20_000) },
  { weight: 1, arbitrary: wait(59_999, 60_000, 60_001) },
  { weight: 3, arbitrary: trouble },
  { weight: 8, arbitrary: internal },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), pick }) },
  { weight: 1, arbitrary: restart },
);

const resolve = fc.record({
  do: fc.constant('resolve' as const),
  market: fc.nat(1),
  outcome: fc.constantFrom(true, false, null),
});
const changeState = fc.record({
  do: fc.constant('state' as const),
  market,
  state: fc.constantFrom('open', 'answer_proposed', 'waiting_to_resolve', 'resolved', 'canceled', 'interrupted'),
});
const settled = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('redeem' as const), by, market: fc.nat(1) }) },
  { weight: 6, arbitrary: submit('redeem') },
  { weight: 2, arbitrary: drafting },
  { weight: 1, arbitrary: wait(400, 60_000) },
);

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Call = Drawn<typeof call | typeof changeState | typeof resolve | typeof settled>;

const upTo = <T>(maxLength: number, one: fc.Arbitrary<T>) => fc.noBias(fc.array(one, { maxLength, size: 'max' }));

export const calls: fc.Arbitrary<readonly Call[]> = upTo(100, call);

/** The end of the two books, partly while drafts and conversions still wait. */
export const ending: fc.Arbitrary<readonly Call[]> = fc
  .tuple(upTo(3, changeState), upTo(4, resolve), upTo(12, settled))
  .map((parts) => parts.flat());

/** Precisions and rates of a book: even and odd ticks, lots and fees. */
export interface Grid {
  readonly price: number;
  readonly amount: number;
  readonly funds: number;
  readonly maker: number;
  readonly taker: number;
  /** The minimum amount and funds. */
  readonly least: number;
}

export const GRIDS: readonly Grid[] = [
  { price: 2, amount: 2, funds: 2, maker: 0, taker: 10_000, least: 1_000_000 },
  { price: 2, amount: 0, funds: 6, maker: 0, taker: 0, least: 0 },
  { price: 3, amount: 4, funds: 2, maker: 2_500, taker: 17_500, least: 0 },
  { price: 4, amount: 6, funds: 6, maker: 33_333, taker: 1, least: 0 },
  { price: 3, amount: 6, funds: 4, maker: 1, taker: 999_999, least: 500_000 },
  { price: 4, amount: 5, funds: 3, maker: 7_777, taker: 7_778, least: 0 },
];
