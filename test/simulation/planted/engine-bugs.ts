/** Bugs of the engine, of risk and of the request counter: allowed requests, and the operator's commands. */

import type { WrittenBug } from './bug.js';

const CONTROLS = 'src/trader/risk/controls.ts';
const OWN_LISTS = 'src/trader/engine/own/own-lists.ts';

export const ENGINE_BUGS: readonly WrittenBug[] = [
  {
    name: 'lost-cursor',
    what: 'Every walk through a list stops after its first page, and takes it for the whole list.',
    file: 'src/trader/reconcile/list-cursor.ts',
    text: "    if (cursor === null) return { kind: 'page', rows: page, next: null };",
    replacement: "    if (cursor !== '') return { kind: 'page', rows: page, next: null };",
  },
  {
    name: 'baseline-at-every-start',
    what: 'Every start takes the newest trade for the end of what is not ours.',
    edits: [
      { file: OWN_LISTS, text: '\n  #fillPages = 0;', replacement: '\n  #fillPages = 0;\n  #seenFills = false;' },
      {
        file: OWN_LISTS,
        text: '    this.#fillPages = 0;',
        replacement: '    this.#fillPages = 0;\n    this.#seenFills = true;',
      },
      {
        file: OWN_LISTS,
        text: '    if (stored !== null) return stored;\n    const fresh = this.#ledger.orders({ limit: 1 }).length === 0 ? newest : NO_TRADES;',
        replacement: '    if (stored !== null && this.#seenFills) return stored;\n    const fresh = newest;',
      },
    ],
  },
  {
    name: 'kill-not-stored',
    what: 'A kill is not written to the ledger.',
    file: 'src/trader/engine/control/safety.ts',
    text: 'JSON.stringify(this.modes.stored)',
    replacement: 'JSON.stringify({ ...this.modes.stored, killed: null })',
  },
  {
    name: 'kill-lifted-by-restart',
    what: 'A start does not read that it was killed.',
    file: 'src/trader/engine/control/safety.ts',
    text: "new Modes(JSON.parse(ledger.note(MODES_NOTE) ?? '{}') as Partial<Modes['stored']>);",
    replacement: "new Modes({ ...JSON.parse(ledger.note(MODES_NOTE) ?? '{}'), killed: null });",
  },
  {
    name: 'killed-but-not-pulled',
    what: 'A kill withholds new orders and leaves those that rest.',
    file: 'src/trader/engine/quoting/quoting.ts',
    text: '  const canceled = cancelAll(cancels, slot.conditionId, context) || begun;',
    replacement: '  const canceled = context.hold === null && cancelAll(cancels, slot.conditionId, context);',
  },
  {
    name: 'flatten-lost-by-restart',
    what: 'A start does not read that a market was being flattened, and quotes it.',
    file: 'src/trader/engine/control/safety.ts',
    text: 'of stored) this.#of(kind)',
    replacement: "of stored) if (kind !== 'flattening') this.#of(kind)",
  },
  {
    name: 'reduce-only-ignored',
    what: 'Strategies and risk do not receive the rule that only reducing orders may leave.',
    edits: [
      { file: CONTROLS, text: "  { number: 17, name: 'reduce_only', check: reduceOnly },\n", replacement: '' },
      {
        file: 'src/trader/engine/quoting/event-turns.ts',
        text: "      stance: stance === 'flatten' || stance === 'halted' ? 'normal' : stance,",
        replacement: "      stance: 'normal',",
      },
    ],
  },
  {
    name: 'one-empty-list',
    what: 'One empty list of orders is proof enough that nothing rests, whatever is still under way.',
    edits: [
      {
        file: 'src/trader/engine/control/modes.ts',
        text: 'const PROOFS_WANTED = 2;',
        replacement: 'const PROOFS_WANTED = 1;',
      },
      {
        file: 'src/trader/engine/act.ts',
        text: '  if (countUnsettled(state) > 0) safety',
        replacement: '  if (countUnsettled(state) > 1e9) safety',
      },
    ],
  },
  {
    name: 'unknown-not-counted',
    what: 'The limits count what rests, and nothing that is in flight or unknown.',
    file: 'src/trader/engine/own/own-state.ts',
    text: '    exposure.addOrder(toWorkingOrder(reservation, terms));',
    replacement: "    if (phase === 'resting') exposure.addOrder(toWorkingOrder(reservation, terms));",
  },
  {
    name: 'sides-set-off',
    what: 'The worst position sets open buys off against open sales.',
    file: 'src/trader/risk/exposure.ts',
    text: '  const highMicros = add(net, weight.up);\n  const lowMicros = sub(net, weight.down);',
    replacement: `  const highMicros = add(net, sub(weight.up, weight.down));
  const lowMicros = highMicros;`,
  },
  {
    name: 'buy-of-no-raises',
    what: 'Risk takes a buy of NO for an order that raises the position.',
    file: 'src/trader/risk/exposure.ts',
    text: "  raises: (order.side === 'buy') === order.isYes,",
    replacement: "  raises: order.side === 'buy',",
  },
  {
    name: 'one-order-too-many',
    what: 'The limit of open orders does not count the order that is being judged.',
    file: CONTROLS,
    text: 'exposure.workingOrders + 1, limits.maxOpenOrders',
    replacement: 'exposure.workingOrders, limits.maxOpenOrders',
  },
  {
    name: 'event-limit-per-market',
    what: "The limit of an event looks at one of the event's markets only.",
    file: CONTROLS,
    text: '  const sum = exposure.eventPosition(event) - before + after;',
    replacement: '  const sum = exposure.eventPosition(event) * 0 + after;',
  },
  {
    name: 'stale-book',
    what: 'The age of a book keeps nobody from quoting on it, neither the quoting nor risk.',
    edits: [
      { file: CONTROLS, text: "  { number: 14, name: 'max_book_age_ms', check: bookAge },\n", replacement: '' },
      {
        file: 'src/trader/engine/quoting/quote-slot.ts',
        text: ' && !(bookAgeMs >= 0 && bookAgeMs <= maxBookAgeMs))',
        replacement: ' && bookAgeMs > 1e9 * maxBookAgeMs)',
      },
    ],
  },
  {
    name: 'reserve-spent',
    what: 'The requests that a cancel of everything needs are spent on other things.',
    edits: [
      {
        file: 'src/trader/scheduler/budget.ts',
        text: '  const reserve = cancelReserve(openOrders, perMinute);',
        replacement: '  const reserve = 0 * cancelReserve(openOrders, perMinute);',
      },
      {
        file: 'src/trader/scheduler/budget.ts',
        text: "    this.#pacedLane = scope === 'signed' ? 'draft' : null;",
        replacement: "    this.#pacedLane = scope !== 'signed' ? 'draft' : null;",
      },
      { file: CONTROLS, text: "  { number: 10, name: 'request_reserve', check: requestReserve },\n", replacement: '' },
    ],
  },
  {
    name: 'short-minute',
    what: 'The client counts fifty seconds for a minute, and so does the queue.',
    edits: [
      {
        file: 'src/shell/client/pacing.ts',
        text: 'this.#finished.forget(nowMs);',
        replacement: 'this.#finished.forget(nowMs + 10_000);',
      },
      {
        file: 'src/trader/scheduler/budget.ts',
        text: 'this.inFlight + this.#settled.countAt(nowMs);',
        replacement: 'this.inFlight + this.#settled.countAt(nowMs + 10_000);',
      },
    ],
  },
];
