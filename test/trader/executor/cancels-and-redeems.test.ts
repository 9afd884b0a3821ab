import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import type { RedeemRow } from '../../../src/shared/protocol/records.js';
import { OutboundCheck } from '../../../src/trader/engine/outbound-check.js';
import { answered, fresh, LIFETIME_S, lost, MARKET, m, ONE, POLL_MS, refused, resting, row, unsent } from './script.js';

type Script = ReturnType<typeof fresh>;
const cancelDraft = (s: Script, pubkey = 'order') =>
  s.draftOf(pubkey, { action: 'cancel-order', orderPubkey: 'order' });

/** Returns a script with a resting order and a started cancel, whose submit had this answer if there is one. */
function canceling(submit?: Parameters<Script['answer']>[1]): Script {
  const s = resting();
  s.begin({ kind: 'cancel', intentId: 'c', orderPubkey: 'order', marketConditionId: MARKET });
  if (submit === undefined) return s;
  s.answer('orders.cancel', cancelDraft(s));
  s.answer('orders.cancelSubmit', submit);
  return s;
}

describe('a cancel', () => {
  it('is drafted, signed and submitted, all in the cancel lane, and closes its order', () => {
    const s = canceling();
    expect(s.executor.pendingCancel('order')).toBe('c');
    expect(s.executor.restingOrders()).toMatchObject([{ cancelPending: true }]);
    expect(s.answer('orders.cancel', cancelDraft(s)).lane).toBe('cancel');
    expect(s.answer('orders.cancelSubmit', answered(row('partially_filled_canceled', 4))).lane).toBe('cancel');
    expect([s.state(), s.state('c')]).toEqual(['done', 'done']);
    expect(s.heard()).toEqual(['orderClosed', 'cancelDone']);
    expect(s.executor.pendingCancel('order')).toBeNull();
  });

  it('for an order that has one under way is an assertion', () => {
    const s = canceling();
    const again = { kind: 'cancel', intentId: 'c2', orderPubkey: 'order', marketConditionId: MARKET } as const;
    expect(() => s.begin(again)).toThrow(AssertionFailed);
  });

  it('that is refused because its order is over makes the order be read', () => {
    const s = canceling();
    s.answer('orders.cancel', refused('order_not_cancelable'));
    expect(s.state('c')).toBe('refused');
    s.readAfter(1, 'filled', 10);
    expect(s.state()).toBe('done');
    expect(s.heard()).toEqual(['notDone', 'orderClosed']);
  });

  it('whose draft is lost can be begun anew at once: it locks nothing', () => {
    const s = canceling();
    s.answer('orders.cancel', lost);
    expect(s.state('c')).toBe('expired');
    expect(s.executor.pendingCancel('order')).toBeNull();
  });

  it.each(['order', 'draft'])('without an answer is sent again while order and %s live', (pubkey) => {
    const s = canceling();
    s.answer('orders.cancel', cancelDraft(s, pubkey));
    const first = s.answer('orders.cancelSubmit', lost);
    s.readAfter(500, 'open');
    s.wait(2_000);
    const second = s.take('orders.cancelSubmit');
    expect(second.call).toEqual(first.call);
    new OutboundCheck(s.ledger).check(second.call, second.owner);
    s.report(second, answered(row('canceled')));
    expect(s.heard()).toEqual(['orderClosed', 'cancelDone']);
  });

  it('that never left is sent again: unlike a quote it does not grow stale', () => {
    const s = canceling(unsent);
    s.wait(500);
    expect(s.out).toEqual(['orders.cancelSubmit']);
  });

  it.each([
    ['was lost', lost, 'unknown'],
    ['never left', unsent, 'signed'],
  ] as const)('whose submit %s lapses at the second look past its draft’s expiry', (_, submit, state) => {
    const s = canceling(submit);
    s.readAfter((LIFETIME_S + 2) * 1000, 'open');
    expect(s.state('c')).toBe(state);
    s.readAfter(POLL_MS, 'open');
    expect([s.state(), s.state('c')]).toEqual(['live', 'expired']);
    expect(s.executor.pendingCancel('order')).toBeNull();
  });

  it('that is accepted while the order still rests is looked at until it is gone', () => {
    const s = canceling(answered(row('open')));
    expect(s.state('c')).toBe('unknown');
    s.readAfter(500, 'canceled');
    expect(s.state('c')).toBe('done');
  });

  it('ends with its order, wherever it stands', () => {
    const s = canceling();
    const draft = s.take('orders.cancel');
    s.wait(1_000);
    s.list([]);
    s.readAfter(1, 'filled', 10);
    expect(s.state('c')).toBe('done');
    s.report(draft, cancelDraft(s));
    expect(s.state('c')).toBe('done');
    expect(s.out).toEqual([]);
  });

  it('works for an order that this ledger never made', () => {
    const s = fresh();
    s.begin({ kind: 'cancel', intentId: 'c', orderPubkey: 'stranger', marketConditionId: MARKET });
    s.answer('orders.cancel', s.draftOf('stranger', { action: 'cancel-order', orderPubkey: 'stranger' }));
    s.answer('orders.cancelSubmit', lost);
    s.readAfter(500, 'open', 0, 'stranger');
    s.wait(2_000);
    s.answer('orders.cancelSubmit', answered(row('canceled', 0, 'stranger')));
    expect(s.state('c')).toBe('done');
  });

  it.each(['other', 'rests'])('whose draft is of the order %s is not signed', (pubkey) => {
    const s = canceling();
    const draft = s.take('orders.cancel');
    s.resting('q', 'rests').heard();
    s.report(draft, s.draftOf(pubkey, { action: 'cancel-order', orderPubkey: pubkey }));
    expect(s.heard()[0]).toBe(pubkey === 'rests' ? 'record_differs' : 'signingRefused');
    expect([s.state('c'), s.out]).toEqual(['expired', []]);
  });

  it('is settled by its order after a restart', () => {
    const s = canceling();
    s.answer('orders.cancel', cancelDraft(s));
    s.take('orders.cancelSubmit');
    s.restart();
    s.answer('orders.detail', answered(row('canceled')));
    expect([s.state(), s.state('c')]).toEqual(['done', 'done']);
  });
});

