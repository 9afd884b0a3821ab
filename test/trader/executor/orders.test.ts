import { describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../../src/shared/protocol/states.js';
import { answered, fresh, LIFETIME_S, lost, m, ONE, POLL_MS, refused, resting, row, trade, unsent } from './script.js';

describe('placing an order', () => {
  it('stores the row, then the draft, then the signature, and only then submits', () => {
    const s = fresh().place();
    expect(s.state()).toBe('intended');
    const draft = s.take('orders.create');
    expect(draft.call.body).toEqual({
      market_condition_id: 'mkt',
      is_yes: true,
      side: 'buy',
      order_type: 'limit',
      price: '0.42',
      amount: '10',
    });
    s.report(draft, s.draft());
    const submit = s.take('orders.submit');
    expect(s.ledger.intent('p')).toMatchObject({
      state: 'signed',
      draftPubkey: 'order',
      signature: submit.call.body.signature,
      submitCount: 1,
      expiresAtS: s.venueS + LIFETIME_S,
    });
    s.report(submit, answered(row('open')));
    expect(s.state()).toBe('live');
    expect(s.heard()).toEqual(['orderOpened']);
    expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'order', cancelPending: false }]);
  });

  it.each([10, 0])('that fills at once is closed by the answer to its submit (%d shown as filled)', (shown) => {
    const s = fresh().submitted(answered(row('filled', shown)));
    expect(s.state()).toBe('done');
    expect(s.heard()).toEqual(['orderClosed']);
    // The order's fill is not booked yet, so its cost is still reserved.
    expect(s.executor.missingFills()).toMatchObject([{ orderPubkey: 'order', missingMicros: 10 * ONE }]);
    expect(s.executor.reservations()).toMatchObject([
      { phase: 'resting', remainingMicros: 10 * ONE, cashMicros: 4_242_000 },
    ]);
    s.trades([trade('t', 10)]);
    expect(s.executor.missingFills()).toEqual([]);
    expect([s.executor.reservations(), s.heard()]).toEqual([[], ['fillBooked']]);
  });

  it.each([
    ['order_insufficient_funds', 400],
    ['throttled', 429],
    ['gringotts_unavailable', 503],
  ])('whose draft is refused as %s ends harmlessly and reserves nothing', (slug, status) => {
    const s = fresh().place();
    s.answer('orders.create', refused(slug, status));
    expect(s.state()).toBe('refused');
    expect(s.heard()).toEqual(['notDone']);
    expect(s.executor.reservations()).toEqual([]);
    s.wait(60_000);
    expect(s.out).toEqual([]);
  });

  it.each([lost, refused('internal_error', 500)])(
    'whose draft answer is lost is never signed, and its locks are waited out on the exchange’s clock',
    (outcome) => {
      const s = fresh().place();
      const draft = s.answer('orders.create', outcome);
      expect(s.state()).toBe('abandoned');
      expect(s.heard()).toEqual(['notDone']);
      s.wait(1_000);
      expect(s.executor.reservations()).toMatchObject([{ phase: 'abandoned', cashMicros: 4_242_000 }]);
      expect(draft.owner).toMatchObject({ kind: 'intent', intentId: 'p' });
      s.wait(60_000);
      expect(s.state()).toBe('abandoned');
      s.wait(70_000);
      expect(s.state()).toBe('expired');
      expect(s.executor.reservations()).toEqual([]);
      expect(s.out).toEqual([]);
    },
  );

  it.each([0, -3_600_000, 3_600_000])(
    'whose draft is lost before the exchange has shown its time lapses by our clock, even if it was set by %d ms',
    (stepMs) => {
      const s = fresh();
      s.nowMs = 10_000_000;
      s.place().answer('orders.create', lost);
      s.nowMs += stepMs;
      for (let waitedS = 0; waitedS < 150; waitedS += 10) {
        if (stepMs === 0) expect(s.state()).toBe('abandoned');
        s.wait(10_000, false);
      }
      s.wait(1, false);
      expect([s.state(), s.executor.reservations()]).toEqual(['expired', []]);
    },
  );

  it('whose draft comes back with the pubkey of another order is given up, loudly', () => {
    const s = resting();
    s.place('q');
    s.answer('orders.create', s.draft('order'));
    expect(s.state('q')).toBe('abandoned');
    expect(s.heard()).toEqual(['record_differs', 'notDone']);
    expect(s.out).toEqual([]);
  });

  it('whose draft says another price is not signed, loudly', () => {
    const s = fresh().place();
    s.answer('orders.create', s.draft('order', { price: m(990_000) }));
    expect(s.state()).toBe('abandoned');
    expect(s.heard()).toEqual(['signingRefused']);
    s.wait((LIFETIME_S + 4) * 1000);
    expect(s.state()).toBe('expired');
    expect(s.ledger.unsettledOrders()).toEqual([]);
  });

  it('whose submit never left is let go: a quote that waited is stale', () => {
    const s = fresh().submitted(unsent);
    expect(s.state()).toBe('abandoned');
    expect(s.heard()).toEqual(['notDone']);
    s.wait(10_000);
    expect(s.out).toEqual([]);
  });
});

