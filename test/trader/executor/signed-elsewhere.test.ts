/** Orders that take effect without this trader's signature, because a thief has the key or the exchange needs none. */

import { describe, expect, it } from 'vitest';
import { fresh, m, ONE, row, type Script, trade, unsent } from './script.js';

/** Creates a draft of eleven shares for an intent of ten, which the signer rejects. */
function refused(): Script {
  const s = fresh().place();
  s.answer('orders.create', s.draft('order', { amount: m(11 * ONE) }));
  expect([s.state(), s.heard()]).toEqual(['abandoned', ['signingRefused']]);
  return s;
}

describe('an order whose draft the signer refused', () => {
  it('and that rests all the same is loud, once, and ours to cancel', () => {
    const s = refused();
    for (let looks = 0; looks < 3; looks++) s.list([row('open')]);
    expect(s.heard()).toEqual(['signed_elsewhere', 'orderOpened']);
    expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'order' }]);
    s.restart();
    s.list([row('open')]);
    expect(s.heard()).toEqual([]);
  });

  it('and that is found filled is loud as well', () => {
    const s = refused();
    s.wait(200_000);
    expect(s.state()).toBe('expired');
    s.trades([]);
    s.list([row('open')]);
    s.readAfter(1, 'filled', 10);
    expect(s.heard()).toContain('signed_elsewhere');
  });

  it('and that fills before anything shows it resting is loud with the fill, and read', () => {
    const s = refused();
    s.trades([trade('t', 10)]);
    expect(s.heard()).toEqual(['fillBooked', 'signed_elsewhere', 'orderOpened']);
    s.readAfter(1, 'filled', 10);
    expect(s.heard()).toEqual(['orderClosed']);
    expect(s.ledger.order('order')).toMatchObject({ status: 'filled', filledMicros: 10 * ONE });
    expect(s.state()).toBe('done');
  });

  it('and that fills in part is ours to cancel, also after its draft is over', () => {
    const s = refused();
    s.trades([trade('t', 4)]);
    s.wait(200_000);
    expect(s.executor.restingOrders()).toMatchObject([{ orderPubkey: 'order' }]);
    s.list([row('partially_filled', 4)]);
    expect(s.heard()).toEqual(['fillBooked', 'signed_elsewhere', 'orderOpened']);
  });

  it('and that fills after its draft was waited out is loud though the process ends before it is read', () => {
    const s = refused();
    s.wait(200_000);
    s.trades([trade('t', 10)]);
    s.restart();
    expect(s.heard()).toEqual(['fillBooked', 'fill_differs', 'signed_elsewhere']);
  });

  it('and whose record has expired with something filled is loud', () => {
    const s = refused();
    for (let looks = 0; looks < 2; looks++) {
      s.list([row('expired', 4)]);
      s.wait(3_000);
    }
    expect(s.heard()).toContain('signed_elsewhere');
  });
});

it('an order that was signed here and given up for never sent is not loud for that', () => {
  const s = fresh().submitted(unsent);
  s.heard();
  s.list([row('open')]);
  expect(s.heard()).toEqual(['orderOpened']);
});
