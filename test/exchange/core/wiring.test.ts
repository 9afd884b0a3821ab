import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_TICK, TickSet } from '../../../src/exchange/core/matching/book.js';
import { timesDown, timesUp } from '../../../src/exchange/core/money.js';
import { TradeHistory } from '../../../src/exchange/core/records/tape.js';
import { TimerQueue } from '../../../src/exchange/core/timer-queue.js';

const SETTLED_TAPE_LENGTH = 1_000;
const TAPE_LENGTH = 20_000;

it('a set of ticks finds neighbours as a sorted list does', () => {
  const size = fc.constantFrom(3, 33, 101, 1_025, 10_001, 70_000);
  fc.assert(
    fc.property(
      size,
      fc.array(fc.tuple(fc.boolean(), fc.nat(70_000), fc.nat(70_000)), { maxLength: 60 }),
      (ticks, steps) => {
        const set = new TickSet(ticks);
        const plain = new Set<number>();
        for (const [adds, at, look] of steps) {
          const tick = at % ticks;
          if (adds) set.add(tick);
          else set.remove(tick);
          if (adds) plain.add(tick);
          else plain.delete(tick);
          const from = look % ticks;
          expect(set.up(from)).toBe([...plain].sort((a, b) => a - b).find((t) => t >= from) ?? NO_TICK);
          expect(set.down(from)).toBe(Math.max(NO_TICK, ...[...plain].filter((t) => t <= from)));
        }
        expect(set.down(-1)).toBe(NO_TICK);
      },
    ),
  );
});

const rate = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(0, 1, 999_999, 1_000_000));
const amount = fc.oneof(fc.maxSafeNat(), fc.integer({ min: 0, max: 10_000_000 }), fc.constantFrom(0, 1, 2 ** 53 - 1));

it('exact products are what BigInt says, down and up, for every rate and amount', () =>
  fc.assert(
    fc.property(rate, amount, (r, a) => {
      const product = BigInt(r) * BigInt(a);
      expect(BigInt(timesDown(r, a))).toBe(product / 1_000_000n);
      expect(BigInt(timesUp(r, a))).toBe((product + 999_999n) / 1_000_000n);
    }),
    { numRuns: 2_000 },
  ));

it('the queue of what is due gives entries by time, and those of one time as they came', () =>
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (times) => {
      const queue = new TimerQueue();
      for (const [id, time] of times.entries()) queue.put(time, 'order', id);
      const restored = new TimerQueue();
      restored.load(JSON.parse(JSON.stringify(queue.dump())));
      const expected = times.map((time, id) => [time, id] as const).sort(([a, i], [b, j]) => a - b || i - j);
      for (const each of [queue, restored]) {
        expect(each.nextMs).toBe(expected[0]?.[0] ?? Number.POSITIVE_INFINITY);
        expect(each.take(-1)).toBeNull();
        expect(times.map(() => each.take(30)).map((due) => [due?.dueMs, due?.id])).toEqual(expected);
        expect(each.take(1e9)).toBeNull();
      }
    }),
  ));

describe('the tape', () => {
  /** A tape with this number of trades, of which every second one bought YES. */
  const tapeOf = (length: number): TradeHistory => {
    const tape = new TradeHistory();
    for (let i = 1; i <= length; i++) tape.write(i, 400_000, i, 1, i % 2 === 0, 0, 0);
    return tape;
  };
  const withRestored = (tape: TradeHistory): readonly TradeHistory[] => {
    const restored = new TradeHistory();
    restored.load(JSON.parse(JSON.stringify(tape.dump())));
    return [tape, restored];
  };
  const newest = TAPE_LENGTH + 50;

  it('keeps the newest 20,000 trades under their ids, across a snapshot', () => {
    for (const each of withRestored(tapeOf(newest))) {
      expect(each.read(2, each.count + 1)).toMatchObject([
        { id: newest, amount: newest, isYes: true, price: 400_000 },
        { id: newest - 1, isYes: false, price: 600_000 },
      ]);
      const last = each.read(100, 60);
      expect([last.length, last.at(-1)?.id]).toEqual([9, 51]);
      expect([each.hasBefore(52), each.hasBefore(51), each.volume]).toEqual([true, false, newest]);
    }
  });

  it('keeps the newest 1,000 once its market is settled, across a snapshot', () => {
    const tape = tapeOf(newest);
    tape.settle();
    for (const each of withRestored(tape)) {
      const kept = each.read(TAPE_LENGTH, each.count + 1).map(({ id, amount }) => [id, amount]);
      const ids = Array.from({ length: SETTLED_TAPE_LENGTH }, (_, at) => newest - at);
      expect(kept).toEqual(ids.map((id) => [id, id]));
      expect([each.volume, each.volumeSince(newest - 10), each.volumeSince(5)]).toEqual([newest, 10, null]);
    }
  });

  it('goes on growing after a snapshot of any length', () => {
    for (const length of [0, 1, 31, 32, 33, 1_000, 1_024, TAPE_LENGTH - 1, TAPE_LENGTH, TAPE_LENGTH + 1]) {
      const both = withRestored(tapeOf(length));
      for (const each of both) for (let i = 1; i <= 40; i++) each.write(length + i, 1, 1, 1, true, 0, 0);
      expect(both[1]?.dump()).toEqual(both[0]?.dump());
    }
  });
});
