import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import type { Scope } from '../../../src/shared/protocol/endpoints.js';
import { describeOwner } from '../../../src/shared/protocol/request-owner.js';
import { type BudgetReport, LANES, type Lane, type PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { cancelReserve } from '../../../src/trader/scheduler/budget.js';
import { MAX_IN_FLIGHT_WITH_CANCELS, RequestQueue } from '../../../src/trader/scheduler/request-queue.js';
import { times } from '../../support/effort.js';
import { forAll } from '../for-all.js';
import { ANSWERED, answer, askOf, LIMITS, THROTTLED, World } from './world.js';

const MAX_IN_FLIGHT_PER_SCOPE = 6;
const MAX_IN_FLIGHT = 8;
const MAX_WAITING = 512;
const nameOf = ({ owner }: Pick<PlannedRequest, 'owner'>): string => describeOwner(owner);

const NOW = 1_700_000_000_000;
const SCOPES: readonly Scope[] = ['public', 'signed'];
const lanes = fc.constantFrom(...LANES);
const THIRTY = { numRuns: times(30, 60) };

type BudgetSaid = Pick<BudgetReport, 'limit' | 'remaining'> & Partial<BudgetReport>;

/** Answers a request as throttled, or as successful, with the signed budget of its headers. */
const told = (queue: RequestQueue, id: number, nowMs: number, is: 'throttled' | 'answered', budget: BudgetSaid) =>
  answer(queue, id, nowMs, is === 'answered' ? ANSWERED : THROTTLED, {
    scope: 'signed',
    resetMs: NOW + 86_400_000,
    ...budget,
  });

/** Sends all requests allowed at this time, answering each at once. */
function send(queue: RequestQueue, nowMs = NOW): PlannedRequest[] {
  const sent: PlannedRequest[] = [];
  for (;;) {
    const { requests } = queue.release(nowMs);
    if (requests.length === 0) return sent;
    for (const { id } of requests) sent.push(answer(queue, id, nowMs));
  }
}

/** Lets this many requests wait in a queue; returns the queue. */
function push(queue: RequestQueue, scope: Scope, lane: Lane, count = 1): RequestQueue {
  for (let i = 0; i < count; i++) queue.push(askOf(scope, lane));
  return queue;
}

/** Releases requests, and returns the id of the first. */
const releaseFirst = (queue: RequestQueue, nowMs = NOW): number => queue.release(nowMs).requests[0]?.id ?? 0;

const drain = (queue: RequestQueue, nowMs = NOW): Lane[] => send(queue, nowMs).map(({ lane }) => lane);

describe('the order of what leaves', () => {
  it('is by lane, and by age within a lane', () => {
    const queue = new RequestQueue(LIMITS);
    for (const lane of [...LANES].reverse())
      for (const nth of [1, 2]) queue.push(askOf('signed', lane, `${lane} ${nth}`));
    const names = send(queue).map(nameOf);
    expect(names.slice(0, 8).join(', ')).toBe('cancel 1, cancel 2, submit 1, submit 2, own 1, own 2, draft 1, draft 2');
    expect(new Set(names).size).toBe(12);
  });

  it('lets no late lane starve another while the budget lasts', () => {
    const queue = new RequestQueue(LIMITS);
    for (let i = 0; i < MAX_IN_FLIGHT_PER_SCOPE; i++) queue.push(askOf('public', 'hot', 'hot'));
    const underWay = queue.release(NOW).requests.map(({ id }) => id);
    queue.push(askOf('public', 'quiet', 'patient'));
    const answered: string[] = [];
    // One place becomes free at a time, and a new hot request always waits for it.
    for (let round = 0; round < 20; round++) {
      queue.push(askOf('public', 'hot', 'hot'));
      answered.push(nameOf(answer(queue, underWay.shift() ?? 0, NOW)));
      underWay.push(...queue.release(NOW).requests.map(({ id }) => id));
    }
    expect(answered).toContain('patient');
  });

  it('never lets the turn of late lanes pass a cancel, a submit or own state', () =>
    forAll([fc.array(lanes, { minLength: 1, maxLength: 80 })], (mixed) => {
      const queue = new RequestQueue(LIMITS);
      for (const lane of mixed) queue.push(askOf('signed', lane));
      const left = drain(queue);
      const urgent = (lane: Lane) => ['cancel', 'submit', 'own'].includes(lane);
      expect(left.filter(urgent)).toEqual(left.slice(0, left.filter(urgent).length));
      expect([...left].sort()).toEqual([...mixed].sort());
    }));

  it('numbers requests from 1, keeps few under way, cancels beside them, and no scope takes all places', () => {
    const queue = push(new RequestQueue(LIMITS), 'signed', 'own', 20);
    const numbers = Array.from({ length: MAX_IN_FLIGHT_PER_SCOPE }, (_, at) => at + 1);
    expect(queue.release(NOW).requests.map(({ id }) => id)).toEqual(numbers);
    push(queue, 'public', 'hot', 20);
    expect(queue.release(NOW).requests).toHaveLength(MAX_IN_FLIGHT - MAX_IN_FLIGHT_PER_SCOPE);
    push(queue, 'signed', 'cancel', 20);
    expect(queue.release(NOW).requests.map(({ lane }) => lane)).toEqual(
      Array.from({ length: MAX_IN_FLIGHT_WITH_CANCELS - MAX_IN_FLIGHT }, () => 'cancel'),
    );
    expect(queue.inFlight).toBe(MAX_IN_FLIGHT_WITH_CANCELS);
  });
});

describe('what does not leave', () => {
  it('comes back unsent when its latest moment has passed', () => {
    const queue = new RequestQueue({ ...LIMITS, public_per_minute: 1 });
    queue.push(askOf('public', 'hot', 'first', NOW + 100));
    queue.push(askOf('public', 'hot', 'second', NOW + 100));
    expect(queue.release(NOW)).toMatchObject({ requests: [{ id: 1 }], unsent: [] });
    expect([queue.nextReleaseMs(NOW), queue.release(NOW + 99)]).toEqual([NOW + 100, { requests: [], unsent: [] }]);
    const late = { request: { owner: { name: 'second' } } };
    expect(queue.release(NOW + 100)).toMatchObject({ requests: [], unsent: [late] });
    expect([queue.waiting, queue.nextReleaseMs(NOW + 100)]).toEqual([0, null]);
  });

  it('comes back unsent when it is recalled, and the rest leaves', () => {
    const queue = new RequestQueue(LIMITS);
    for (const name of ['a', 'b', 'c']) queue.push(askOf('signed', 'submit', name));
    queue.recall((request) => (nameOf(request) === 'b' ? null : 'not wanted any more'));
    expect(queue.waiting).toBe(1);
    const { requests, unsent } = queue.release(NOW);
    const said = unsent.map(({ request, reason }) => `${nameOf(request)}: ${reason}`);
    expect(said).toEqual(['a: not wanted any more', 'c: not wanted any more']);
    expect(requests.map(({ id }) => nameOf(answer(queue, id, NOW)))).toEqual(['b']);
    expect(queue.release(NOW)).toEqual({ requests: [], unsent: [] });
  });

  it('is bounded: what finds no room comes back, latest lanes first, and a cancel always finds room', () => {
    const queue = new RequestQueue(LIMITS);
    for (let i = 0; i < MAX_WAITING; i++) queue.push(askOf('public', 'quiet', `quiet ${i}`));
    queue.push(askOf('public', 'quiet', 'too many'));
    queue.push(askOf('signed', 'cancel', 'cancel'));
    expect([queue.waiting, queue.nextReleaseMs(NOW)]).toEqual([MAX_WAITING, NOW]);
    const { requests, unsent } = queue.release(NOW);
    expect(requests[0]?.lane).toBe('cancel');
    expect(unsent.map(({ request }) => nameOf(request))).toEqual(['too many', `quiet ${MAX_WAITING - 1}`]);
  });

  it('gives every request back exactly once, whatever happens', () => {
    const step = fc.record({
      scope: fc.constantFrom<Scope>('public', 'signed', 'bootstrap'),
      lane: lanes,
      many: fc.integer({ min: 0, max: 60 }),
      patienceMs: fc.integer({ min: 0, max: 90_000 }),
      passMs: fc.integer({ min: 0, max: 20_000 }),
    });
    forAll([fc.array(step, { maxLength: 30 }), fc.nat()], THIRTY, (steps, seed) => {
      const world = new World(seed, { meanMs: 400, lost: 0.1 });
      let pushed = 0;
      for (const { scope, lane, many, patienceMs, passMs } of steps) {
        for (let i = 0; i < many; i++) world.queue.push(askOf(scope, lane, `${pushed++}`, world.nowMs + patienceMs));
        expect(world.queue.waiting).toBeLessThanOrEqual(MAX_WAITING);
        world.step(passMs);
      }
      for (let i = 0; i < 40; i++) world.step(10_000);
      const names = [...world.done.map(({ request }) => nameOf(request)), ...world.unsent.map(nameOf)];
      expect(names.sort()).toEqual(Array.from({ length: pushed }, (_, i) => `${i}`).sort());
      expect([world.queue.waiting, world.queue.inFlight]).toEqual([0, 0]);
    });
  });
});

describe('the budget', () => {
  it('never lets more arrive in any minute than the venue allows, whatever the delays', () => {
    const limits = fc.constantFrom(LIMITS, { ...LIMITS, public_per_minute: 30, signed_per_minute: 40 });
    const delays = fc.integer({ min: 1, max: 20_000 });
    forAll([fc.nat(), delays, limits], { numRuns: times(20, 40) }, (seed, meanMs, perMinute) => {
      const world = new World(seed, { meanMs, lost: 0.1 }, perMinute);
      const random = Random.fromSeed(seed, 'asks');
      for (let i = 0; i < 600; i++) {
        for (const scope of SCOPES) {
          const lane = LANES[random.below(LANES.length)] ?? 'own';
          for (let n = random.below(12); n > 0; n--) world.queue.push(askOf(scope, lane, 't', world.nowMs + 20_000));
        }
        world.step(random.below(1000));
      }
      for (const scope of SCOPES) expect(world.busiestMinute(scope)).toBeLessThanOrEqual(world.windows[scope].limit);
      expect(world.windows.public.throttled + world.windows.signed.throttled).toBe(0);
    });
  });

  it('uses nearly all of it when there is enough to ask', () => {
    const world = new World(7, { meanMs: 50, lost: 0 });
    for (let i = 0; i < 6000; i++) {
      world.queue.push(askOf('public', 'hot', 't', world.nowMs + 1000));
      world.step(100);
    }
    const perMinute = world.arrivals.length / 10;
    expect(perMinute).toBeGreaterThan(108);
    expect(perMinute).toBeLessThanOrEqual(115);
  });

  it.each([
    ['a limit half of what the profile says', 60, 0],
    ['another program that uses two thirds of it', 120, 80],
  ])('learns of %s from the answers, and is hardly ever throttled', (_, limit, othersPerMinute) => {
    const world = new World(3, { meanMs: 80, lost: 0 });
    world.windows.public.limit = limit;
    let others = 0;
    for (let i = 0; i < 12_000; i++) {
      for (others += othersPerMinute / 600; others >= 1; others--) world.windows.public.arrive(world.nowMs);
      world.queue.push(askOf('public', 'hot', 't', world.nowMs + 1000));
      world.step(100);
    }
    const ours = world.done.length / 20;
    expect(world.done.filter(({ outcome }) => outcome.kind === 'refused').length).toBeLessThan(3);
    expect(ours).toBeGreaterThan((limit - othersPerMinute) * 0.6);
  });

  it('waits as long as the answer says, then tries with one request, then goes on', () => {
    const queue = push(new RequestQueue(LIMITS), 'public', 'hot', 30);
    const [first, ...rest] = queue.release(NOW).requests;
    const used = { scope: 'public', limit: 120, remaining: 0, resetMs: NOW + 7000 } as const;
    told(queue, first?.id ?? 0, NOW + 50, 'throttled', used);
    for (const { id } of rest) answer(queue, id, NOW + 60);
    expect(queue.status('public', NOW + 60)).toMatchObject({ available: 0, blockedUntilMs: NOW + 7000 });
    expect([queue.nextReleaseMs(NOW + 60), queue.release(NOW + 6999).requests]).toEqual([NOW + 7000, []]);
    const probe = queue.release(NOW + 7000).requests;
    expect(probe).toHaveLength(1);
    expect(queue.release(NOW + 7001).requests).toEqual([]);
    answer(queue, probe[0]?.id ?? 0, NOW + 7100);
    expect(queue.status('public', NOW + 61_000).perMinute).toBe(114);
  });

  it('is the same whether or not somebody looks at it, also with a clock that goes to and fro', () => {
    const steps = fc.array(
      fc.record({ byMs: fc.integer({ min: -900, max: 2_500 }), peekMs: fc.integer({ min: -90_000, max: 90_000 }) }),
      { minLength: 10, maxLength: 150 },
    );
    forAll([steps], { numRuns: times(100, 200) }, (moments) => {
      const limits = { ...LIMITS, public_per_minute: 20 };
      const watched = new RequestQueue(limits);
      const queues = [new RequestQueue(limits), watched];
      let nowMs = NOW;
      for (const { byMs, peekMs } of moments) {
        nowMs += byMs;
        watched.status('public', nowMs + peekMs);
        const left = queues.map((queue) => {
          queue.push(askOf('public', 'hot'));
          const { requests } = queue.release(nowMs);
          for (const { id } of requests) answer(queue, id, nowMs);
          return [requests.length, queue.headroom('public', 'hot', nowMs), queue.nextReleaseMs(nowMs)];
        });
        expect(left[1]).toEqual(left[0]);
      }
    });
  });

  it('tries again after a bounded wait, whatever an answer or a clock that stepped back says', () => {
    const queue = push(new RequestQueue(LIMITS), 'public', 'hot', 2);
    const requests = queue.release(NOW).requests;
    for (const { id } of requests) told(queue, id, NOW, 'throttled', { scope: 'public', limit: 120, remaining: 0 });
    queue.push(askOf('public', 'hot'));
    expect(queue.nextReleaseMs(NOW)).toBe(NOW + 120_000);
    expect(queue.nextReleaseMs(NOW - 3_600_000)).toBe(NOW - 3_600_000 + 120_000);
    for (const at of [NOW, NOW + 60_000]) expect(queue.release(at).requests).toEqual([]);
    expect(queue.release(NOW + 120_000).requests).toHaveLength(1);
  });

  it('lets cancels and reads of own state find out for themselves, one at a time, a second after a refusal', () => {
    const queue = push(new RequestQueue(LIMITS), 'signed', 'own');
    told(queue, releaseFirst(queue), NOW, 'throttled', { limit: 300, remaining: 0 });
    for (const lane of LANES) for (let n = 0; n < 2; n++) queue.push(askOf('signed', lane));
    expect([queue.nextReleaseMs(NOW), queue.release(NOW + 999).requests]).toEqual([NOW + 1_000, []]);
    const [probe, ...others] = queue.release(NOW + 1_000).requests;
    expect([probe?.lane, others]).toEqual(['cancel', []]);
    expect(queue.release(NOW + 1_500).requests).toEqual([]);
    // Rejected again: twice as long, then twice as long again, and never longer than ten seconds.
    told(queue, probe?.id ?? 0, NOW + 1_500, 'throttled', { limit: 300, remaining: 0 });
    expect(queue.nextReleaseMs(NOW + 1_500)).toBe(NOW + 3_500);
    const second = queue.release(NOW + 3_500).requests;
    expect(second.map(({ lane }) => lane)).toEqual(['cancel']);
    told(queue, second[0]?.id ?? 0, NOW + 3_600, 'answered', { limit: 300, remaining: 299 });
    expect(queue.release(NOW + 3_600).requests.map(({ lane }) => lane)).toContain('own');
  });

  it('lets them go one after the other where answers say that there is no room and there is', () => {
    const queue = push(new RequestQueue(LIMITS), 'signed', 'own');
    told(queue, releaseFirst(queue), NOW, 'answered', { limit: 300, remaining: 0 });
    push(queue, 'signed', 'cancel', 10);
    expect(queue.release(NOW + 999).requests).toEqual([]);
    for (let at = 1_000; at < 1_900; at += 100) {
      const requests = queue.release(NOW + at).requests;
      expect(requests).toHaveLength(1);
      told(queue, requests[0]?.id ?? 0, NOW + at + 50, 'answered', { limit: 300, remaining: 0 });
    }
  });

  it('keeps to the limit that the client reads, and never goes above the profile’s', () => {
    const queue = new RequestQueue(LIMITS);
    const tell = (limit: number) => {
      queue.push(askOf('signed', 'cancel'));
      told(queue, releaseFirst(queue), NOW, 'answered', { limit, remaining: limit });
      return queue.status('signed', NOW).limit;
    };
    expect([50, 60, 300, 400].map(tell)).toEqual([50, 60, 300, 300]);
  });

  it('lets nothing leave before the end of a firm refusal but the cancels of a kill', () => {
    const queue = push(new RequestQueue(LIMITS), 'signed', 'own');
    const firm = { limit: 100, remaining: 0, resetMs: NOW + 30_000, isFirm: true };
    told(queue, releaseFirst(queue), NOW, 'throttled', firm);
    for (const lane of LANES) queue.push(askOf('signed', lane));
    expect([queue.nextReleaseMs(NOW), queue.release(NOW + 29_999).requests]).toEqual([NOW + 30_000, []]);
    queue.setOpenOrders(1, true);
    const probe = queue.release(NOW + 29_999).requests;
    expect(probe).toMatchObject([{ lane: 'cancel', isUrgent: true }]);
    told(queue, probe[0]?.id ?? 0, NOW + 29_999, 'answered', { limit: 100, remaining: 60 });
    expect(queue.release(NOW + 30_000).requests.length).toBeGreaterThan(0);
  });

  it('probes no limit that our own use explains', () => {
    const queue = new RequestQueue(LIMITS);
    for (let n = 0; n < 39; n++) {
      queue.push(askOf('signed', 'cancel'));
      for (const { id } of queue.release(NOW).requests)
        told(queue, id, NOW, 'answered', { limit: 40, remaining: 39 - n });
    }
    queue.push(askOf('signed', 'own'));
    expect(queue.release(NOW + 59_000).requests).toEqual([]);
    expect(queue.release(NOW + 60_000).requests).toHaveLength(2);
  });

  it('keeps to the limit of true time while our clock jumps by an hour to and fro, and cancels leave within seconds', () => {
    const jumps = fc.array(fc.tuple(fc.nat(180), fc.constantFrom(-3_600_000, 3_600_000)), { maxLength: 8 });
    forAll([jumps, fc.boolean()], { numRuns: times(10, 20) }, (all, corrected) => {
      const queue = new RequestQueue(LIMITS);
      const left: number[] = [];
      let off = 0;
      const second = (trueS: number) => {
        for (const request of queue.release(NOW + trueS * 1000 + off).requests) {
          left.push(trueS);
          answer(queue, request.id, NOW + trueS * 1000 + off);
        }
      };
      for (let trueS = 0; trueS < 200; trueS++) {
        for (const [at, by] of all) if (at === trueS) off += by;
        for (let n = 0; n < 6; n++) queue.push(askOf('signed', 'own', 'own', Number.MAX_SAFE_INTEGER));
        queue.setOpenOrders(20);
        for (let n = 0; n < 4; n++) second(trueS);
        if (corrected) off = 0;
      }
      for (const at of left) expect(left.filter((s) => s >= at && s < at + 60).length).toBeLessThanOrEqual(300);
      const before = left.length;
      queue.push(askOf('signed', 'cancel'));
      second(201);
      expect(left.length).toBeGreaterThan(before);
    });
  });

  it('gives back the place of a request that never left', () => {
    const queue = push(new RequestQueue({ ...LIMITS, bootstrap_per_minute: 1 }), 'bootstrap', 'own', 2);
    answer(queue, releaseFirst(queue), NOW, { kind: 'unknown', reason: 'too late', sent: false });
    expect(queue.release(NOW).requests).toHaveLength(1);
  });

  it('says when the next may leave', () => {
    const queue = push(new RequestQueue({ ...LIMITS, bootstrap_per_minute: 2 }), 'bootstrap', 'own');
    answer(queue, releaseFirst(queue), NOW + 500);
    queue.push(askOf('bootstrap', 'own'));
    expect([queue.nextReleaseMs(NOW + 600), queue.release(NOW + 60_499).requests]).toEqual([NOW + 60_500, []]);
    expect(queue.release(NOW + 60_500).requests).toHaveLength(1);
  });
});

it('counts the reads of own state of the last minute, without those of intents and of markets', () => {
  const queue = new RequestQueue(LIMITS);
  const ofIntent = { kind: 'intent', step: 'read', intentId: 'i' } as const;
  for (const request of [askOf('signed', 'own'), { ...askOf('signed', 'own'), owner: ofIntent }]) queue.push(request);
  queue.push(askOf('public', 'hot'));
  expect(drain(queue)).toEqual(['own', 'own', 'hot']);
  expect([queue.ownReadsPerMinute(NOW + 59_999), queue.ownReadsPerMinute(NOW + 60_000)]).toEqual([1, 0]);
});

describe('the cancel reserve', () => {
  const openOrders = fc.integer({ min: 0, max: 60 });

  it('is two requests an open order and twenty', () =>
    expect([cancelReserve(0, 285), cancelReserve(40, 285), cancelReserve(5, 28)]).toEqual([20, 100, 17]));

  it('is never taken by drafts and reads of markets, and at most half of it by submits and own state', () => {
    const others = fc.array(fc.constantFrom<Lane>('submit', 'own', 'draft', 'hot', 'quiet'));
    forAll([openOrders, others], THIRTY, (open, mixed) => {
      const queue = new RequestQueue(LIMITS);
      queue.setOpenOrders(open);
      for (let i = 0; i < 12; i++) for (const lane of [...mixed, 'draft' as const]) queue.push(askOf('signed', lane));
      drain(queue);
      const { available: left, perMinute } = queue.status('signed', NOW);
      const urgent = mixed.some((lane) => lane === 'own');
      const reserve = cancelReserve(open, perMinute);
      expect(left).toBeGreaterThanOrEqual(Math.min(perMinute, urgent ? Math.floor(reserve / 2) : reserve));
      // Whatever the others used, the cancels of all open orders are sent at once, up to half the reserve.
      for (let i = 0; i < 2 * open; i++) queue.push(askOf('signed', 'cancel'));
      const cancels = drain(queue).filter((lane) => lane === 'cancel').length;
      expect(cancels).toBeGreaterThanOrEqual(Math.min(2 * open, left));
    });
  });

  it('may be there only some seconds later, and then more leaves before', () => {
    const everySecond = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 70, maxLength: 130 });
    forAll([fc.nat(60), fc.nat(100), everySecond], { numRuns: 8 }, (withinS, open, wanted) => {
      const queue = new RequestQueue(LIMITS, 1000 * withinS);
      queue.setOpenOrders(open);
      let nowMs = NOW;
      for (const drafts of wanted) {
        nowMs += 1000;
        for (let i = 0; i < drafts; i++) queue.push({ ...askOf('signed', 'draft'), latestMs: nowMs + 1 });
        drain(queue, nowMs);
      }
      const killedMs = nowMs;
      // Cancels of a kill, up to a minute's budget.
      const cancels = Math.min(2 * open, 265);
      for (let i = 0; i < cancels; i++)
        queue.push({ ...askOf('signed', 'cancel'), latestMs: Number.POSITIVE_INFINITY });
      let left = drain(queue, nowMs).length;
      while (left < cancels && nowMs < killedMs + 61_000) {
        nowMs += 1000;
        left += drain(queue, nowMs).filter((lane) => lane === 'cancel').length;
      }
      expect(left).toBe(cancels);
      expect(nowMs - killedMs).toBeLessThanOrEqual(1000 * withinS);
    });
  });

  it.each([
    [0, 119],
    [15, 167],
    [60, 259],
  ])('leaves more of a minute to orders when it may take %d s: %d with sixty that rest', (withinS, most) => {
    const queue = new RequestQueue(LIMITS, 1000 * withinS);
    queue.setOpenOrders(60);
    let left = 0;
    for (let s = 0; s < 240; s++) {
      const nowMs = NOW + 1000 * s;
      // Reads of own state take 26 a minute.
      if (s % 60 < 26) queue.push({ ...askOf('signed', 'own'), latestMs: nowMs + 1 });
      for (let i = 0; i < 5; i++) queue.push({ ...askOf('signed', 'draft'), latestMs: nowMs + 1 });
      if (s >= 120) left += drain(queue, nowMs).filter((lane) => lane === 'draft').length / 2;
    }
    expect(left).toBeGreaterThan(0.9 * most);
    expect(left).toBeLessThanOrEqual(1.02 * most);
  });

  it('is what headroom leaves out, and what waits before', () => {
    const queue = new RequestQueue(LIMITS);
    queue.setOpenOrders(40);
    expect(queue.headroom('signed', 'submit', NOW)).toBe(285 - 100);
    expect(queue.headroom('signed', 'own', NOW)).toBe(285 - 50);
    expect(queue.headroom('signed', 'draft', NOW), 'what may leave at once').toBe(46);
    queue.push(askOf('signed', 'own'));
    queue.push(askOf('signed', 'quiet'));
    expect([queue.headroom('signed', 'draft', NOW), queue.headroom('signed', 'cancel', NOW)]).toEqual([46 - 1, 285]);
    expect(queue.headroom('public', 'quiet', NOW)).toBe(114);
    queue.setOpenOrders(140);
    expect(queue.headroom('signed', 'draft', NOW)).toBe(0);
  });

  it('agrees with what then leaves: headroom is neither too much nor too little', () =>
    forAll([openOrders, lanes, fc.array(lanes, { maxLength: 40 })], THIRTY, (open, lane, before) => {
      const queue = new RequestQueue(LIMITS);
      queue.setOpenOrders(open);
      for (const earlier of before) queue.push(askOf('signed', earlier));
      drain(queue);
      const headroom = queue.headroom('signed', lane, NOW);
      for (let i = 0; i < 400; i++) queue.push(askOf('signed', lane));
      expect(drain(queue)).toHaveLength(headroom);
    }));
});

