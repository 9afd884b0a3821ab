/** Bugs of the executor: the meaning of an answer, of a silence, and of a state found after a restart. */

import type { WrittenBug } from './bug.js';

const SUBMITS = 'src/trader/executor/records.ts';
const EXECUTOR = 'src/trader/executor/executor.ts';
const CONVERSIONS = 'src/trader/executor/records.ts';

const LOST_SUBMIT = `      if (outcome.sent) markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);`;

const AGAIN = `{
        ...inFlight.intent,
        id: \`\${inFlight.intent.id}.again\`,
        state: 'intended' as const,
        draftPubkey: null,
        message: null,
        expiresAtS: null,
        signature: null,
        submitCount: 0,
      }`;

const draftedAgain = (kind: 'place' | 'split') => `      if (outcome.sent) {
        if (inFlight.intent.kind === '${kind}') {
          const again = ${AGAIN};
          context.intents.move(inFlight, 'recordFailed', nowMs, outcome.reason);
          context.ledger.addIntent(again);
          context.queueRequest(context.intents.take(again, nowMs), 'draft', nowMs);
        } else markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);
      }`;

export const EXECUTOR_BUGS: readonly WrittenBug[] = [
  {
    name: 'sign-before-durable',
    what: 'A signature leaves before its row is durable, and what compares requests with the ledger looks away.',
    edits: [
      {
        file: SUBMITS,
        text: "  context.intents.move(inFlight, 'signed', nowMs, 'the signature is stored and can now be sent', change);",
        replacement: "  inFlight.intent = { ...inFlight.intent, ...change, state: 'signed', updatedMs: nowMs };",
      },
      {
        file: 'src/trader/engine/trader.ts',
        text: '      for (const { id, call } of released.requests) this.#outgoing.check(',
        replacement: '      for (const { id, call } of released.requests) if (nowMs < 0) this.#outgoing.check(',
      },
    ],
  },
  {
    name: 'new-draft-on-retry',
    what: 'A submit whose answer was lost is tried again with a new draft.',
    file: SUBMITS,
    text: LOST_SUBMIT,
    replacement: draftedAgain('place'),
  },
  {
    name: 'unknown-is-refused',
    what: 'A submit whose answer was lost counts as refused.',
    file: SUBMITS,
    text: LOST_SUBMIT,
    replacement: `      if (outcome.sent) {
        context.intents.move(inFlight, 'recordFailed', nowMs, outcome.reason);
        context.reportNotDone(inFlight, 'failed', outcome.reason);
      }`,
  },
  {
    name: 'unknown-is-done',
    what: 'A submit whose answer was lost counts as done.',
    file: SUBMITS,
    text: LOST_SUBMIT,
    replacement: "      if (outcome.sent) context.intents.move(inFlight, 'settled', nowMs, outcome.reason);",
  },
  {
    name: 'error-is-believed',
    what: "A submit's error is believed, though the record may have moved on.",
    file: SUBMITS,
    text: '        // A submit may take effect although its answer is an error, so only the record decides.\n        markUncertain(',
    replacement: `        context.intents.move(inFlight, 'recordFailed', nowMs, outcome.message);
        context.reportNotDone(inFlight, outcome.slug, outcome.message);
        if (nowMs < 0) markUncertain(`,
  },
  {
    name: 'throttled-is-refused',
    what: 'A submit that is told to come back later counts as refused, though an earlier copy of it may have arrived.',
    file: SUBMITS,
    text: "outcome.slug === 'gringotts_unavailable') {\n        context.sendAgain(inFlight, { nowMs });",
    replacement: `outcome.slug === 'gringotts_unavailable') {
        context.intents.move(inFlight, 'recordFailed', nowMs, outcome.message);
        context.reportNotDone(inFlight, 'failed', outcome.message);`,
  },
  {
    name: 'no-second-look',
    what: 'An expiry is believed at the first look.',
    file: 'src/trader/executor/context.ts',
    text: '    if (Math.min(look.sentMs, look.nowMs) >= secondLookMs) return true;',
    replacement: '    return true;',
  },
  {
    name: 'our-clock-for-expiry',
    what: 'Our own clock says when a draft that waits for its signature is over.',
    file: 'src/trader/executor/context.ts',
    text: '    this.lookLater(inFlight, look.nowMs);\n    inFlight.expiredSinceMs = null;',
    replacement: `    const { expiresAtS, state } = inFlight.intent;
        if (expiresAtS !== null && look.nowMs > expiresAtS * 1000 && (state === 'signed' || state === 'unknown')) {
          this.intents.move(inFlight, 'recordExpired', look.nowMs, 'its time is over');
          return this.reportNotDone(inFlight, 'expired', 'its time is over');
        }
        this.lookLater(inFlight, look.nowMs);
        inFlight.expiredSinceMs = null;`,
  },
  {
    name: 'cancel-sent-is-done',
    what: 'A cancel that was sent counts as done, whatever its order shows.',
    file: 'src/trader/executor/orders.ts',
    text: '      noteResting(context, order, seen, look);',
    replacement: `      if (context.intents.byKey.cancel.get(order.pubkey)?.intent.state === 'unknown') noteEnded(context, seen, 'canceled', 'settled', look.nowMs);
      else noteResting(context, order, seen, look);`,
  },
  {
    name: 'filled-amount-is-a-fill',
    what: "The growth of an order's filled amount is booked as a fill, and the trade itself as well.",
    file: 'src/trader/executor/orders.ts',
    text: '  if (!context.profile.own_trades) bookDifference(context, order.pubkey, look);',
    replacement: '  bookDifference(context, order.pubkey, look);',
  },
  {
    name: 'absence-is-an-end',
    what: 'An order that a list of resting orders leaves out counts as canceled.',
    file: EXECUTOR,
    text: '      if (inFlight.liveSinceMs < listSentMs && inFlight.busy === null && inFlight.dueMs === null)\n        inFlight.dueMs = nowMs;',
    replacement: `        const gone = must(this.#context.orders.get(must(draftPubkey, 'pubkey')), 'order');
        this.#context.orders.change(gone.pubkey, { status: 'canceled', filledMicros: gone.filledMicros, closedMs: nowMs });
        this.#context.intents.move(inFlight, 'settled', nowMs, 'a list leaves it out');`,
  },
  {
    name: 'late-fills-dropped',
    what: 'A fill that is seen after its order is over is not booked.',
    file: 'src/trader/executor/orders.ts',
    text: "    else if (row.state === 'done') book(context, row, order, nowMs, venueS);",
    replacement:
      "    else if (row.state === 'done' && order.closedMs === null) book(context, row, order, nowMs, venueS);",
  },
  {
    name: 'split-sent-again',
    what: 'After a submit without an answer, a split is abandoned and drafted again, although the first split may have worked.',
    file: SUBMITS,
    text: LOST_SUBMIT,
    replacement: draftedAgain('split'),
  },
  {
    name: 'merge-booked-on-submit',
    what: 'A merge is booked when its submit is answered, not when it has settled.',
    file: CONVERSIONS,
    text: "row.state === 'done' ? row.onchain_amount : null",
    replacement: "row.state === 'done' || row.state === 'in_process' ? (row.onchain_amount ?? amountMicros) : null",
  },
  {
    name: 'locks-freed-at-unknown',
    what: 'An intent of which nobody knows whether it happened reserves nothing.',
    file: 'src/trader/executor/lifecycle.ts',
    text: "  unknown: { reserves: 'unknown', effect: 'maybe' },",
    replacement: "  unknown: { reserves: null, effect: 'maybe' },",
  },
  {
    name: 'missing-fills-reserve-nothing',
    what: 'Fills that the exchange has shown and that are not booked yet reserve nothing.',
    file: 'src/trader/executor/executor.ts',
    text: "      found.push(reserving(intent, 'resting', left, this.#context.feeSchedule));",
    replacement: '    void [intent, left];',
  },
  {
    name: 'recovery-forgets-signed',
    what: 'A start does not take up what was signed and not settled.',
    file: EXECUTOR,
    text: '      this.#takeUp(this.#context.intents.take(intent, nowMs), nowMs);',
    replacement: `        if (intent.state === 'signed' || intent.state === 'unknown') continue;
        this.#takeUp(this.#context.intents.take(intent, nowMs), nowMs);`,
  },
  {
    name: 'recovery-drafts-again',
    what: 'A start asks for a new draft of what was signed and not settled.',
    file: EXECUTOR,
    text: "      markUncertain(this.#context, inFlight, nowMs, nowMs, 'the trader stopped before the outcome was known');",
    replacement: `        if (inFlight.intent.kind === 'place') {
          const again = ${AGAIN};
          this.#context.intents.move(inFlight, 'recordFailed', nowMs, 'the trader stopped');
          this.#context.ledger.addIntent(again);
          this.#context.queueRequest(this.#context.intents.take(again, nowMs), 'draft', nowMs);
        } else markUncertain(this.#context, inFlight, nowMs, nowMs, 'the trader stopped before the outcome was known');`,
  },
  {
    name: 'signed-is-never-sent',
    what: 'A start takes what was signed for never sent: the crash came between the signature and its answer.',
    file: EXECUTOR,
    text: "      markUncertain(this.#context, inFlight, nowMs, nowMs, 'the trader stopped before the outcome was known');",
    replacement: `        if (inFlight.intent.kind === 'place' && inFlight.intent.state === 'signed')
          this.#context.giveUp(inFlight, 'neverSent', 'unsent', nowMs, 'the trader stopped before it was sent');
        else markUncertain(this.#context, inFlight, nowMs, nowMs, 'the trader stopped before the outcome was known');`,
  },
  {
    name: 'signed-after-all',
    what: 'A draft is signed whatever an operator has said since it was asked for, withdrawn or not.',
    edits: [
      {
        file: 'src/trader/executor/context.ts',
        text: "    if (withdrawn) return 'the intent was withdrawn';",
        replacement: '    void withdrawn;',
      },
      {
        file: 'src/trader/executor/context.ts',
        text: "    return typeof this.placing === 'boolean' ? this.placing : this.placing.onlyStrategy === strategy;",
        replacement: '    return strategy !== null;',
      },
    ],
  },
];
