import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadEvents, SLAB_EVENTS, SlabWriter, viewColumns } from '../../../src/lab/sweep/facts.js';
import type { EventChunk } from '../../../src/recording/contract.js';

/** Event number n, with its number visible in every column. */
function chunk(from: number, length: number): EventChunk {
  const of = (value: (n: number) => number) => Array.from({ length }, (_, index) => value(from + index));
  return {
    length,
    timeMs: Float64Array.from(of((n) => 1e12 + n)),
    kind: Uint8Array.from(of((n) => n % 3)),
    side: Uint8Array.from(of((n) => n % 2)),
    priceMicros: Int32Array.from(of((n) => 10_000 * (1 + (n % 99)))),
    amountMicros: Float64Array.from(of((n) => 1e6 * n)),
  };
}

function written(lengths: readonly number[], room = { leftBytes: Number.MAX_SAFE_INTEGER }): ReadEvents {
  const writer = new SlabWriter(room);
  let from = 0;
  for (const length of lengths) {
    writer.write(chunk(from, length));
    from += length;
  }
  return writer.end();
}

const plain = (columns: EventChunk) => ({
  length: columns.length,
  timeMs: [...columns.timeMs],
  kind: [...columns.kind],
  side: [...columns.side],
  priceMicros: [...columns.priceMicros],
  amountMicros: [...columns.amountMicros],
});

describe('shared columns', () => {
  it('hold every event of every chunk, in order', () => {
    const { events, firstMs, lastMs, slabs } = written([1000, 0, 1, 2999]);
    expect({ events, firstMs, lastMs, slabs: slabs?.length }).toEqual({
      events: 4000,
      firstMs: 1e12,
      lastMs: 1e12 + 3999,
      slabs: 1,
    });
    expect((slabs ?? []).map((slab) => plain(viewColumns(slab)))).toEqual([plain(chunk(0, 4000))]);
  });

  it('go on in the next slab when one is full', () => {
    const { events, slabs } = written([SLAB_EVENTS - 1, 5, SLAB_EVENTS]);
    expect(events).toBe(2 * SLAB_EVENTS + 4);
    expect(slabs?.map(({ length }) => length)).toEqual([SLAB_EVENTS, SLAB_EVENTS, 4]);
    const [, second, third] = slabs ?? [];
    expect(second === undefined ? null : viewColumns(second).timeMs[0]).toBe(1e12 + SLAB_EVENTS);
    expect(third === undefined ? null : plain(viewColumns(third))).toEqual(plain(chunk(2 * SLAB_EVENTS, 4)));
  });

  it('have one fingerprint, in whatever chunks the events came and whether or not they were kept', () => {
    const whole = written([3000]).hash;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 6 }), fc.boolean(), (lengths, isKept) => {
        const sum = lengths.reduce((total, length) => total + length, 0);
        const all = sum > 3000 ? [3000] : [...lengths, 3000 - sum];
        expect(written(all, { leftBytes: isKept ? 1e9 : 0 }).hash).toBe(whole);
      }),
      { numRuns: 40 },
    );
    expect(written([2999]).hash).not.toBe(whole);
  });

  it('are not kept any more once all recordings together do not fit', () => {
    const room = { leftBytes: 22 * 4500 };
    expect(written([4000], room).slabs).toHaveLength(1);
    expect(room.leftBytes).toBeGreaterThan(0);
    const second = written([4000], room);
    expect({ slabs: second.slabs, events: second.events, isFull: room.leftBytes < 0 }).toEqual({
      slabs: null,
      events: 4000,
      isFull: true,
    });
  });

  it('of nothing know nothing', () => {
    expect(written([])).toMatchObject({ events: 0, firstMs: null, lastMs: null });
  });
});
