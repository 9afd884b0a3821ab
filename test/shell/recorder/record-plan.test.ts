/** Requests of a recorder, with a venue on virtual time. */

import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../../src/shared/protocol/endpoints.js';
import type { AnyCall, Observation, Outcome, Request } from '../../../src/shared/protocol/seam.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { RecordPlan } from '../../../src/shell/recorder/record.js';
import { bookOf, detailOf } from './capture/world.js';

const profile = readProfile('config/venues/paper.yaml', process.cwd());
const START_MS = Date.UTC(2026, 10, 21);
const LATENCY_MS = 80;
const LIMITS = { public_per_minute: 60, signed_per_minute: 60, bootstrap_per_minute: 10 };
type Phase = DataOf<'markets.detail'>['state'];

/** A venue with these markets, and a recorder that polls it. */
class World {
  readonly markets = new Map<string, Phase>();
  /** Markets whose books change with every poll. */
  readonly moving = new Set<string>();
  isDown = false;
  /** Only the list of markets is answered. */
  isHalfDown = false;
  isListRefused = false;
  readonly asked: { readonly call: AnyCall; readonly atMs: number }[] = [];
  readonly plan: RecordPlan;
  nowMs = START_MS;
  #underWay: { readonly request: Request; readonly dueMs: number }[] = [];

  constructor(markets: readonly string[], settings: Partial<ConstructorParameters<typeof RecordPlan>[0]> = {}) {
    for (const id of markets) this.markets.set(id, 'open');
    const venue = { ...profile, rate_limits: LIMITS, own_trades: true };
    const usual = { profile: venue, share: 1, bookDepth: 100, marketIds: [], credentials: null };
    this.plan = new RecordPlan({ ...usual, ...settings });
  }

  pass(seconds: number): void {
    for (const endMs = this.nowMs + seconds * 1000; this.nowMs < endMs; this.nowMs += 100) {
      this.#give({ kind: 'time', nowMs: this.nowMs });
      for (const { request, dueMs } of this.#underWay.filter(({ dueMs }) => dueMs <= this.nowMs)) {
        this.#underWay = this.#underWay.filter((other) => other.request !== request);
        const outcome = this.#answer(request.call);
        const times = { nowMs: this.nowMs, sentMs: dueMs - LATENCY_MS, venueTimeMs: null, budget: null };
        this.#give({ kind: 'outcome', requestId: request.id, outcome, ...times });
      }
    }
  }

  /** Sets back our clock alone: requests in flight arrive at their true time. */
  setBack(ms: number): void {
    this.nowMs -= ms;
    this.#underWay = this.#underWay.map(({ request, dueMs }) => ({ request, dueMs: dueMs - ms }));
  }

  /** Calls of an endpoint since a given time. */
  count(endpoint: AnyCall['endpoint'], id?: string, sinceMs = 0): number {
    return this.asked.filter(({ call, atMs }) => {
      if (call.endpoint !== endpoint || atMs < sinceMs) return false;
      return (
        id === undefined || ('condition_id' in (call.params as object) && JSON.stringify(call.params).includes(id))
      );
    }).length;
  }

  #give(observation: Observation): void {
    for (const request of this.plan.handle(observation)) {
      this.asked.push({ call: request.call, atMs: this.nowMs });
      this.#underWay.push({ request, dueMs: this.nowMs + LATENCY_MS });
    }
  }

  #answer(call: AnyCall): Outcome {
    if (this.isDown || (this.isHalfDown && call.endpoint !== 'markets.list'))
      return { kind: 'unknown', reason: 'connect ECONNREFUSED', sent: false };
    // The data of each call's own endpoint, which TypeScript cannot relate.
    const answered = (data: unknown): Outcome => ({ kind: 'answered', data: data as never, nextCursor: null });
    switch (call.endpoint) {
      case 'markets.list':
        if (this.isListRefused)
          return { kind: 'refused', status: 400, slug: 'internal_error', message: 'not today', details: [] };
        return answered(
          [...this.markets].filter(([, phase]) => phase === 'open').map(([id]) => ({ condition_id: id })),
        );
      case 'markets.detail': {
        const phase = this.markets.get(call.params.condition_id);
        if (phase === undefined) return { kind: 'refused', status: 404, slug: 'not_found', message: '', details: [] };
        return answered({ ...detailOf(phase), condition_id: call.params.condition_id });
      }
      case 'markets.book': {
        const shift = this.moving.has(call.params.condition_id) ? (Math.floor(this.nowMs / 500) % 30) / 100 : 0;
        return answered(bookOf({ [0.3 + shift]: 10 }, { [0.4 + shift]: 10 }));
      }
      default:
        return answered([]);
    }
  }
}

