/** How a changed strategy behaves: too many requests, silence, and what must not be taken for either. */

import { describe, expect, it } from 'vitest';
import { Probation, type ProbationSample } from '../../../../src/shell/daemon/live/probation.js';
import type { StrategyAnswer } from '../../../../src/trader/engine/quoting/quote-slot.js';

/** A trader of strategy `maker` in two markets, second by second. */
class Trader {
  readonly behaviour = new Probation();
  nowMs = 1_000_000;
  #requests = 0;

  pass(
    seconds: number,
    { perS = 0.2, mode = 'quoting' as ProbationSample['mode'], openOrders = 4, a = LEVELS, b = LEVELS } = {},
  ) {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1_000;
      this.#requests += perS;
      const spent = [
        { purpose: 'moves', total: this.#requests },
        { purpose: 'looks', total: this.nowMs },
      ] as const;
      const markets = [
        { conditionId: 'a', answers: { maker: a } },
        { conditionId: 'b', answers: { maker: b } },
      ];
      this.behaviour.observe({ mode, openOrders, spent, markets }, this.nowMs);
    }
  }

  begin(strategies = ['maker']) {
    this.behaviour.begin(strategies, this.nowMs);
  }
}

const LEVELS: StrategyAnswer | null = 'levels';
const NOTHING: StrategyAnswer | null = 'nothing';

describe('a strategy with new settings', () => {
  it('that makes more than three times the usual requests brings back what was before', () => {
    const trader = new Trader();
    trader.pass(600);
    trader.begin();
    trader.pass(29, { perS: 4 });
    trader.pass(62, { perS: 0.55 });
    expect(trader.behaviour.complaint(false)).toBeNull();
    trader.pass(28, { perS: 1.1 });
    expect(trader.behaviour.complaint(false)).toMatch(/made \d+(\.\d+)? requests .* in 90 s, where 18\.0 were usual/);
  });

  it('may place more orders than before, and is not judged by a trader that hardly quoted', () => {
    const grown = new Trader();
    grown.pass(600);
    grown.begin();
    grown.pass(31);
    grown.pass(60, { perS: 0.9, openOrders: 20 });
    expect(grown.behaviour.complaint(true)).toBeNull();
    const young = new Trader();
    young.pass(200);
    young.pass(600, { mode: 'paused' });
    young.begin();
    young.pass(119, { perS: 4 });
    expect(young.behaviour.complaint(true)).toBeNull();
  });

  it('that wants nothing any more where it quoted brings back what was before, at the end', () => {
    const trader = new Trader();
    trader.pass(10, { b: NOTHING });
    trader.begin();
    trader.pass(120, { a: NOTHING });
    expect(trader.behaviour.complaint(false)).toBeNull();
    expect(trader.behaviour.complaint(true)).toMatch(/^strategy maker wants no order any more in any of the 1 markets/);
    trader.behaviour.end();
    expect(trader.behaviour.complaint(true)).toBeNull();
  });

  it.each([
    [
      'says something once',
      (trader: Trader) => {
        trader.pass(1);
        trader.pass(40, { a: NOTHING, b: NOTHING });
      },
    ],
    ['was not asked, for its book is old', (trader: Trader) => trader.pass(80, { a: null, b: null })],
    ['is paused with the trader', (trader: Trader) => trader.pass(80, { a: NOTHING, b: NOTHING, mode: 'paused' })],
  ])('is not silent when it %s', (_, happens) => {
    const trader = new Trader();
    trader.pass(10);
    trader.begin();
    trader.pass(40, { a: NOTHING, b: NOTHING });
    happens(trader);
    trader.pass(40, { a: NOTHING, b: NOTHING });
    expect(trader.behaviour.complaint(true)).toBeNull();
  });

  it('is held against what was quoted before a first change, though a second came at once', () => {
    const trader = new Trader();
    trader.pass(10);
    trader.begin();
    trader.pass(20, { a: NOTHING, b: NOTHING });
    trader.begin();
    trader.pass(120, { a: NOTHING, b: NOTHING });
    expect(trader.behaviour.complaint(true)).toMatch(/any of the 2 markets/);
  });

  it('is alone judged: other changes bring back nothing', () => {
    const trader = new Trader();
    trader.pass(600);
    trader.begin([]);
    trader.pass(120, { perS: 5, a: NOTHING, b: NOTHING });
    expect(trader.behaviour.complaint(true)).toBeNull();
  });
});
