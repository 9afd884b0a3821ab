import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import { agreementText } from '../../../src/trader/reconcile/differences.js';
import { Reconciler } from '../../../src/trader/reconcile/reconciler.js';
import { times } from '../../support/effort.js';
import { Account, type Fault, ROUND_LISTS } from '../engine/exchange-lists.js';
import { fillOf, m, ONE } from '../ledger/books.js';

let account: Account;

beforeEach(() => (account = new Account()));
afterEach(() => account.close());

/** Time that is long enough for a second read, and for young rows to become old, ms. */
const LATER_MS = 40_000;

function rounds(on: Account, count: number, faults: readonly Fault[] = []): void {
  for (let i = 0; i < count; i++) {
    on.nowMs += LATER_MS;
    on.round(faults);
  }
}

const fault: fc.Arbitrary<Fault> = fc.record({
  list: fc.constantFrom(...ROUND_LISTS),
  kind: fc.constantFrom('lags', 'lost', 'row twice', 'cursor twice'),
  lagMs: fc.integer({ min: 0, max: 8_000 }),
});
const lots = fc.integer({ min: 1, max: 3 });
const fill = fc.record({ what: fc.constant('fill' as const), isYes: fc.boolean(), sells: fc.boolean(), lots });
const round = fc.record({ what: fc.constant('round' as const), faults: fc.array(fault, { maxLength: 1 }) });
const happening = fc.oneof(
  { weight: 3, arbitrary: fill },
  fc.record({ what: fc.constantFrom('merge', 'redeem', 'canceled', 'fills seen', 'restart') }),
  fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 500, max: 30_000 }) }),
  { weight: 2, arbitrary: round },
);
type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

const held = (on: Account, outcome: string) =>
  on.moves.filter((move) => move.outcome === outcome).reduce((sum, { amount }) => sum + amount, 0);

function happen(on: Account, one: Happening): void {
  switch (one.what) {
    case 'fill': {
      const sells = one.sells && held(on, one.isYes ? 'A YES' : 'A NO') >= one.lots * ONE;
      on.fill(sells ? 'sell' : 'buy', one.isYes, one.lots * ONE);
      return;
    }
    case 'merge': {
      // Like the trader, the test only sells shares whose fills it has booked.
      const free = Math.min(on.ledger.shares('A', true), on.ledger.shares('A', false));
      if (free > 0) on.merge(free, true);
      return;
    }
    case 'redeem':
      on.redeem(true);
      return;
    case 'canceled':
      return on.canceled();
    case 'fills seen':
      return on.look('fills');
    case 'restart':
      return on.restart();
    case 'pass':
      on.nowMs += one.ms;
      return;
    case 'round':
      on.round(one.faults);
  }
}

function withAccount(work: (on: Account) => void): void {
  const on = new Account();
  try {
    work(on);
  } finally {
    on.close();
  }
}

/** Changes a booked trade at the exchange. Returns the subject of the difference. */
function alteredFill(on: Account, change: { readonly amount?: Micros; readonly price?: Micros }): string {
  const row = on.fill('buy', true, 2 * ONE);
  on.look('fills');
  on.trades.rows[0] = { row: { ...row, ...change }, sinceMs: on.nowMs };
  return `fill ${row.pubkey}`;
}