describe('a submit without a clear answer', () => {
  it('is settled by reading the record: it rests', () => {
    const s = fresh().submitted(lost);
    expect(s.state()).toBe('unknown');
    expect(s.executor.reservations()).toMatchObject([{ phase: 'unknown', cashMicros: 4_242_000 }]);
    s.readAfter(500, 'open');
    expect(s.state()).toBe('live');
    expect(s.out).toEqual([]);
  });

  it.each(['internal_error', 'invalid_program_call_status', 'order_insufficient_funds'])(
    'and one that answers %s is read before anything is decided, and never drafted again',
    (slug) => {
      const s = fresh().submitted(refused(slug));
      s.answer('orders.detail', answered(row('partially_filled', 3)));
      expect(s.state()).toBe('live');
      expect(s.ledger.order('order')?.filledMicros).toBe(3 * ONE);
    },
  );

  it.each(['order_insufficient_funds', 'order_insufficient_shares', 'order_market_not_open'])(
    'and one that answers %s is over when the record says failed: nothing is reserved or sent again, and why is told',
    (slug) => {
      const s = fresh().submitted(refused(slug));
      s.answer('orders.detail', answered(row('failed')));
      expect(s.state()).toBe('failed');
      expect(s.executor.reservations()).toEqual([]);
      expect(s.events).toMatchObject([{ kind: 'notDone', slug: 'failed', reason: expect.stringContaining(slug) }]);
      expect(s.ledger.intent('p')?.lastReason).toContain(slug);
      s.wait(60_000);
      expect(s.out).toEqual([]);
    },
  );

  it('sends the same signature again while the record waits for it', () => {
    const s = fresh().placed();
    const first = s.take('orders.submit');
    s.report(first, lost);
    s.readAfter(500, 'waiting_to_sign');
    s.wait(2_000);
    const second = s.take('orders.submit');
    expect(second.call).toEqual(first.call);
    expect(s.ledger.intent('p')?.submitCount).toBe(2);
    s.report(second, answered(row('open')));
    expect(s.state()).toBe('live');
  });

  it('waits when it is throttled, and then sends the same signature', () => {
    const s = fresh().placed();
    const first = s.answer('orders.submit', refused('throttled', 429));
    expect(s.out).toEqual([]);
    s.wait(500);
    expect(s.take('orders.submit').call).toEqual(first.call);
  });

  it.each([
    [answered(row('waiting_to_sign')), 60],
    [refused('not_found', 404), 7_200],
  ])('ends when two reads long after its draft’s expiry show no effect of it', (read, lateS) => {
    const s = fresh().submitted(lost);
    const look = (state: string, told = true) => {
      s.report(s.take('orders.detail'), read, told);
      expect(s.state()).toBe(state);
    };
    s.wait((LIFETIME_S + lateS) * 1000);
    // The restart begins the wait by our clock again, so here only the exchange's clock shows the delay.
    s.restart();
    for (const told of [true, true, false, false]) {
      look('unknown', told);
      s.wait(told ? POLL_MS : (lateS + 10) * 1000);
    }
    look('unknown');
    s.wait(POLL_MS + 60_000);
    look('expired');
    expect([s.executor.reservations(), s.ledger.unsettledOrders()]).toEqual([[], []]);
    s.trades([trade('t', 4)]);
    s.readAfter(1, 'partially_filled', 4);
    expect(s.state()).toBe('live');
  });

  it('does not end while a trade shows an effect of it', () => {
    const s = fresh().submitted(lost);
    s.trades([trade('t', 4)]);
    for (const _ of [1, 2, 3]) {
      s.wait(10_000_000);
      s.answer('orders.detail', refused('not_found', 404));
    }
    expect([s.state(), s.executor.reservations()]).toMatchObject(['unknown', [{ remainingMicros: 6 * ONE }]]);
  });

  it('believes an expiry only at the second look, one poll after the first', () => {
    const s = fresh().submitted(lost);
    s.readAfter(500, 'expired');
    expect(s.state()).toBe('unknown');
    s.wait(POLL_MS - 100);
    expect(s.out).toEqual([]);
    s.readAfter(200, 'expired');
    expect(s.state()).toBe('expired');
    expect(s.heard()).toEqual(['notDone']);
    expect(s.executor.reservations()).toEqual([]);
  });

  it('starts counting anew when the record is alive between two looks', () => {
    const s = fresh().submitted(lost);
    for (const status of ['expired', 'waiting_to_sign', 'expired'] as const) {
      s.readAfter(POLL_MS, status);
      // The order's price is too old to be sent again, so the order is only read.
      if (status === 'waiting_to_sign') s.readAfter(POLL_MS, status);
    }
    expect(s.state()).toBe('unknown');
  });

  it('takes an order that was declared expired and then landed', () => {
    const s = fresh().submitted(lost);
    s.readAfter(500, 'expired');
    s.readAfter(POLL_MS, 'open');
    expect(s.state()).toBe('live');
    expect(s.heard()).toEqual(['orderOpened']);
  });

  it('takes back an order that was believed dead and shows up in a list, after reading it, loudly', () => {
    const s = fresh().submitted(lost);
    for (const wait of [500, POLL_MS]) s.readAfter(wait, 'expired');
    expect(s.state()).toBe('expired');
    s.heard();
    s.wait(1_000);
    s.list([row('open')]);
    expect(s.state()).toBe('expired');
    s.readAfter(1, 'open');
    expect(s.state()).toBe('live');
    expect(s.heard()).toEqual(['came_back', 'orderOpened']);
  });

  it('books the fill of an order that was believed dead, and reads the order', () => {
    const s = fresh().submitted(lost);
    for (const wait of [500, POLL_MS]) s.readAfter(wait, 'expired');
    expect(s.state()).toBe('expired');
    s.trades([trade('t1', 10)]);
    expect(s.ledger.fills().map(({ pubkey }) => pubkey)).toEqual(['t1']);
    s.readAfter(10, 'filled', 10);
    expect(s.state()).toBe('done');
    expect(s.ledger.verify()).toEqual([]);
  });

  /** Returns the events when a canceled order rests again after one time and after another time. */
  function undone(s: ReturnType<typeof fresh>, afterMs: number, forMs = 0, ended: OrderStatus = 'canceled') {
    s.wait(1_000);
    s.list([]);
    s.readAfter(1, ended);
    s.wait(afterMs);
    s.list([row('open')]);
    s.readAfter(1, 'open');
    if (forMs > 0) {
      s.wait(forMs);
      s.list([row('open')]);
    }
    return s.heard();
  }

  it('tells once of each order that rests though its cancel was confirmed twice, however often that happens', () => {
    const s = resting();
    expect([undone(s, 1_000), undone(s, 1_000), undone(s, 1_000)]).toEqual([
      // The record may be an outdated copy, which is correct again soon.
      ['orderClosed', 'orderOpened'],
      ['orderClosed', 'cancel_undone', 'orderOpened'],
      ['orderClosed', 'orderOpened'],
    ]);
    expect(s.state()).toBe('live');
  });

  it('tells of one that rests ten seconds after its cancel was confirmed, and of none that rests for less', () => {
    expect(undone(resting(), 10_000)).toEqual(['orderClosed', 'cancel_undone', 'orderOpened']);
    expect(undone(resting(), 1_000, 9_000)).toEqual(['orderClosed', 'orderOpened', 'cancel_undone']);
    expect(undone(resting(), 1_000, 8_000)).toEqual(['orderClosed', 'orderOpened']);
    expect(undone(resting(), 10_000, 0, 'partially_filled_canceled')).toContain('cancel_undone');
  });

  it('keeps looking, seldom, at a record that the exchange says it does not know, and tells once', () => {
    const s = fresh().submitted(lost);
    let looks = 0;
    for (let waited = 0; waited < 600_000; waited += 1_000) {
      s.wait(1_000);
      if (s.out.length === 0) continue;
      s.answer('orders.detail', refused('not_found', 404));
      looks++;
    }
    expect(s.state()).toBe('unknown');
    expect(s.heard()).toEqual(['record_missing']);
    expect(s.executor.reservations()).toMatchObject([{ phase: 'unknown' }]);
    expect(looks).toBeGreaterThan(8);
    expect(looks).toBeLessThan(25);
    s.readAfter(60_000, 'open');
    expect(s.state()).toBe('live');
  });

  it('is settled by a list that shows it while its own answer is still out', () => {
    const s = fresh().placed();
    const submit = s.take('orders.submit');
    s.list([row('open')]);
    expect(s.state()).toBe('live');
    s.report(submit, refused('invalid_program_call_status'));
    expect(s.state()).toBe('live');
    s.answer('orders.detail', answered(row('open')));
    expect(s.heard()).toEqual(['orderOpened']);
  });

  it('is looked at when a fill of it is seen first', () => {
    const s = fresh().submitted(lost);
    s.trades([trade('t', 4)]);
    expect(s.heard()).toEqual(['fillBooked']);
    s.readAfter(1, 'partially_filled', 4);
    expect(s.state()).toBe('live');
  });

  it('does not read a late answer as news: what left before the end was known says nothing of it', () => {
    const s = fresh().resting();
    s.wait(1_000);
    s.list([]);
    const sentMs = s.nowMs;
    s.readAfter(1, 'canceled');
    expect(s.state()).toBe('done');
    s.heard();
    s.list([row('open')], sentMs);
    s.wait(1);
    expect(s.heard()).toEqual([]);
    expect(s.out).toEqual([]);
  });
});

