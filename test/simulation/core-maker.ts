/** A strategy that also wants complete sets at hand, and now and then does not want them any more. */

import type { Micros } from '../../src/shared/base/micros.js';
import type { Strategy } from '../../src/trader/strategy/contract.js';

/** So long it wants them, and so long it does not: there are splits, and merges of what was split. */
const SPELL_MS = 600_000;

/** The same strategy with such a wish; itself where it is to want none. */
export function withCore(strategy: Strategy, coreSharesMicros: Micros): Strategy {
  if (coreSharesMicros === 0 || strategy.scope === 'event') return strategy;
  return {
    ...strategy,
    create: (params, market) => {
      const quoter = strategy.create(params, market);
      return {
        observe: (event) => quoter.observe?.(event),
        quote: (view) => {
          const wanted = Math.floor(view.nowMs / SPELL_MS) % 2 === 0;
          const quotes = quoter.quote(view);
          return wanted ? { ...quotes, sets: { coreSharesMicros, merge: 'auto' } } : quotes;
        },
      };
    },
  };
}