/** Ways to cause a difference. Each returns the expected subject of the difference. */
const FOREIGN: Readonly<Record<string, (on: Account) => string>> = {
  'a foreign order that rests': (on) => `order ${on.foreignOrder('open').pubkey}`,
  'a foreign order that came and went': (on) => `order ${on.foreignOrder('canceled').pubkey}`,
  'a foreign trade': (on) => `fill ${on.trade(on.foreignOrder('filled'), ONE).pubkey}`,
  'shares bought and sold again elsewhere': (on) => {
    on.trade(on.foreignOrder('filled'), ONE);
    return `fill ${on.trade({ ...on.foreignOrder('filled'), side: 'sell' }, ONE).pubkey}`;
  },
  'a foreign merge': (on) => `merge ${on.merge(ONE, false).pubkey}`,
  'a foreign split': (on) => `split ${on.split(ONE).pubkey}`,
  'a foreign redeem': (on) => `redeem ${on.redeem(false).pubkey}`,
  'shares drawn off': (on) => {
    on.moves.push({ outcome: 'A YES', amount: -ONE, sinceMs: on.nowMs });
    return 'position A YES';
  },
  'a wrong amount of a fill': (on) => alteredFill(on, { amount: m(ONE) }),
  'a wrong price of a fill': (on) => alteredFill(on, { price: m(410_000) }),
  'a wrong amount of an order': (on) => {
    on.canceled();
    const [{ row, sinceMs }] = on.orders.rows as [(typeof on.orders.rows)[number]];
    on.orders.rows[0] = { row: { ...row, amount: m(7) }, sinceMs };
    return `order ${row.pubkey}`;
  },
  'a fill that is missing': (on) => {
    const row = on.fill('buy', true, ONE);
    on.trades.rows = on.trades.rows.filter((listed) => listed.row !== row);
    on.restart();
    return `fill ${row.order.pubkey} up to 1`;
  },
  'a fill that never happened': (on) => {
    const { order } = on.fill('buy', true, ONE);
    on.look('fills');
    const pubkey = on.name('invented');
    const fill = fillOf({ pubkey, orderPubkey: order.pubkey ?? '', marketConditionId: 'A', amountMicros: m(ONE) });
    on.ledger.transaction(() => on.ledger.bookFill({ ...fill, seenMs: on.nowMs }));
    return `fill ${pubkey}`;
  },
};

/** Fills an own purchase, which the first reader books. */
function fillAndBook(isYes: boolean, amount: number) {
  const row = account.fill('buy', isYes, amount);
  account.look('fills');
  return row;
}

/** Accepts all differences as an operator's command does. */
const accept = () => account.ledger.transaction(() => account.reconciler.accept(account.nowMs, 'seen'));

/** Adopts as an operator's command does. Every share without a record is booked at 0.4. */
function adopt(reason = 'restored') {
  return account.ledger.transaction(() => {
    const plan = account.reconciler.planAdoption();
    if (typeof plan === 'string') return plan;
    for (const outcome of plan) {
      const restWorthMicros = micros(outcome.restMicros * 0.4);
      account.ledger.adopt({ ...outcome, restWorthMicros }, reason, account.nowMs);
    }
    account.endWaits();
    account.reconciler.onAdopted(account.nowMs);
    return plan.length;
  });
}

const heldNow = () =>
  account.ledger.positions().map(({ isYes, sharesMicros }) => `${sharesMicros / ONE} ${isYes ? 'YES' : 'NO'}`);

/** Checks that nothing differs, and that no difference was confirmed. */
const expectAgreement = () =>
  expect([account.reconciler.verdict, account.reconciler.newest?.differences]).toEqual([null, []]);

