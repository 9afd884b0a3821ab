/** Bugs of the trader's inputs: the age of a book, a view modified by a strategy, and a venue's invalid rows. */

import type { WrittenBug } from './bug.js';

export const SIGHT_BUGS: readonly WrittenBug[] = [
  {
    name: 'clock-set-back-keeps-books',
    what: 'A clock that is set back leaves the books of before, and newer ones seem older than they are.',
    edits: [
      {
        file: 'src/trader/engine/observe.ts',
        text: '    entry.feed.clockSetBack(byMs, requests.queue.newestId);\n',
        replacement: '',
      },
      {
        file: 'src/trader/engine/quoting/quote-slot.ts',
        text: ' && !(bookAgeMs >= 0 && bookAgeMs <= maxBookAgeMs))',
        replacement: ' && bookAgeMs > maxBookAgeMs)',
      },
      {
        file: 'src/trader/market/market-tracker.ts',
        text: 'if (before !== null && at.requestId < before.at.requestId) return;',
        replacement: 'if (before !== null && at.sentMs < before.at.sentMs) return;',
      },
    ],
  },
  {
    name: 'one-quoter-sets-the-worth',
    what: 'Holdings count at the price that is quoted now, however it differs from the slow average.',
    file: 'src/trader/engine/own/account.ts',
    text: 'return add(pairs, mul(single, minMicros(price, isYes ? caps.yesMicros : caps.noMicros), ',
    replacement: 'return add(pairs, mul(single, isYes || caps.noMicros > 0 ? price : caps.noMicros, ',
  },
  {
    name: 'judged-by-its-own-view',
    what: 'Risk judges an order by what its strategy has left of the view that it was shown.',
    file: 'src/trader/engine/quoting/quoting.ts',
    text: '  const sight = feed.sight(nowMs);',
    replacement: '  const sight = view && { ...view, newestTrade: feed.sight(nowMs)?.newestTrade ?? null };',
  },
  {
    name: 'rows-as-they-come',
    what: 'Prices and amounts of public data have no bounds, and what they break in one market ends the trader.',
    edits: [
      {
        file: 'src/shared/protocol/records.ts',
        text: 'const upTo = (units: number) =>\n  money\n',
        replacement: 'const upTo = (units: number) =>\n  units > 0 ? money : money\n',
      },
      {
        file: 'src/trader/engine/observe.ts',
        text: '    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;',
        replacement: '    if (!(error instanceof EvalError)) throw error;',
      },
    ],
  },
];
