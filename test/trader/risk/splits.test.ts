import { describe, expect, it } from 'vitest';
import type { RiskFacts } from '../../../src/trader/risk/controls.js';
import { Exposure } from '../../../src/trader/risk/exposure.js';
import type { SplitIntent } from '../../../src/trader/risk/intent.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { exposureOf, factsOf, holdingOf, limitsOf, m, ONE, orderOf, sight } from './states.js';

const shares = (n: number) => m(n * ONE);
const split = (changes: Partial<SplitIntent> = {}): SplitIntent => ({
  kind: 'split',
  intentId: 'x',
  marketConditionId: 'a',
  eventConditionId: 'event',
  amountMicros: shares(40),
  yesPriceMicros: m(420_000),
  ...changes,
});
const BUYING = { exposure: exposureOf([], [orderOf()]) };
const held = (changes: Parameters<typeof holdingOf>[0]) => ({ exposure: exposureOf([holdingOf(changes)], []) });
const SPLITTING = held({ marketConditionId: 'b', splittingMicros: shares(11) });

const refusals: readonly (readonly [string, number, string, Partial<SplitIntent>, Partial<RiskFacts>])[] = [
  ['nothing', 14, 'sane_input', { amountMicros: m(0) }, {}],
  ['NaN', 14, 'sane_input', { amountMicros: m(Number.NaN) }, {}],
  ['a price of one', 14, 'sane_input', { yesPriceMicros: m(ONE) }, {}],
  ['a market that nobody has seen', 14, 'sane_input', {}, { sight: null }],
  ['currency that cannot be told', 14, 'sane_input', {}, { cashMicros: m(Number.NaN) }],
  ['a trader that is halted', 8, 'halted', {}, { stance: 'halted' }],
  ['a loss that halted', 8, 'halted', {}, { loss: { ...factsOf().loss, halted: 'lost' } }],
  ['a day that lost its limit', 8, 'max_loss_day', {}, { loss: { ...factsOf().loss, dayLossMicros: shares(50) } }],
  ['a drawdown at its limit', 8, 'max_drawdown', {}, { loss: { ...factsOf().loss, drawdownMicros: shares(100) } }],
  ['a burst of fills', 11, 'max_fills', {}, { fills: { halted: 'too many' } }],
  ['a market not open', 15, 'market_open', {}, { sight: sight({ market: { ...sight().market, phase: 'resolved' } }) }],
  ['a market about to resolve', 15, 'min_time_to_resolution_s', {}, { sight: sight({ timeToResolutionMs: 59_000 }) }],
  ['a trader that only reduces', 17, 'reduce_only', {}, { stance: 'reduce-only' }],
  ['a trader that sells everything', 17, 'reduce_only', {}, { stance: 'flatten' }],
  ['more sets than the limit', 21, 'max_core_sets', { amountMicros: m(100 * ONE + 1) }, {}],
  ['sets that are held beside it', 21, 'max_core_sets', {}, held({ yesMicros: shares(61), noMicros: shares(90) })],
  ['sets of a split under way', 21, 'max_core_sets', {}, held({ splittingMicros: shares(61) })],
  ['more than there is', 19, 'available_cash', {}, { cashMicros: m(40 * ONE - 1) }],
  ['currency that buys have reserved', 19, 'available_cash', {}, { cashMicros: shares(44), ...BUYING }],
  ['currency that another split takes', 19, 'available_cash', {}, { cashMicros: shares(50), ...SPLITTING }],
];

describe('a split', () => {
  it('passes up to the limit of sets and to the last unit of free currency', () => {
    expect(judge(split(), factsOf({ cashMicros: shares(40) })).verdict).toBe('approved');
    expect(judge(split(), factsOf(held({ yesMicros: shares(60), noMicros: shares(99) }))).verdict).toBe('approved');
    expect(judge(split(), factsOf({ stance: 'widen' })).verdict).toBe('approved');
    const tight = factsOf({ limits: limitsOf({ maxCoreSetsMicros: shares(39) }) });
    expect(judge(split(), tight)).toMatchObject({ verdict: 'refused', limit: 39 * ONE, found: 40 * ONE });
  });

  it.each(refusals)('of or beside %s is refused: control %d, %s', (_, control, name, changes, facts) => {
    expect(judge(split(changes), factsOf(facts))).toMatchObject({ verdict: 'refused', control, name });
  });

  it('that was begun takes its currency from every order and split that is judged after it', () => {
    const exposure = new Exposure();
    exposure.split('a', null, shares(40));
    expect([exposure.reservedCashMicros, exposure.setsMicros('a')]).toEqual([40 * ONE, 40 * ONE]);
    exposure.split('a', null, shares(2));
    expect([exposure.reservedCashMicros, exposure.setsMicros('a')]).toEqual([42 * ONE, 42 * ONE]);
    // Currency that is split into sets cannot be lost, and the sets are not a position.
    expect([exposure.totalLossMicros, exposure.worstCase('a').positionMicros]).toEqual([0, 0]);
    exposure.setHolding(holdingOf({ yesMicros: shares(42), noMicros: shares(42), costMicros: shares(42) }));
    expect([exposure.reservedCashMicros, exposure.setsMicros('a')]).toEqual([0, 42 * ONE]);
  });
});