describe('reconciliation', () => {
  it('reports no difference if lists lag, lose pages, repeat rows or cursors', () => {
    const story = fc.array(happening, { minLength: 5, maxLength: 60 });
    fc.assert(
      fc.property(story, (happenings) =>
        withAccount((on) => {
          on.round();
          for (const one of happenings) {
            happen(on, one);
            expect(on.reconciler.verdict).toBeNull();
          }
          rounds(on, 3);
          expect([on.reconciler.verdict, on.reconciler.newest?.differences]).toEqual([null, []]);
        }),
      ),
      { numRuns: times(40, 80) },
    );
  });

  it.each(ROUND_LISTS)('reports no difference while %s always lag and records change', (list) => {
    account.round();
    for (let i = 0; i < 20; i++) {
      account.fill('buy', true, ONE);
      account.canceled();
      account.look('fills');
      account.nowMs += 5_000;
      // A fill of the fifth round comes while its lists are read.
      const meanwhile = () => i % 5 === 4 && account.fill('buy', false, ONE);
      expect(account.round([{ list, kind: 'lags', lagMs: 8_000 }], meanwhile)).toBe(true);
      account.nowMs += 7_000;
      if (i % 4 === 3) happen(account, { what: 'merge' });
      if (i % 4 === 3) account.redeem(true);
      expect(account.reconciler.verdict).toBeNull();
    }
    rounds(account, 2);
    expect(account.reconciler.newest?.differences).toEqual([]);
  });

  it.each(Object.keys(FOREIGN))('finds %s in two rounds after any history', (kind) => {
    const story = fc.array(happening, { maxLength: 20 });
    fc.assert(
      fc.property(story, (happenings) =>
        withAccount((on) => {
          rounds(on, 1);
          for (const one of happenings) happen(on, one);
          rounds(on, 2);
          const subject = FOREIGN[kind]?.(on);
          rounds(on, 2);
          expect(on.reconciler.verdict).toContain(`${subject}:`);
        }),
      ),
      { numRuns: times(5, 10) },
    );
  });

  it('reads each booked merge once for the list of splits', () => {
    for (let i = 0; i < 4; i++) {
      account.fill('buy', true, ONE);
      fillAndBook(false, ONE);
      happen(account, { what: 'merge' });
      rounds(account, 2);
    }
    const read = vi.spyOn(account.ledger, 'conversionsAfter');
    rounds(account, 2);
    expect(read.mock.results.flatMap(({ value }) => value)).toEqual([]);
    expect(account.ledger.conversionsAfter(0)).toHaveLength(4);
  });

  it('adopts nothing before a second round, without a list, or while shares are in flight', () => {
    expect(adopt()).toBe('ledger and exchange are not compared yet');
    rounds(account, 1);
    account.moves.push({ outcome: 'A YES', amount: ONE, sinceMs: account.nowMs });
    rounds(account, 1);
    expect(adopt()).toContain('not yet confirmed by a second comparison');
    rounds(account, 1);
    rounds(account, 1, [{ list: 'trades', kind: 'lost', lagMs: 0 }]);
    expect(adopt()).toContain('the newest comparison was discarded');
    rounds(account, 1);
    fillAndBook(true, 5 * ONE);
    expect(adopt()).toBe('shares of A YES are in flight');
    expect(heldNow()).toEqual(['5 YES']);
  });

  it('accepts no shares that an unsettled fill explains', () => {
    const order = account.resting(5 * ONE);
    rounds(account, 1);
    account.fillPart(order, 5 * ONE);
    const trade = must(account.trades.rows[0]?.row, 'the trade');
    account.trades.replace(trade, { ...trade, state: 'in_process' }, account.nowMs);
    rounds(account, 3, [{ list: 'orders', kind: 'lags', lagMs: 10 * LATER_MS }]);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange 5');
    account.look('orders');
    account.follow();
    const leftOut = accept();
    // Differences of outdated lists may be skipped, but not the shares of the fill.
    expect(leftOut.map(({ what }) => what)).not.toContain('position');
    account.trades.replace(must(account.trades.rows[0]?.row, 'the trade'), trade, account.nowMs);
    account.look('fills');
    rounds(account, 3);
    expectAgreement();
  });

  it('begins the second count of fills only after the listed trades have settled', () => {
    const settling = account.turn(account.trade(account.resting(ONE), ONE), 'in_process');
    account.orders.rows.shift();
    rounds(account, 1);
    account.turn(settling, 'done');
    rounds(account, 1);
    expectAgreement();
  });

  it('ignores records from before the first round', () => {
    account.foreignOrder('canceled');
    account.trade(account.foreignOrder('filled'), ONE);
    account.merge(ONE, false);
    account.redeem(false);
    rounds(account, 4);
    expectAgreement();
  });

  it('counts the further pages that two rounds in a row took', () => {
    const { reconciler } = account;
    // The number depends on the lists alone, so the second reconciler needs no orders.
    const withoutTrades = new Reconciler(account.ledger, {} as never, false);
    expect([reconciler.requestsARound, withoutTrades.requestsARound]).toEqual([9, 6]);
    for (let i = 0; i < 350; i++) account.canceled();
    account.round();
    expect(reconciler.requestsARound, 'of a long history once').toBe(9);
    for (let i = 0; i < 250; i++) account.canceled();
    rounds(account, 2);
    expect(reconciler.requestsARound, 'orders by three pages twice').toBe(11);
    rounds(account, 2);
    account.requests = 0;
    account.nowMs += LATER_MS;
    expect(account.round()).toBe(true);
    // A round needs requests for seven lists, and later reads of orders and fills, also after a long history.
    expect([account.requests, reconciler.requestsARound]).toEqual([9, 9]);
  });
});