describe('new orders', () => {
  /** Own trades each second, and every order and move that headroom allows; the resting orders grow to `most`. */
  function trade(seconds: number, most: number) {
    const queue = new RequestQueue(LIMITS);
    const drafts: number[] = [];
    const left: number[] = [];
    let open = 0;
    for (let ms = 0; ms < 1000 * seconds; ms += 250) {
      const nowMs = NOW + ms;
      queue.setOpenOrders(open);
      const latestMs = nowMs + 3000;
      const release = () => {
        for (const lane of drain(queue, nowMs)) if (lane === 'draft') drafts.push(ms / 1000);
      };
      if (ms % 1000 === 0) queue.push({ ...askOf('signed', 'own'), latestMs });
      while (queue.headroom('signed', 'draft', nowMs) >= 2) {
        // Adds one if there is room, else moves one.
        if (open < most) open++;
        else for (let i = 0; i < 2; i++) queue.push({ ...askOf('signed', 'cancel'), latestMs });
        queue.setOpenOrders(open);
        queue.push({ ...askOf('signed', 'draft'), latestMs });
        release();
        queue.push({ ...askOf('signed', 'submit'), latestMs });
        release();
      }
      release();
      left.push(queue.status('signed', nowMs).available - 2 * open);
    }
    return { drafts, left };
  }

  it('leave at once at first and then as evenly as requests become free, so that none starves until the minute turns', () => {
    const { drafts } = trade(300, 18);
    expect(drafts.filter((second) => second < 1).length).toBeGreaterThanOrEqual(18);
    for (let second = 1; second < 290; second += 10)
      expect(drafts.filter((at) => at >= second && at < second + 10).length).toBeGreaterThanOrEqual(3);
  });

  it('leave what cancels everything at every moment of the minute, beside reads of own state', () => {
    for (const most of [8, 18, 40]) expect(Math.min(...trade(180, most).left)).toBeGreaterThanOrEqual(0);
  });

  it('say when the next may leave, and it does then and not before', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 30, maxLength: 120 });
    forAll([pauses], { numRuns: times(20, 60) }, (waits) => {
      const queue = new RequestQueue(LIMITS);
      queue.setOpenOrders(30);
      let nowMs = NOW;
      for (const waitMs of waits) {
        nowMs += waitMs;
        queue.push({ ...askOf('signed', 'draft'), latestMs: nowMs + 1 });
        drain(queue, nowMs);
      }
      while (queue.headroom('signed', 'draft', nowMs) > 0) {
        queue.push({ ...askOf('signed', 'draft'), latestMs: nowMs + 100_000 });
        drain(queue, nowMs);
      }
      queue.push({ ...askOf('signed', 'draft'), latestMs: nowMs + 100_000 });
      const nextMs = queue.nextReleaseMs(nowMs) ?? Number.NaN;
      expect(nextMs).toBeGreaterThan(nowMs);
      expect([drain(queue, nextMs - 1), drain(queue, nextMs)]).toEqual([[], ['draft']]);
    });
  });
});
