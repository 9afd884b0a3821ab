import { describe, expect, it } from 'vitest';
import { answered, fresh, LIFETIME_S, lost, MARKET, POLL_MS, refused, row, unsent } from './script.js';

const HOUR_MS = 3_600_000;
const DAY_S = 86_400;

describe('a place whose price has grown old', () => {
  it('is not signed when its draft comes late', () => {
    const s = fresh().place();
    s.wait(45_000);
    s.answer('orders.create', s.draft());
    expect(s.state()).toBe('abandoned');
    expect(s.events).toMatchObject([{ kind: 'notDone', slug: 'withdrawn' }]);
    expect(s.out).toEqual([]);
  });

  it('is worthless in the queue from then on', () => {
    const s = fresh().place();
    const begunMs = s.nowMs;
    s.wait(2_000);
    s.answer('orders.create', s.draft());
    expect(s.take('orders.submit').latestMs).toBe(begunMs + 5_000);
  });

  it('is not sent again however often it was throttled, and is read until the exchange says expired', () => {
    const s = fresh().placed();
    let sent = 0;
    for (let waited = 0; waited < LIFETIME_S * 1000; waited += 500) {
      const next = s.out[0];
      if (next === 'orders.submit') sent++;
      if (next === 'orders.submit') s.answer(next, refused('throttled', 429));
      else if (next !== undefined) s.answer(next, answered(row('waiting_to_sign')));
      if (waited >= 6_000) expect(s.out).not.toContain('orders.submit');
      s.wait(500);
    }
    expect(sent).toBeGreaterThan(1);
    expect(s.state()).toBe('signed');
    for (let looks = 0; looks < 10 && s.state() !== 'expired'; looks++) {
      if (s.out.length > 0) s.answer('orders.detail', answered(row('expired')));
      s.wait(10_000);
    }
    expect(s.state()).toBe('expired');
    expect(s.executor.reservations()).toEqual([]);
  });

  it('is not sent again after a crash', () => {
    const s = fresh().submitted(lost);
    s.restart();
    s.answer('orders.detail', answered(row('waiting_to_sign')));
    s.wait(POLL_MS);
    expect(s.out).toEqual(['orders.detail']);
  });
});

describe('the expiry of a draft that comes before the exchange has told any time', () => {
  /** Returns the time in a number of seconds on our clock. */
  const FAR = 2 * LIFETIME_S + 60 + 30;
  const drafted = (leftS: number) => {
    const s = fresh();
    s.nowMs = HOUR_MS;
    s.place();
    const request = s.take('orders.create');
    const ourS = Math.floor((s.nowMs + 10) / 1000);
    s.report(request, s.draft('order', {}, ourS + leftS - s.venueS), false);
    return s;
  };

  it.each([-30, 1, FAR])('is believed when it is %i s away by our own clock', (leftS) => {
    expect(drafted(leftS).out).toEqual(['orders.submit']);
  });

  it.each([FAR + 1, 10 * DAY_S, 1e12])('is refused, loudly, when it is %i s away', (leftS) => {
    const s = drafted(leftS);
    expect([s.state(), s.heard(), s.out]).toEqual(['abandoned', ['signingRefused'], []]);
  });
});

describe('a withdrawal', () => {
  it.each([MARKET, null])('of the market, or all, leaves stored drafts unsigned (%s)', (market) => {
    const s = fresh().place();
    s.ledger.transaction(() => s.executor.withdraw(market, s.nowMs));
    s.answer('orders.create', s.draft());
    expect([s.state(), s.out]).toEqual(['abandoned', []]);
    // Later orders are not affected.
    s.placed('q', 'o2');
    expect(s.out).toEqual(['orders.submit']);
  });

  it('of another market changes nothing', () => {
    const s = fresh().place();
    s.ledger.transaction(() => s.executor.withdraw('other', s.nowMs));
    s.answer('orders.create', s.draft());
    expect(s.out).toEqual(['orders.submit']);
  });

  it('sends no signature again, and lets go what was recalled from the queue before it ever left', () => {
    const s = fresh().placed('p', 'order');
    s.answer('orders.submit', refused('throttled', 429));
    s.placed('q', 'o2');
    const objection = () => s.executor.findObjection('q', 'submit', s.nowMs);
    expect(objection()).toBeNull();
    s.ledger.transaction(() => s.executor.withdraw(null, s.nowMs));
    expect([objection(), s.executor.findObjection('q', 'read', s.nowMs)]).toEqual(['the intent was withdrawn', null]);
    s.answer('orders.submit', unsent);
    s.wait(600);
    expect(s.out).toEqual(['orders.detail']);
    expect([s.state('p'), s.state('q')]).toEqual(['signed', 'abandoned']);
  });
});

it('placing of one strategy only signs its places and no others', () => {
  const s = fresh().place('p');
  s.executor.allowed.placing = { onlyStrategy: 'other' };
  s.answer('orders.create', s.draft());
  expect(s.state()).toBe('abandoned');
  s.executor.allowed.placing = { onlyStrategy: 'maker' };
  s.placed('r', 'o3');
  expect(s.out).toEqual(['orders.submit']);
  s.executor.allowed.placing = { onlyStrategy: 'other' };
  expect(() => s.place('q')).toThrow(/placing is off/);
});

describe('the expiry that a draft names', () => {
  it.each([
    [-1, 'notDone'],
    [0, 'notDone'],
    [2 * LIFETIME_S + 61, 'signingRefused'],
    [400 * DAY_S, 'signingRefused'],
  ])('%d s away prevents the signature, and pauses the market only if it is too late', (seconds, event) => {
    const s = fresh().place();
    const draft = s.take('orders.create');
    // The answer takes 10 ms, so the exchange's clock stays within one second.
    s.report(draft, s.draft('order', {}, seconds));
    expect([s.state(), s.heard(), s.out]).toEqual(['abandoned', [event], []]);
    s.wait((LIFETIME_S + 60 + 5) * 1000);
    expect(s.state()).toBe('expired');
    expect(s.executor.reservations()).toEqual([]);
  });

  it('is believed up to twice the profile’s lifetime and a minute', () => {
    const s = fresh().place();
    s.answer('orders.create', s.draft('order', {}, 2 * LIFETIME_S + 60));
    expect(s.out).toEqual(['orders.submit']);
  });
});

it.each([HOUR_MS, 0])('a cancel is settled within seconds after our clock steps by an hour (ahead %d ms)', (ahead) => {
  const s = fresh().resting();
  s.begin({ kind: 'cancel', intentId: 'c', orderPubkey: 'order', marketConditionId: MARKET });
  s.answer('orders.cancel', s.draftOf('order', { action: 'cancel-order', orderPubkey: 'order' } as const));
  s.nowMs += ahead;
  s.answer('orders.cancelSubmit', lost);
  s.nowMs -= HOUR_MS;
  const steppedMs = s.nowMs;
  let sentAgain = false;
  while (!sentAgain && s.nowMs < steppedMs + 10_000) {
    s.wait(500);
    if (s.out[0] === 'orders.detail') s.answer('orders.detail', answered(row('open')));
    sentAgain = s.out.includes('orders.cancelSubmit');
  }
  expect(sentAgain).toBe(true);
});
