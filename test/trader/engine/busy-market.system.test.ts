/** Reconciliation of an account that trades all the time: own records change between any two requests. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import { Random } from '../../../src/shared/base/random.js';
import type { OrderRow } from '../../../src/shared/protocol/records.js';
import { ONE } from '../ledger/books.js';
import { Account, type Fault, ROUND_LISTS } from './exchange-lists.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Maximum parts of a resting order. */
const PARTS = 400;

let account: Account;

beforeEach(() => (account = new Account()));
afterEach(() => account.close());

/** Fills once a second or faster, of old and of new orders; merges sometimes. */
class Trading {
  readonly #random: Random;
  #resting: OrderRow | null = null;
  #nextMs = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  goOn(on: Account): void {
    if (on.nowMs < this.#nextMs) return;
    this.#nextMs = on.nowMs + 200 + this.#random.below(1_000);
    const draw = this.#random.below(10);
    if (draw < 6) {
      this.#resting ??= on.resting(PARTS * ONE);
      const after = on.fillPart(this.#resting, ONE);
      this.#resting = after.status === 'filled' ? null : after;
    } else if (draw < 9) {
      on.fill('buy', false, ONE);
    } else {
      const free = Math.min(on.ledger.shares('A', true), on.ledger.shares('A', false));
      if (free > 0) on.merge(free, true);
    }
  }
}

const pick = (random: Random) => must(ROUND_LISTS[random.below(ROUND_LISTS.length)], 'list');

/**
 * Trades for this time; rounds on request and at this interval, reads of fills and orders every five seconds. Returns
 * the complete rounds, their longest gap, those with a difference (true or not), and the most requests in one minute.
 */
function trade(on: Account, forMs: number, everyMs: number, faults: () => readonly Fault[]) {
  const endMs = on.nowMs + forMs;
  const tale = { rounds: 0, gapMs: 0, doubts: 0, perMinute: 0 };
  const sent: { readonly atMs: number; readonly count: number }[] = [];
  let [roundMs, doneMs] = [on.nowMs, on.nowMs];
  while (on.nowMs < endMs) {
    if (on.nowMs >= Math.min(roundMs, on.reconciler.againMs)) {
      roundMs = on.nowMs + everyMs;
      const before = on.requests;
      if (on.round(faults())) {
        tale.rounds += 1;
        if (on.reconciler.newest?.differences.length !== 0) tale.doubts += 1;
        tale.gapMs = Math.max(tale.gapMs, on.nowMs - doneMs);
        doneMs = on.nowMs;
      }
      sent.push({ atMs: on.nowMs, count: on.requests - before });
      const lastMinute = sent.filter(({ atMs }) => atMs > on.nowMs - MINUTE_MS);
      tale.perMinute = Math.max(
        tale.perMinute,
        lastMinute.reduce((sum, { count }) => sum + count, 0),
      );
    }
    on.look('fills');
    on.look('orders');
    on.follow();
    on.nowMs += 5 * SECOND_MS;
  }
  return tale;
}

describe('reconciliation of a busy account', () => {
  it('has a complete round every minute of an hour, at a cost that does not grow, and accuses nobody', () => {
    const trading = new Trading(Random.fromSeed(1));
    account.round();
    account.meanwhile = () => trading.goOn(account);
    const tale = trade(account, 60 * MINUTE_MS, MINUTE_MS, () => []);
    expect(account.reconciler.verdict).toBeNull();
    expect(tale.rounds).toBeGreaterThanOrEqual(59);
    expect(tale.gapMs).toBeLessThanOrEqual(2 * MINUTE_MS);
    expect(tale.perMinute).toBeLessThanOrEqual(30);
  });

  it('goes on where every list lags and pages are lost, accuses nobody, and finds what is foreign', () => {
    const random = Random.fromSeed(3);
    const trading = new Trading(random);
    const faults = (): readonly Fault[] => {
      const lost = random.below(3) === 0 ? [{ list: pick(random), kind: 'lost' as const, lagMs: 0 }] : [];
      return [...lost, ...ROUND_LISTS.map((list) => ({ list, kind: 'lags' as const, lagMs: random.below(8_000) }))];
    };
    account.round();
    account.meanwhile = () => trading.goOn(account);
    const tale = trade(account, 20 * MINUTE_MS, MINUTE_MS, faults);
    expect(account.reconciler.verdict).toBeNull();
    expect(tale.gapMs).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(tale.perMinute).toBeLessThanOrEqual(60);
    // A row missing in a stale list is almost never taken for a difference, not even for one round.
    expect(tale.doubts).toBeLessThanOrEqual(1);
    const { pubkey } = account.foreignOrder('canceled');
    trade(account, 5 * MINUTE_MS, MINUTE_MS, faults);
    expect(account.reconciler.verdict).toContain(pubkey);
  });
});