describe('lists of own orders', () => {
  it('never take absence for an end: the order’s own record decides', () => {
    const s = resting();
    s.list([], s.nowMs - 1_000);
    s.wait(1);
    expect(s.out).toEqual([]);
    s.wait(1_000);
    s.list([]);
    expect(s.state()).toBe('live');
    s.readAfter(1, 'canceled');
    expect(s.state()).toBe('done');
    expect(s.heard()).toEqual(['orderClosed']);
  });

  it('tell of an order that this ledger never made, once, even after a restart', () => {
    const s = fresh();
    s.list([row('open', 0, 'stranger')]);
    expect(s.events).toMatchObject([{ text: expect.stringMatching(/ledger: buy 10 YES at 0.42, open, in "/) }]);
    s.list([row('open', 0, 'stranger')]);
    expect(s.heard()).toEqual(['foreign_order']);
    s.restart();
    s.list([row('open', 0, 'stranger')]);
    expect(s.heard()).toEqual([]);
    expect(s.executor.restingOrders()).toEqual([]);
  });

  it('tell nothing of an unknown order that has ended, if the exchange ignores the requested status', () => {
    const s = fresh();
    s.list([row('canceled', 0, 'stranger')]);
    expect(s.heard()).toEqual([]);
  });

  it('tell when an order is not what was asked for', () => {
    const s = resting();
    s.list([row('open', 0, 'order', { price: m(430_000) })]);
    s.list([row('open', 0, 'order', { price: m(430_000) })]);
    expect(s.events).toMatchObject([{ text: expect.stringContaining('"price":"0.43","amount":"10"') }]);
    expect(s.heard()).toEqual(['record_differs']);
  });
});

describe('own trades', () => {
  it('are booked once, oldest first, however often and however deep they are listed', () => {
    const s = fresh().resting();
    s.trades([trade('t2', 3), trade('t1', 2)]);
    s.trades([trade('t3', 1), trade('t2', 3), trade('t1', 2)]);
    expect(s.ledger.fills().map(({ pubkey }) => pubkey)).toEqual(['t3', 't2', 't1']);
    expect(s.ledger.shares('mkt', true)).toBe(6 * ONE);
    expect(s.heard()).toEqual(['orderOpened', 'fillBooked', 'fillBooked', 'fillBooked']);
    expect(s.executor.reservations()).toMatchObject([{ remainingMicros: 4 * ONE }]);
  });

  it('are named as missing while the exchange shows more filled than is booked', () => {
    const s = fresh().resting();
    s.list([row('partially_filled', 6)]);
    s.trades([trade('t1', 2)]);
    expect(s.executor.missingFills()).toMatchObject([{ orderPubkey: 'order', missingMicros: 4 * ONE }]);
    s.restart();
    expect(s.executor.missingFills()).toMatchObject([{ missingMicros: 4 * ONE }]);
  });

  it('are booked when they settle, not when they match; a failed one never, loudly and once', () => {
    const s = resting();
    s.list([row('partially_filled', 5)]);
    s.trades([trade('t2', 3, { state: 'in_process' }), trade('t1', 2, { state: 'created' })]);
    expect(s.ledger.fills()).toEqual([]);
    expect(s.executor.missingFills()).toMatchObject([{ missingMicros: 5 * ONE }]);
    for (let i = 0; i < 2; i++) s.trades([trade('t2', 3, { state: 'failed' }), trade('t1', 2)]);
    expect(s.ledger.fills()).toMatchObject([{ pubkey: 't1', amountMicros: 2 * ONE }]);
    expect(s.executor.missingFills()).toEqual([]);
    expect(s.heard()).toEqual(['fillBooked', 'failed_trade']);
    // The rest fills, and no other fill is booked.
    s.list([row('filled', 10)]);
    s.trades([trade('t3', 5), trade('t2', 3, { state: 'failed' })]);
    expect(s.ledger.fills().map(({ pubkey }) => pubkey)).toEqual(['t3', 't1']);
    expect(s.ledger.verify()).toEqual([]);
  });

  it('of strangers, or with other content than booked, are loud once and change nothing', () => {
    const s = fresh().resting();
    s.trades([trade('t1', 2)]);
    s.heard();
    for (let i = 0; i < 2; i++) {
      s.trades([
        trade('t9', 1, { order: row('open', 0, 'stranger') }),
        trade('t1', 5),
        trade('t8', 1, { order: row('open', 0, 'order', { side: 'sell' }) }),
      ]);
    }
    expect(s.heard().sort()).toEqual(['fill_differs', 'fill_differs', 'foreign_trade']);
    expect(s.ledger.fills()).toMatchObject([{ pubkey: 't1', amountMicros: 2 * ONE }]);
  });

  it('of strangers are kept and told up to twenty a look, and the rest with the next', () => {
    const s = resting();
    const page = Array.from({ length: 50 }, (_, i) => trade(`t${i}`, 1, { order: row('open', 0, `stranger ${i}`) }));
    const told = [1, 2, 3, 4].map(() => {
      s.trades(page);
      return s.heard().length;
    });
    // One more event says that there are further rows.
    expect(told).toEqual([21, 21, 10, 0]);
  });

  it('that complete an order make its record be read', () => {
    const s = fresh().resting();
    s.trades([trade('t1', 10)]);
    s.readAfter(1, 'filled', 10);
    expect(s.state()).toBe('done');
    expect(s.ledger.unsettledOrders()).toEqual([]);
  });

  it('of a venue that lists none are the growth of the filled amount', () => {
    const s = fresh({ own_trades: false }).resting();
    s.list([row('partially_filled', 2)]);
    s.list([row('partially_filled', 2)]);
    s.wait(1_000);
    s.list([]);
    s.readAfter(1, 'filled', 10);
    expect(s.ledger.fills().map(({ pubkey, amountMicros }) => [pubkey, amountMicros])).toEqual([
      ['order@10000000', 8 * ONE],
      ['order@2000000', 2 * ONE],
    ]);
    expect(s.ledger.verify()).toEqual([]);
  });
});

describe('a kill', () => {
  it('leaves stored drafts unsigned', () => {
    const s = fresh().place();
    s.executor.allowed.placing = false;
    s.answer('orders.create', s.draft());
    expect(s.state()).toBe('abandoned');
    expect(s.out).toEqual([]);
  });

  it('sends no signature again, and still settles what may have left', () => {
    const s = fresh().submitted(lost);
    s.executor.allowed.placing = false;
    for (const wait of [500, 5_000, 10_000]) s.readAfter(wait, 'waiting_to_sign');
    s.readAfter(30_000, 'open');
    expect(s.state()).toBe('live');
  });
});

it('after a restart, what was not signed is given up, what was signed is read, what rests is adopted', () => {
  const s = fresh().resting('rests', 'o1');
  s.placed('signed', 'o2');
  s.take('orders.submit');
  s.place('asked');
  s.restart();
  expect([s.state('rests'), s.state('signed'), s.state('asked')]).toEqual(['live', 'unknown', 'abandoned']);
  expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'o1' }]);
  s.answer('orders.detail', answered(row('open', 0, 'o2')));
  s.wait(10);
  s.list([row('open', 0, 'o1'), row('open', 0, 'o2')]);
  expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'o1' }, { orderPubkey: 'o2' }]);
});
