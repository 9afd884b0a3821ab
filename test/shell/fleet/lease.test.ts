import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lease, rulesOf } from '../../../src/shell/fleet/member.js';
import type { DatabaseDesk } from '../../../src/shell/fleet/owner-desk.js';
import { times } from '../../support/effort.js';

type OwnerRow = NonNullable<Awaited<ReturnType<DatabaseDesk['look']>>>;

const LEASE_MS = 6_000;
const at = (steadyMs: number, more: Partial<Parameters<Lease['renew']>[0]> = {}): Parameters<Lease['renew']>[0] => ({
  steadyMs,
  bootMs: steadyMs,
  wallMs: steadyMs,
  ...more,
});
const ROW: OwnerRow = { holder: 'other', instance: 'x', term: 3, renewal: 7, leaseMs: LEASE_MS, isFree: false };
const row = (more: Partial<OwnerRow> = {}): OwnerRow => ({ ...ROW, ...more });
const newLease = () => new Lease(rulesOf(LEASE_MS));

describe('who holds a lease', () => {
  it('counts from before it asked: signs until a margin before the end, and pulls long before', () => {
    const lease = newLease();
    lease.take(4, at(1_000));
    expect([lease.standing(at(3_999)), lease.standing(at(4_000))]).toEqual(['held', 'failing']);
    expect([lease.standing(at(5_799)), lease.standing(at(5_800))]).toEqual(['failing', 'over']);
    lease.renew(at(5_000));
    expect([lease.standing(at(5_800)), lease.oursForMs(at(6_000))]).toEqual(['held', 5_000]);
  });

  it.each([
    ['the machine slept', { bootMs: 9_000 }],
    ['its clock was set forward, or a paused machine was told the time', { wallMs: 9_000 }],
  ])('stops at once when %s', (_, clock) => {
    const lease = newLease();
    lease.take(4, at(1_000));
    expect(lease.standing(at(1_100, clock))).toBe('over');
  });

  it('signs no later for a clock that was set back', () => {
    const lease = newLease();
    lease.take(4, at(1_000));
    expect(lease.standing(at(5_800, { wallMs: -90_000 }))).toBe('over');
  });

  it('never comes back once another has it', () => {
    const lease = newLease();
    lease.take(4, at(0));
    lease.lose(row({ term: 5 }));
    lease.renew(at(10));
    const told = [lease.standing(at(10)), lease.oursForMs(at(10)), lease.expected(at(99_999))];
    expect(told).toEqual(['lost', 0, undefined]);
  });
});

describe('who wants a lease', () => {
  it('waits lease and margin from when it saw the newest renewal', () => {
    const lease = newLease();
    lease.see(row(), at(0));
    expect(lease.expected(at(7_199))).toBeUndefined();
    expect(lease.expected(at(7_200))).toMatchObject({ term: 3, renewal: 7 });
    lease.see(row({ renewal: 8 }), at(7_200));
    expect(lease.expected(at(14_399))).toBeUndefined();
    // The slowest clock counts: by it, the lease was not yet expired.
    expect(lease.expected(at(7_300, { bootMs: 99_999, wallMs: 99_999 }))).toBeUndefined();
  });

  it('waits for the owner’s own lease, not for one of its own length', () => {
    const lease = newLease();
    lease.see(row({ leaseMs: 60_000 }), at(0));
    expect(lease.waitMs(at(10_000))).toBe(62_000);
  });

  it('takes at once what was given back, or what nobody had, and nothing before it has looked', () => {
    const lease = newLease();
    expect(lease.expected(at(99_999))).toBeUndefined();
    lease.see(row({ isFree: true }), at(0));
    expect(lease.expected(at(0))).toMatchObject({ term: 3, renewal: 7 });
    lease.see(null, at(1));
    expect(lease.expected(at(1))).toBeNull();
  });
});

/** Three traders, their machines, and a database, in true time; for all draws, only the newer of two terms signs. */
const TRADERS = 3;

interface Asked {
  readonly kind: 'look' | 'take' | 'renew';
  readonly askedAt: Parameters<Lease['renew']>[0];
  /** The answer after the database has acted; it may arrive much later. */
  answer: { readonly isDone: boolean; readonly row: OwnerRow | null } | null;
}

interface Machine {
  lease: Lease;
  instance: number;
  clock: { steadyMs: number; bootMs: number; wallMs: number };
  /** Speed of its clocks relative to true time. */
  speed: number;
  isFrozen: boolean;
  /** Asleep with its machine: the first clock is stopped. */
  isAsleep: boolean;
  asked: Asked | null;
  isOwner: boolean;
}

const RARE = 'ask ask deliver deliver freeze sleep wake kill step down up lose';

const event = fc.record({
  who: fc.nat(TRADERS - 1),
  what: fc.constantFrom(...Array<string>(14).fill('turn'), ...RARE.split(' ')),
  afterMs: fc.oneof({ weight: 9, arbitrary: fc.nat(900) }, { weight: 1, arbitrary: fc.nat(12_000) }),
  stepMs: fc.integer({ min: -60_000, max: 60_000 }),
});

