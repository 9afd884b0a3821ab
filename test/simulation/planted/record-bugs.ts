/** Bugs in the handling of changed, failed or unsigned records of the exchange. */

import type { WrittenBug } from './bug.js';

const CONVERSIONS = 'src/trader/executor/records.ts';

export const RECORD_BUGS: readonly WrittenBug[] = [
  {
    name: 'failed-merge-is-booked',
    what: 'A merge that failed to settle is booked as if it had.',
    file: CONVERSIONS,
    text: "row.state === 'done' ? row.onchain_amount : null",
    replacement: "row.state === 'done' || row.state === 'failed' ? (row.onchain_amount ?? amountMicros) : null",
  },
  {
    name: 'taken-back-in-part',
    what: 'A settled trade that failed after all leaves the list of fills, and what it moved stays in the books.',
    file: 'src/trader/ledger/postings.ts',
    text: "  const side = fill.side === 'buy' ? 'sell' : 'buy';\n  return fillPostings(",
    replacement: "  const side = fill.side === 'buy' ? 'sell' : 'buy';\n  return [].length === 0 ? [] : fillPostings(",
  },
  {
    name: 'settled-again-overlooked',
    what: 'A trade that was booked, taken back and has settled again is taken for the booking that it once was.',
    file: 'src/trader/executor/context.ts',
    text: '    this.#rows.delete(tradePubkey);',
    replacement: '    void tradePubkey;',
  },
  {
    name: 'fill-not-checked',
    what: 'A fill is booked whatever its price, amount and fee are, without a word.',
    file: 'src/trader/executor/context.ts',
    text: '    if (objection !== null) this.reportOddity(',
    replacement: '    if (objection !== null && fill.seenMs < 0) this.reportOddity(',
  },
  {
    name: 'fill-alarm-unheard',
    what: 'A fill that was never signed is reported, but the trader continues as before.',
    file: 'src/trader/engine/guards.ts',
    text: '    if (this.text === null) this.write(text);',
    replacement: '    void text;',
  },
  {
    name: 'conversions-under-a-kill',
    what: 'Merges and redeems are begun, signed and sent whatever an operator has said.',
    file: 'src/trader/engine/control/modes.ts',
    text: "const NOTHING: ModeRule = { orders: 'none', conversions: 'none',",
    replacement: "const NOTHING: ModeRule = { orders: 'none', conversions: 'all',",
  },
  {
    name: 'splits-while-reducing',
    what: 'Currency is split into sets while only what reduces may leave; neither the ladder nor risk minds.',
    edits: [
      {
        file: 'src/trader/engine/control/modes.ts',
        text: "  reducing: { orders: 'quotes', conversions: 'to_currency',",
        replacement: "  reducing: { orders: 'quotes', conversions: 'all',",
      },
      {
        file: 'src/trader/risk/controls.ts',
        text: "  { number: 17, name: 'reduce_only', check: addsNothing },\n",
        replacement: '',
      },
    ],
  },
  {
    name: 'stolen-key-unheard',
    what: 'An order that takes effect though nobody here signed it is taken in without a word.',
    file: 'src/trader/executor/orders.ts',
    text: '  if (intent.signature !== null) return;',
    replacement: '  if (intent.signature !== intent.id) return;',
  },
];