describe('reconciliation after its first round', () => {
  beforeEach(() => rounds(account, 1));

  it.each(['lost', 'row twice', 'cursor twice'] as const)('discards a round with a page %s', (kind) => {
    account.fill('buy', true, ONE);
    account.merge(ONE, true);
    account.split(ONE);
    account.redeem(true);
    account.look('fills');
    const before = account.reconciler.newest;
    for (const list of ROUND_LISTS) {
      account.nowMs += LATER_MS;
      expect([list, account.round([{ list, kind, lagMs: 0 }])]).toEqual([list, false]);
      expect(account.reconciler.voidReason).toContain(`${list}: `);
      expect(account.reconciler.againMs).toBeLessThanOrEqual(account.nowMs + 15_000);
    }
    expect(account.reconciler.newest).toEqual(before);
    rounds(account, 1);
    expect([account.reconciler.voidReason, account.reconciler.newest?.differences.length]).toEqual([null, 3]);
  });

  it('is not complete while a difference is neither gone nor confirmed', () => {
    account.restart();
    account.split(ONE);
    expect(account.round()).toBe(true);
    expect(account.reconciler).toMatchObject({ isComplete: false, isInDoubt: true, verdict: null });
    // This read is too early to count as another read.
    account.round();
    expect(account.reconciler.isComplete).toBe(false);
    expect(account.reconciler.againMs).toBeLessThanOrEqual(account.nowMs + 10_000);
    rounds(account, 1);
    expect(account.reconciler).toMatchObject({ isComplete: true, isInDoubt: false });
  });

  it('reports a difference once, and still knows it after a restart', () => {
    const { pubkey } = account.split(ONE);
    rounds(account, 4);
    const loud = account.reconciler.takeNews().filter((news) => news.loud);
    expect(loud.filter(({ text }) => text.includes(pubkey))).toHaveLength(1);
    account.restart();
    expect(account.reconciler.verdict).toBeNull();
    rounds(account, 1);
    expect(account.reconciler.verdict).toContain(pubkey);
    expect(account.reconciler.isComplete).toBe(true);
  });

  it('drops a difference that is gone, and says so', () => {
    account.moves.push({ outcome: 'A YES', amount: ONE, sinceMs: account.nowMs });
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange 1');
    account.moves.push({ outcome: 'A YES', amount: -ONE, sinceMs: account.nowMs });
    rounds(account, 1);
    expect(account.reconciler.verdict).toBeNull();
    expect(account.reconciler.takeNews().at(-1)?.text).toBe('ledger and exchange agree again');
  });

  it.each(Object.keys(FOREIGN))('skips %s after it was accepted, and books nothing', (kind) => {
    FOREIGN[kind]?.(account);
    rounds(account, 2);
    const held = account.ledger.positions();
    accept();
    expect(account.reconciler.verdict).toBeNull();
    // The sums are recorded again, because younger rows still change them.
    rounds(account, 3);
    accept();
    account.restart();
    rounds(account, 3);
    expect(account.reconciler.verdict).toBeNull();
    expect(account.ledger.positions()).toEqual(held);
    // The difference is skipped although it still exists.
    const { accepted, newest } = account.reconciler;
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.every(({ reason }) => reason === 'seen')).toBe(true);
    expect(agreementText(newest?.differences.length ?? 0, accepted)).toMatch(
      /^ledger and exchange agree except for [1-9]\d* accepted differences? since 20.* UTC \(seen\)$/,
    );
    const { pubkey } = account.split(ONE);
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain(pubkey);
  });

  it('adopts what the exchange holds: at the price of its trades, and what has no record without cash', () => {
    fillAndBook(true, 10 * ONE);
    rounds(account, 4);
    const cash = account.ledger.cash();
    account.trade({ ...account.foreignOrder('filled'), amount: m(5 * ONE), filled_amount: m(5 * ONE) }, 5 * ONE);
    account.moves.push({ outcome: 'A NO', amount: 3 * ONE, sinceMs: account.nowMs });
    rounds(account, 4);
    expect(account.reconciler.verdict).toContain('position A NO: ledger 0, exchange 3');
    expect(adopt()).toBe(2);
    expect(heldNow()).toEqual(['3 NO', '15 YES']);
    // The ledger lacks five shares at 0.4, for which the exchange has a trade.
    expect(account.ledger.cash() - cash).toBe(-2 * ONE);
    expect(account.ledger.adopted()).toBe(1.2 * ONE);
    expect(account.ledger.verify()).toEqual([]);
    account.restart();
    rounds(account, 3);
    expect([account.reconciler.verdict, account.reconciler.accepted, adopt('again')]).toEqual([null, [], 0]);
  });

  it('adopts with its cash a trade that follows an accepted one', () => {
    fillAndBook(true, 10 * ONE);
    rounds(account, 4);
    const cash = account.ledger.cash();
    for (const shares of [5, 2]) {
      const amount = m(shares * ONE);
      account.trade({ ...account.foreignOrder('filled'), amount, filled_amount: amount }, shares * ONE);
      rounds(account, 4);
      if (shares === 5) accept();
      rounds(account, 3);
    }
    adopt();
    expect([heldNow(), account.ledger.cash() - cash]).toEqual([['17 YES'], -2.8 * ONE]);
  });

  it('adopts with its cash a foreign merge that settles after more than an hour', () => {
    for (const isYes of [true, false]) fillAndBook(isYes, 10 * ONE);
    account.merge(0, true);
    rounds(account, 4);
    const [cash, merge] = [account.ledger.cash(), account.merge(4 * ONE, false)];
    const stuck = { ...merge, state: 'in_process', onchain_amount: null } as const;
    account.merges.replace(merge, stuck, account.nowMs);
    account.nowMs += 3_700_000;
    account.merge(0, true);
    rounds(account, 15);
    account.merges.replace(stuck, merge, account.nowMs);
    rounds(account, 3);
    expect([adopt(), heldNow(), account.ledger.cash() - cash]).toEqual([2, ['6 NO', '6 YES'], 4 * ONE]);
  });

  it('accepts and adopts no holdings that one round read differently', () => {
    account.moves.push({ outcome: 'A YES', amount: ONE, sinceMs: account.nowMs });
    rounds(account, 2);
    // A list without its newest row shows no shares once. The next round shows them again.
    account.moves.push({ outcome: 'A YES', amount: -6 * ONE, sinceMs: account.nowMs });
    rounds(account, 1);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange -5');
    expect(account.reconciler.planAdoption()).toBe('a difference is not yet confirmed by a second comparison');
    expect(accept()).toEqual([]);
    account.moves.pop();
    rounds(account, 3);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange 1');
    account.restart();
    rounds(account, 1);
    expect(accept(), 'the gap that two rounds of the earlier process found').toHaveLength(1);
  });

  it.each(Object.keys(FOREIGN))('adopts %s after it was accepted, and once only', (kind) => {
    const subject = FOREIGN[kind]?.(account);
    rounds(account, 3);
    accept();
    rounds(account, 3);
    adopt();
    account.restart();
    rounds(account, 3);
    const { newest, accepted } = account.reconciler;
    // A resting order that was not signed here is not a holding, so it still differs.
    const resting = newest?.differences.filter(({ exchange }) => exchange.includes(', open,')) ?? [];
    expect([newest?.differences, adopt('again')]).toEqual([resting, 0]);
    // A booked trade keeps its figures in the ledger, so its difference is still accepted.
    const isKept = subject !== undefined && account.ledger.fill(subject.replace('fill ', '')) !== null;
    expect(accepted.map(({ what, subject: pubkey }) => `${what} ${pubkey}`)).toEqual(isKept ? [subject] : []);
    expect(account.ledger.verify()).toEqual([]);
  });

  it.each(['0 0 120', '120'])('an adoption waits for a fill of an unsettled trade (%s newer)', (phases) => {
    const settling = account.turn(account.fill('buy', true, 10 * ONE), 'in_process');
    account.moves.pop();
    account.restart();
    rounds(account, 3);
    expect(adopt(), 'the shares are listed before the trade settles').toBe('shares of A YES are in flight');
    account.moves.pop();
    for (const newer of phases.split(' ').map(Number)) {
      account.nowMs += 31_000 * newer;
      for (let i = 0; i < newer; i++) account.fill('buy', false, ONE);
      rounds(account, 6);
      const missing = 'up to 10: ledger 10 shares not booked, exchange filled';
      expect([account.reconciler.isLacking, adopt()]).toEqual([false, 0]);
      expect(account.reconciler.verdict, 'an adoption ends no wait').toContain(missing);
    }
    account.moves.push({ outcome: 'A YES', amount: 10 * ONE, sinceMs: account.nowMs });
    rounds(account, 3);
    expect(adopt(), 'the mark has passed the trade').toBe('shares of A YES are in flight');
    account.trades.replace(settling, { ...settling, state: 'done' }, account.nowMs);
    rounds(account, 3);
    expectAgreement();
    expect([heldNow(), account.ledger.unsettledOrders()]).toEqual([['120 NO', '10 YES'], []]);
  });

  it('an adoption still waits for a fill of an order that is open', () => {
    const order = account.fillPart(account.resting(10 * ONE), 4 * ONE);
    const [trade] = account.trades.rows.splice(0);
    account.restart();
    account.follow();
    rounds(account, 4);
    expect(account.reconciler.verdict).toContain(`fill ${order.pubkey} up to 4`);
    expect(adopt()).toBe('shares of A YES are in flight');
    account.trades.add(must(trade, 'trade').row, account.nowMs);
    rounds(account, 3);
    expectAgreement();
    expect(account.ledger.unsettledOrders()).toMatchObject([{ bookedMicros: 4 * ONE, failedMicros: 0 }]);
  });

  it.each([
    ['redeem', 'fills seen', false],
    ['redeem', 'accepted', true],
    ['a wrong price of a fill', 'fills seen', false],
    ['a fill that never happened', 'fills seen', false],
  ])('an adoption does not hide the booked figures of %s (%s)', (kind, _how, isAccepted) => {
    let subject = '';
    if (kind === 'redeem') {
      const row = account.redeem(true);
      const paid = { ...row, funds: m(ONE), onchain_funds: m(ONE), yes_shares: m(ONE) };
      account.redeems.replace(row, paid, account.nowMs);
      subject = `redeem ${row.pubkey}`;
    } else subject = FOREIGN[kind]?.(account) ?? '';
    rounds(account, 3);
    if (isAccepted) accept();
    rounds(account, 3);
    expect(adopt()).not.toBeTypeOf('string');
    for (const restarts of [false, true]) {
      const { newest, accepted } = account.reconciler;
      const listed = isAccepted ? accepted : (newest?.differences ?? []);
      expect(listed.map(({ what, subject: pubkey }) => `${what} ${pubkey}`)).toContain(subject);
      expect(account.reconciler.isLacking).toBe(false);
      expect(agreementText(newest?.differences.length ?? 0, accepted)).toMatch(
        isAccepted ? / except for / : / differ in /,
      );
      if (restarts) account.restart();
      rounds(account, 3);
    }
  });

  it('a redeem that was booked for 0, because its record shows no value, is no difference', () => {
    const row = account.redeem(true);
    const [booked] = account.ledger.conversions();
    const shown = { ...row, funds: null, onchain_funds: booked?.cashMicros ?? null, yes_shares: m(0), no_shares: m(9) };
    account.redeems.rows[0] = { row: shown, sinceMs: 0 };
    rounds(account, 3);
    expect([booked?.cashMicros, account.reconciler.verdict]).toEqual([0, null]);
  });

  it('drops an accepted difference that no longer exists', () => {
    account.moves.push({ outcome: 'A YES', amount: ONE, sinceMs: account.nowMs });
    rounds(account, 2);
    accept();
    rounds(account, 2);
    expect(account.reconciler.accepted).toMatchObject([{ what: 'position', ledger: '0', exchange: '1' }]);
    account.moves.push({ outcome: 'A YES', amount: -ONE, sinceMs: account.nowMs });
    rounds(account, 2);
    // The skipped row is now missing from the list, which is a separate difference.
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange -1');
    accept();
    rounds(account, 2);
    expect([account.reconciler.verdict, account.reconciler.accepted]).toEqual([null, []]);
  });

  /** Hides a trade of 2 shares from the first reader, and checks that the second one finds it. */
  function hideTrade(within = 2) {
    account.hiddenFromFirst = account.fill('buy', true, 2 * ONE).pubkey;
    account.moves.pop();
    rounds(account, within);
    expect(account.reconciler.verdict).toContain('sum A YES buy: ledger');
  }

  it('one trade from the future does not make every round read all later trades', () => {
    rounds(account, 2);
    const row = account.fill('buy', true, ONE);
    account.trades.replace(row, { ...row, timestamp: row.timestamp + 400 * 86_400 }, account.nowMs);
    for (let i = 0; i < 150; i++) fillAndBook(true, ONE);
    rounds(account, 8);
    expectAgreement();
    expect(account.reconciler.requestsARound).toBe(9);
    hideTrade(8);
  });

  it.each([0, 3])('a trade and a merge that stay unsettled hold the marks for an hour (%i rounds before)', (before) => {
    account.fill('buy', true, ONE);
    rounds(account, before);
    const trade = account.turn(account.fill('buy', true, 2 * ONE), 'in_process');
    const draft = account.merge(0, false);
    account.merges.replace(draft, { ...draft, state: 'waiting_to_sign', onchain_amount: null }, account.nowMs);
    account.restart();
    account.nowMs += 3_700_000;
    for (let i = 0; i < 120; i++) {
      fillAndBook(true, ONE);
      account.merge(0, true);
    }
    rounds(account, 8);
    expect(account.reconciler.requestsARound).toBe(9);
    account.book('merge', draft.pubkey, 'A', 0);
    account.turn(trade, 'done');
    rounds(account, 4);
    expectAgreement();
    hideTrade();
  });

  it.each([130, 1_000, -2_000_000_000])('a second reader agrees on a fill whose listed time is %i s off', (offS) => {
    account.fill('buy', true, ONE);
    rounds(account, 5);
    const row = account.fill('buy', true, ONE);
    account.trades.replace(row, { ...row, timestamp: row.timestamp + offS }, account.nowMs);
    for (const waitS of [1, 11, 12, 15, 40, 70, 30]) {
      account.nowMs += waitS * 1000;
      account.round();
      expectAgreement();
    }
    hideTrade();
  });

  describe.each([
    ['failed', 'done'],
    ['done', 'failed', 'done'],
    ['done', 'in_process', 'done'],
    ['failed', 'done', 'failed', 'done', 'failed'],
  ] as const)('a trade that is listed as %s, %s …', (...states) => {
    it.each([0, 1, 2, 3])('is no difference, nor hides one, with %i rounds between its turns', (between) => {
      account.fill('buy', true, 3 * ONE);
      rounds(account, between);
      let row = account.fill('buy', true, ONE);
      if (states[0] === 'failed') row = account.turn(row, 'failed');
      for (const state of states.slice(1)) {
        account.look('fills');
        rounds(account, between);
        account.fill('buy', false, ONE);
        row = account.turn(row, state);
        rounds(account, state === 'in_process' ? 3 : 0);
        if (state === 'in_process') account.nowMs += 3_700_000;
      }
      rounds(account, 3);
      expectAgreement();
      hideTrade();
    });
  });

  it.each([1, 10])('a restarted second count waits for a trade that its list lacks, %i rounds old', (age) => {
    const failed = account.turn(account.fill('buy', true, ONE), 'failed');
    account.look('fills');
    rounds(account, 1);
    fillAndBook(false, 2 * ONE);
    account.nowMs += LATER_MS;
    account.turn(failed, 'done');
    account.look('fills');
    account.nowMs += age * LATER_MS;
    account.round([{ list: 'sums', kind: 'lags', lagMs: (age + 2) * LATER_MS }]);
    rounds(account, 4);
    expectAgreement();
  });

  /** A trade is reported as failed while its shares stay, which counts as a difference. Returns its reported row. */
  function failedButHeld() {
    const row = fillAndBook(true, 3 * ONE);
    rounds(account, 2);
    const failed = account.turn(row, 'failed');
    account.moves.push({ outcome: 'A YES', amount: 3 * ONE, sinceMs: account.nowMs });
    account.look('fills');
    rounds(account, 3);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange 3');
    return failed;
  }

  it('compares accepted shares again after their failed trade settles', () => {
    const failed = failedButHeld();
    accept();
    rounds(account, 2);
    expect(account.reconciler.verdict).toBeNull();
    account.turn(failed, 'done');
    account.moves.pop();
    account.look('fills');
    rounds(account, 3);
    account.restart();
    rounds(account, 3);
    expectAgreement();
  });

  it('keeps a difference of sums while a trade changes, until it is accepted', () => {
    account.fill('buy', true, ONE);
    rounds(account, 2);
    hideTrade();
    expect(account.reconciler.verdict).toContain('sum A YES buy: ledger 1 fills, 1 shares for 0.4, fees 0, exchange 2');
    account.turn(account.fill('buy', false, ONE), 'failed');
    account.look('fills');
    rounds(account, 3);
    expect(account.reconciler.verdict).toContain('sum A YES buy');
    account.restart();
    accept();
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain('sum A YES buy');
    accept();
    rounds(account, 3);
    expect(account.reconciler.verdict).toBeNull();
  });

  it('accepts no difference that was booked after its comparison', () => {
    account.moves.push({ outcome: 'A YES', amount: 5 * ONE, sinceMs: account.nowMs });
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain('A YES: ledger 0, exchange 5');
    // The trade that explains the difference appears.
    fillAndBook(true, 5 * ONE);
    account.moves.pop();
    expect(accept()).toEqual([]);
    rounds(account, 3);
    expectAgreement();
  });

  it('accepts no difference that a trade has changed since', () => {
    account.turn(failedButHeld(), 'done');
    account.moves.pop();
    account.look('fills');
    expect([accept(), account.reconciler.verdict]).toEqual([[], null]);
    expect(account.reconciler.takeNews().at(-1)?.text).toContain('not accepted, because its figures are not confirmed');
    rounds(account, 3);
    expectAgreement();
  });

  it('requests a round if an order does not show a booked fill for ten seconds', () => {
    const resting = account.resting(2 * ONE);
    account.trade(resting, ONE);
    account.orders.rows.shift();
    account.look('fills');
    expect(account.ledger.order(resting.pubkey ?? '')?.bookedMicros).toBe(ONE);
    const look = (waitMs: number) => {
      account.nowMs += waitMs;
      account.look('orders');
      return account.reconciler.againMs;
    };
    expect([look(0), look(5_000), look(4_000)], 'within what lists lag').toEqual(Array(3).fill(Infinity));
    expect(look(2_000)).toBeLessThanOrEqual(account.nowMs);
    account.round();
    account.nowMs += 11_000;
    account.round();
    expect(account.reconciler.verdict).toContain(`order ${resting.pubkey}`);

    const lagging = account.resting(2 * ONE);
    const grown = account.fillPart(lagging, ONE);
    account.look('fills');
    account.orders.replace(grown, lagging, account.nowMs);
    look(9_000);
    account.orders.replace(lagging, grown, account.nowMs);
    const beforeMs = account.reconciler.againMs;
    expect([look(5_000), look(20_000)]).toEqual([beforeMs, beforeMs]);
  });

  it('reads each row in two rounds, so it finds a row that one answer lacks', () => {
    const { pubkey } = account.foreignOrder('canceled');
    account.hiddenFromFirst = pubkey;
    account.canceled();
    rounds(account, 1);
    account.hiddenFromFirst = null;
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain(`order ${pubkey}`);
  });

  it('reports a list that lacks all its earlier rows', () => {
    account.redeem(true);
    rounds(account, 3);
    account.redeems.rows = [];
    rounds(account, 2);
    expect(account.reconciler.verdict).toContain('list redeems: ledger last seen: redeem1');
  });
});