class World {
  nowMs = 0;
  row: OwnerRow | null = null;
  isDown = false;
  readonly machines: Machine[];
  /** Signatures so far. */
  readonly signed: { readonly atMs: number; readonly term: number }[] = [];
  #instances = 0;

  constructor(speeds: readonly number[]) {
    this.machines = speeds.map((speed) => ({
      lease: newLease(),
      instance: this.#instances++,
      clock: { steadyMs: 0, bootMs: 0, wallMs: 0 },
      speed,
      isFrozen: false,
      isAsleep: false,
      asked: null,
      isOwner: false,
    }));
  }

  /** Every machine that may sign signs all the time. */
  pass(ms: number): void {
    const STEP_MS = 50;
    for (let left = ms; left > 0; left -= STEP_MS) {
      const by = Math.min(STEP_MS, left);
      this.nowMs += by;
      for (const machine of this.machines) {
        const { clock, speed, isAsleep } = machine;
        if (!isAsleep) clock.steadyMs += by * speed;
        clock.bootMs += by * speed;
        clock.wallMs += by * speed;
        this.#sign(machine);
      }
    }
  }

  #sign({ lease, clock, isFrozen, isAsleep }: Machine): void {
    if (isFrozen || isAsleep) return;
    const standing = lease.standing({ ...clock });
    if (standing === 'held' || standing === 'failing') this.signed.push({ atMs: this.nowMs, term: lease.term });
  }

  ask(machine: Machine): void {
    if (machine.isFrozen || machine.isAsleep || machine.asked !== null || machine.lease.successor !== null) return;
    const askedAt = { ...machine.clock };
    const kind = machine.isOwner ? 'renew' : machine.lease.expected(askedAt) === undefined ? 'look' : 'take';
    machine.asked = { kind, askedAt, answer: null };
  }

  /** The database acts once; the machine gets the answer as soon as it can, or (`isLost`) never. */
  deliver(machine: Machine, isLost: boolean): void {
    const { asked, lease, clock } = machine;
    if (asked === null || (this.isDown && asked.answer === null)) return;
    asked.answer ??= { isDone: this.#act(machine, asked), row: this.row };
    if (machine.isFrozen || machine.isAsleep) return;
    machine.asked = null;
    if (isLost) return;
    const { isDone, row: told } = asked.answer;
    if (asked.kind === 'take' && isDone) {
      machine.isOwner = true;
      lease.take(told?.term ?? 0, asked.askedAt);
    } else if (asked.kind === 'renew' && isDone) lease.renew(asked.askedAt);
    else if (asked.kind === 'renew') lease.lose(told);
    else lease.see(told, { ...clock });
  }

  #act(machine: Machine, { kind, askedAt }: Asked): boolean {
    if (kind === 'take') return this.#take(machine, machine.lease.expected(askedAt));
    return kind === 'renew' && this.#renew(machine);
  }

  #take(machine: Machine, expected: ReturnType<Lease['expected']>): boolean {
    if (expected === undefined) return false;
    if (this.row?.term !== expected?.term || this.row?.renewal !== expected?.renewal) return false;
    const term = (this.row?.term ?? 0) + 1;
    this.row = row({ term, renewal: (this.row?.renewal ?? 0) + 1, instance: String(machine.instance) });
    return true;
  }

  #renew({ instance, lease }: Machine): boolean {
    if (this.row?.instance !== String(instance) || this.row.term !== lease.term) return false;
    this.row = { ...this.row, renewal: this.row.renewal + 1 };
    return true;
  }

  /** Restarted at once. */
  kill(machine: Machine): void {
    machine.lease = newLease();
    machine.instance = this.#instances++;
    machine.asked = null;
    machine.isOwner = false;
    machine.isFrozen = false;
  }
}

it('two signers never are, whatever freezes, sleeps, dies, is cut off, or has its clock set', () => {
  let signers = 0;
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: TRADERS, maxLength: TRADERS }),
      fc.array(event, { minLength: 60, maxLength: 150 }),
      (speeds, events) => {
        const world = new World(speeds);
        for (const { who, what, afterMs, stepMs } of events) {
          // One of three, drawn with the event.
          const machine = world.machines[who] as Machine;
          world.pass(afterMs);
          if (what === 'ask' || what === 'turn') world.ask(machine);
          if (what === 'turn') world.deliver(machine, false);
          else if (what === 'deliver' || what === 'lose') world.deliver(machine, what === 'lose');
          else if (what === 'freeze') machine.isFrozen = true;
          else if (what === 'sleep') machine.isAsleep = true;
          else if (what === 'wake') machine.isFrozen = machine.isAsleep = false;
          else if (what === 'kill') world.kill(machine);
          else if (what === 'step') machine.clock.wallMs += stepMs;
          else if (what === 'down' || what === 'up') world.isDown = what === 'down';
        }
        signers = Math.max(signers, new Set(world.signed.map(({ term }) => term)).size);
        expect(world.signed.find(({ term }, i) => i > 0 && term < (world.signed[i - 1]?.term ?? 0))).toBeUndefined();
      },
    ),
    { numRuns: times(250, 5_000) },
  );
  // Fewer would prove nothing.
  expect(signers).toBeGreaterThan(2);
});
