/** How a slot applies other parameters: by its quoter, by canceling its orders, or by a new quoter. */

import { describe, expect, it } from 'vitest';
import { findLiveClass, QuoteSlot } from '../../../../src/trader/engine/quoting/quote-slot.js';
import { StrategySandbox } from '../../../../src/trader/engine/quoting/strategy-sandbox.js';
import type { StrategySettings } from '../../../../src/trader/engine/settings.js';
import { defineStrategy, NO_QUOTES } from '../../../../src/trader/strategy/contract.js';
import { paramTable, strategyFrom } from '../../../../src/trader/strategy/read-params.js';

import { LIMITS } from '../../../lab/backtest/plans.js';
import { FACTS, paramsFor, VIEW } from '../../strategy/fixtures.js';

const spec = { kind: 'integer', unit: 'ticks', min: 0, max: 9, default: 0, help: 'h' } as const;
const SPECS = {
  soft: { ...spec, live: 'now' },
  firm: { ...spec, live: 'requote' },
  hard: { ...spec, live: 'restart' },
  old: spec,
} as const;

/** Reports its parameters; `takes` decides on new ones: nothing, by throwing, or all. */
const makeModule = (takes: 'nothing' | 'throws' | 'all') =>
  defineStrategy({
    name: 'counting',
    summary: 'Counts.',
    params: SPECS,
    create: (made) => {
      let handed = 'nothing';
      return {
        quote: () => NO_QUOTES(`made with ${made.soft}${made.firm}${made.hard}${made.old}, handed ${handed}`),
        ...(takes === 'nothing'
          ? {}
          : {
              params: (next) => {
                if (takes === 'throws') throw new Error('no');
                handed = `${next.soft}${next.firm}${next.hard}${next.old}`;
              },
            }),
      };
    },
  });

/** A slot's reports at its first two turns after these parameters have changed. */
function change(values: Readonly<Record<string, number>>, takes: 'nothing' | 'throws' | 'all' = 'all', code = 'a') {
  const module = makeModule(takes);
  const settings = (raw: Readonly<Record<string, number>>, moduleKey: string): StrategySettings => ({
    name: 'tested',
    module,
    moduleKey,
    params: paramsFor(module, raw),
    markets: { ids: ['M'], state: 'open', categories: [], max: 1 },
    quoteHours: null,
    risk: LIMITS,
  });
  const slot = new QuoteSlot('M', settings({}, 'a'));
  const open = () => slot.open(() => StrategySandbox.ofMarket(module, slot.strategy.params, FACTS, (call) => call()));
  open();
  const isMadeAnew = slot.configure(settings(values, code));
  if (isMadeAnew) open();
  const wish = (nowMs: number) => slot.wish(VIEW, { nowMs, hold: null, limits: LIMITS }).note;
  return { isMadeAnew, said: [wish(1), wish(2)] };
}

const PULLED = expect.stringContaining('orders are canceled');

describe('other parameters', () => {
  it.each([
    ['now', { soft: 1 }, false, ['made with 0000, handed 1000', 'made with 0000, handed 1000']],
    ['requote', { firm: 1, soft: 2 }, false, [PULLED, 'made with 0000, handed 2100']],
    ['restart', { hard: 1, firm: 2 }, true, ['made with 0210, handed nothing', 'made with 0210, handed nothing']],
    ['restart', { old: 1, soft: 2 }, true, ['made with 2001, handed nothing', 'made with 2001, handed nothing']],
    [null, {}, false, ['made with 0000, handed nothing', 'made with 0000, handed nothing']],
  ] as const)('of the strictest class %s are taken up as it says', (wanted, values, isMadeAnew, said) => {
    const zeros = { soft: 0, firm: 0, hard: 0, old: 0 };
    expect(findLiveClass(SPECS, zeros, { ...zeros, ...values })).toBe(wanted);
    expect(change(values)).toEqual({ isMadeAnew, said });
  });

  it('make another quoter where it takes none, throws, or is other code', () => {
    const anew = ['made with 1000, handed nothing', 'made with 1000, handed nothing'];
    expect(change({ soft: 1 }, 'nothing')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ soft: 1 }, 'throws')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ soft: 1 }, 'all', 'b')).toEqual({ isMadeAnew: true, said: anew });
    expect(change({ firm: 1 }, 'nothing').said[0]).toEqual(PULLED);
  });

  it('are shown with their class, and a class that nobody knows is refused', () => {
    const module = makeModule('all');
    expect(paramTable(module).map(({ live }) => live)).toEqual(['now', 'requote', 'restart', 'restart']);
    const wrong = { ...module, params: { soft: { ...spec, live: 'soon' } } };
    expect(() => strategyFrom({ default: wrong }, 'x.ts')).toThrow('parameter soft: live must be one of now, requote');
  });
});
