/** A strategy that sometimes also wants complete sets in stock. */

import type { Micros } from '../../src/shared/base/micros.js';
import type { Strategy } from '../../src/trader/strategy/contract.js';

/** Duration of wanting sets, and of not wanting them: this causes splits, and merges of the split sets. */
const SPELL_MS = 600_000;

/** The same strategy with this wish; the strategy itself for a wish of zero. */
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