const SILENT = 'the venue does not answer (connect ECONNREFUSED); the recording has a gap until it answers';
const ids = (count: number) => Array.from({ length: count }, (_, i) => `market-${String.fromCharCode(97 + i)}`);

describe('what a recorder asks', () => {
  it('stays within its share, looks at every market, and most at those that move', () => {
    const world = new World(ids(12));
    world.moving.add('market-c');
    world.pass(600);
    for (let minute = 0; minute < 10; minute++) {
      const from = START_MS + minute * 60_000;
      const within = world.asked.filter(({ atMs }) => atMs >= from && atMs < from + 60_000);
      expect(within.length).toBeLessThanOrEqual(60);
      expect(within.length).toBeGreaterThan(30);
    }
    for (const id of world.markets.keys()) {
      expect(world.count('markets.book', id)).toBeGreaterThan(8);
      expect(world.count('markets.trades', id)).toBeGreaterThan(3);
    }
    const quiet = [...world.markets.keys()].filter((id) => id !== 'market-c');
    const average = quiet.reduce((sum, id) => sum + world.count('markets.book', id), 0) / quiet.length;
    expect(world.count('markets.book', 'market-c')).toBeGreaterThan(2 * average);
  });

  it('is public alone without credentials, and own state too with them', () => {
    const open = new World(ids(2));
    open.pass(120);
    expect(open.asked.filter(({ call }) => !call.endpoint.startsWith('markets.'))).toEqual([]);
    const own = new World(ids(2), { credentials: { apiKey: 'key', secret: 'secret' } });
    own.pass(120);
    expect(own.count('orders.list')).toBeGreaterThan(1);
    expect(own.count('trades.list')).toBeGreaterThan(5);
    expect(own.count('account.assets')).toBe(0);
  });

  it('finds new markets, notices those that pause, come back and end', () => {
    const world = new World(ids(2));
    world.pass(60);
    expect(world.plan.open).toBe(2);
    world.markets.set('market-z', 'open');
    world.pass(60);
    expect(world.plan.open).toBe(3);

    world.markets.set('market-a', 'interrupted');
    world.pass(90);
    expect(world.plan.open).toBe(2);
    expect(world.plan.takeNotices()).toContain('"Will it rain?" is now interrupted');
    const paused = world.nowMs;
    world.pass(120);
    expect(world.count('markets.book', 'market-a', paused)).toBe(0);
    expect(world.count('markets.detail', 'market-a', paused)).toBeGreaterThan(4);
    world.markets.set('market-a', 'open');
    world.pass(60);
    expect(world.plan.open).toBe(3);

    world.markets.set('market-a', 'resolved');
    world.pass(120);
    const over = world.nowMs;
    world.pass(120);
    expect([world.plan.open, world.count('markets.detail', 'market-a', over)]).toEqual([2, 0]);
  });

  it('of named markets is over when none of them is left', () => {
    const world = new World(ids(3), { marketIds: ['market-b', 'nowhere'] });
    world.pass(60);
    expect([world.plan.isOver, world.count('markets.list')]).toEqual([false, 0]);
    expect(world.count('markets.book', 'market-a')).toBe(0);
    expect(world.plan.takeNotices()).toEqual(['the venue has no market nowhere']);
    world.markets.set('market-b', 'resolved');
    world.pass(120);
    expect(world.plan.isOver).toBe(true);
  });

  it.each([
    ['is silent', 'isDown', 300],
    ['answers a look now and then', 'isHalfDown', 600],
  ] as const)('says once that the venue %s, and looks at every book when it is back', (_, trouble, seconds) => {
    const world = new World(ids(4));
    world.pass(60);
    world[trouble] = true;
    world.pass(seconds);
    expect(world.plan.takeNotices()).toEqual([SILENT]);
    world[trouble] = false;
    const back = world.nowMs;
    world.pass(20);
    expect(world.plan.takeNotices()).toEqual(['the venue answers again: the gap of the recording ends']);
    for (const id of world.markets.keys()) expect(world.count('markets.book', id, back)).toBeGreaterThan(0);
  });

  it('says once that the list of markets cannot be read, and why', () => {
    const world = new World(ids(2));
    world.pass(60);
    world.isListRefused = true;
    world.pass(300);
    const text = expect.stringMatching(/^the list of markets cannot be read: internal_error: not today; /);
    expect(world.plan.takeNotices()).toEqual([text]);
    world.isListRefused = false;
    world.pass(120);
    expect(world.plan.takeNotices()).toEqual(['the list of markets can be read again']);
  });

  it('goes on when our clock is set back by an hour', () => {
    const world = new World(ids(2));
    world.pass(60);
    world.setBack(3_600_000);
    world.asked.length = 0;
    world.pass(120);
    expect(world.count('markets.book')).toBeGreaterThan(10);
    expect(world.count('markets.detail')).toBeGreaterThan(1);
  });
});