describe('a redeem', () => {
  const redeemRow = (state: RedeemRow['state'], changes: Partial<RedeemRow> = {}): RedeemRow => ({
    pubkey: 'redeem',
    market_condition_id: MARKET,
    state,
    funds: null,
    onchain_funds: null,
    yes_shares: null,
    no_shares: null,
    message: null,
    created: 1,
    ...changes,
  });
  /** Returns a script whose redeem of 7 YES shares has a draft of this number of YES shares, and NO shares in both. */
  const redeeming = (drafted = 7, noShares = 0): Script => {
    const s = fresh();
    const noMicros = m(noShares * ONE);
    s.begin({ kind: 'redeem', intentId: 'r', marketConditionId: MARKET, yesMicros: m(7 * ONE), noMicros });
    s.answer('redeems.create', s.draftOf('redeem', { action: 'redeem-shares', yes: m(drafted * ONE), no: noMicros }));
    return s;
  };

  it.each(['done', 'completed'] as const)('is over when it is %s, and books what came in', (state) => {
    const s = redeeming();
    expect(s.executor.pendingConversion('redeem', MARKET)).toBe('r');
    const shares = { yes_shares: m(7 * ONE), no_shares: m(0) };
    s.answer('redeems.submit', answered(redeemRow(state, { onchain_funds: m(7 * ONE), ...shares })));
    expect(s.ledger.conversions()).toMatchObject([
      { kind: 'redeem', yesMicros: 7 * ONE, noMicros: 0, cashMicros: 7 * ONE },
    ]);
    expect(s.heard()).toEqual(['redeemDone']);
  });

  it.each([{}, { funds: m(7 * ONE), onchain_funds: m(0) }])('waits for the payment that %o lacks', (unpaid) => {
    const s = redeeming();
    s.answer('redeems.submit', answered(redeemRow('completed', unpaid)));
    expect(s.ledger.conversions()).toEqual([]);
    s.wait(5_000);
    s.answer('redeems.detail', answered(redeemRow('completed', { onchain_funds: m(7 * ONE) })));
    expect(s.ledger.conversions()).toMatchObject([{ yesMicros: 7 * ONE }]);
  });

  it.each([
    [7, 4, null, 0, 'unpaid'],
    [7, 0, null, 0, 'unpaid'],
    [7, 4, 0, 0, 'impossible'],
    [7, 4, 7_000_000, 7_000_000, 'impossible'],
    [7, 4, 3.9, 3.9, 'impossible'],
    [7, 4, 3.999998, 3.999998, 'paid'],
    [7, 4, 4, 4, 'paid'],
    [7, 4, 5.5, 5.5, 'paid'],
    [7, 0, 0, 0, 'paid'],
  ])('of %d YES and %d NO worth %d that paid %d is %s', (yes, no, funds, paid, judged) => {
    const s = redeeming(yes, no);
    const shown = { yes_shares: m(yes * ONE), no_shares: m(no * ONE), onchain_funds: m(paid * ONE) };
    s.answer(
      'redeems.submit',
      answered(redeemRow('completed', { ...shown, funds: funds === null ? null : m(funds * ONE) })),
    );
    const isPaid = judged === 'paid';
    expect(s.ledger.conversions().map(({ cashMicros }) => cashMicros)).toEqual(isPaid ? [paid * ONE] : []);
    expect(s.heard()).toEqual({ unpaid: [], impossible: ['record_differs'], paid: ['redeemDone'] }[judged]);
    if (isPaid) return;
    s.wait(5_000);
    s.answer('redeems.detail', answered(redeemRow('completed', shown)));
    s.wait(5_000);
    s.answer('redeems.detail', answered(redeemRow('completed', { ...shown, onchain_funds: m(7 * ONE) })));
    expect(s.ledger.conversions()).toMatchObject([{ cashMicros: 7 * ONE }]);
    expect(s.heard()).toEqual(['redeemDone']);
  });

  it.each([
    [0, 0, ['redeemDone']],
    [4, 0, ['record_differs']],
    [4, 3.9, ['record_differs', 'redeemDone']],
    [4, 9, ['record_differs']],
  ])('of 7 YES and %d NO that has shown %d for ten minutes is booked unless it must be wrong', (no, paid, events) => {
    const s = redeeming(7, no);
    const shown = { yes_shares: m(7 * ONE), no_shares: m(no * ONE), onchain_funds: m(paid * ONE) };
    s.answer('redeems.submit', answered(redeemRow('completed', shown)));
    for (let waitedMs = 0; waitedMs < 620_000; waitedMs += 5_000) {
      s.wait(5_000);
      if (s.out.includes('redeems.detail')) s.answer('redeems.detail', answered(redeemRow('completed', shown)));
    }
    expect(s.heard()).toEqual(events);
    expect(s.ledger.conversions()).toHaveLength(events.includes('redeemDone') ? 1 : 0);
  });

  it('with a payment above the value of its shares is booked once an operator adopts that payment', () => {
    const s = redeeming();
    const paying = (paid: number) => answered(redeemRow('completed', { onchain_funds: m(paid * ONE) }));
    s.answer('redeems.submit', paying(12));
    expect(s.events).toMatchObject([
      {
        trouble: 'record_differs',
        text: expect.stringContaining('with an impossible payment that `ledger adopt` books'),
      },
    ]);
    for (const redeem of s.executor.disputed) redeem.adoptedMicros = redeem.disputedMicros;
    s.wait(5_000);
    // Another payment than the adopted one is impossible too.
    s.answer('redeems.detail', paying(13));
    expect(s.ledger.conversions()).toEqual([]);
    s.wait(5_000);
    s.answer('redeems.detail', paying(12));
    expect(s.ledger.cash()).toBe(12 * ONE);
    expect([s.ledger.pnl(new Map()).realisedMicros, s.ledger.adopted()]).toEqual([7 * ONE, 5 * ONE]);
    expect([s.state('r'), s.executor.disputed]).toEqual(['done', []]);
  });

  it('is not booked as worth nothing after a step of our clock', () => {
    const [s, unpaid] = [redeeming(), answered(redeemRow('completed', { onchain_funds: m(0) }))];
    s.answer('redeems.submit', unpaid);
    s.wait(3_600_000);
    s.answer('redeems.detail', unpaid);
    expect(s.ledger.conversions()).toEqual([]);
  });

  it('of other shares than the ledger holds is not signed', () => {
    const s = redeeming(8);
    expect(s.state('r')).toBe('abandoned');
    expect(s.heard()).toEqual(['signingRefused']);
  });
});
