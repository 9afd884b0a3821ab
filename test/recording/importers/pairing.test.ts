import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkWriter, TradePairing } from '../../../src/recording/chunks.js';
import { EVENT, type EventChunk, SIDE } from '../../../src/recording/contract.js';

type Row = Readonly<Record<'kind' | 'timeMs' | 'side' | 'price' | 'amount', number>>;

const rows = (chunks: readonly EventChunk[]): Row[] =>
  chunks.flatMap((chunk) =>
    Array.from({ length: chunk.length }, (_, at) => ({
      kind: chunk.kind[at] ?? -1,
      timeMs: chunk.timeMs[at] ?? Number.NaN,
      side: chunk.side[at] ?? -1,
      price: chunk.priceMicros[at] ?? -1,
      amount: chunk.amountMicros[at] ?? -1,
    })),
  );

const event = fc.record({
  isTrade: fc.boolean(),
  stepMs: fc.integer({ min: -3, max: 12 }),
  side: fc.constantFrom(SIDE.bid, SIDE.ask),
  price: fc.constantFrom(400_000, 410_000),
  amount: fc.integer({ min: 1, max: 6 }),
});

it('writes every event once, levels in their order, each trade alone or right before a decrease of its level', () =>
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (events) => {
      const writer = new ChunkWriter();
      const pairing = new TradePairing(writer, { tradeLagMs: 10, tradeLeadMs: 5, toleranceMicros: 0 });
      const totals = new Map<string, number>();
      const levels: Omit<Row, 'timeMs' | 'kind'>[] = [];
      const decreases = new Set<number>();
      const trades: string[] = [];
      let ms = 1000;
      for (const { isTrade, stepMs, side, price, amount } of events) {
        ms += stepMs;
        if (isTrade) {
          pairing.trade(ms, side, price, amount);
          trades.push(`${side} ${price} ${amount}`);
          continue;
        }
        const before = totals.get(`${side} ${price}`) ?? 0;
        totals.set(`${side} ${price}`, amount);
        pairing.level(ms, side, price, amount, before - amount);
        if (amount < before) decreases.add(levels.length);
        levels.push({ side, price, amount });
      }
      pairing.flush();
      const written = rows([...writer.take(), ...writer.end(0)]).filter((row) => row.kind !== EVENT.end);
      expect(
        written.filter((row) => row.kind === EVENT.level).map(({ side, price, amount }) => ({ side, price, amount })),
      ).toEqual(levels);
      const out = written.filter((row) => row.kind === EVENT.trade);
      expect(out.map(({ side, price, amount }) => `${side} ${price} ${amount}`).sort()).toEqual(trades.sort());
      for (let at = 1; at < written.length; at++)
        expect(written[at]?.timeMs).toBeGreaterThanOrEqual(written[at - 1]?.timeMs ?? 0);
      // A paired trade is followed by a decrease of its level, possibly after other trades of that level.
      let paired = 0;
      let level = 0;
      for (const [at, row] of written.entries()) {
        if (row.kind === EVENT.level) {
          level++;
          continue;
        }
        const next = written.slice(at).find((other) => other.kind === EVENT.level);
        if (next?.price === row.price && next.side !== row.side && decreases.has(level)) paired++;
      }
      expect(paired).toBeGreaterThanOrEqual(out.length - pairing.unpairedTrades);
    }),
  ));

it('prefers the decrease of the same size to a larger one, and the largest to none', () => {
  const writer = new ChunkWriter();
  const pairing = new TradePairing(writer, { tradeLagMs: 100, tradeLeadMs: 20, toleranceMicros: 1 });
  pairing.level(0, SIDE.ask, 500_000, 100, 0);
  pairing.level(10, SIDE.ask, 500_000, 70, 30); // of 30
  pairing.level(11, SIDE.ask, 500_000, 59, 11); // of 11
  pairing.level(12, SIDE.ask, 500_000, 54, 5); // of 5
  pairing.trade(30, SIDE.bid, 500_000, 10);
  pairing.trade(31, SIDE.bid, 500_000, 33);
  pairing.flush();
  const written = rows([...writer.take(), ...writer.end(0)]).map((row) => [row.kind, row.timeMs, row.amount]);
  expect(written).toEqual([
    [EVENT.level, 0, 100],
    [EVENT.trade, 10, 33],
    [EVENT.level, 10, 70],
    [EVENT.trade, 11, 10],
    [EVENT.level, 11, 59],
    [EVENT.level, 12, 54],
    [EVENT.end, 12, 0],
  ]);
});
