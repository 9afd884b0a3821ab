/** Real orders followed by their sizes, and the model that fills them as in reality. */

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveFillModels } from '../../../src/cli/lab/backtest.js';
import { fillModel } from '../../../src/exchange/core/matching/fill-model.js';
import { calibrate, filledBy, LevelHistory } from '../../../src/lab/calibrate/calibration.js';
import { calibratedName, calibrationText } from '../../../src/lab/calibrate/calibration-file.js';
import type { Recording } from '../../../src/recording/contract.js';
import { newFolder } from '../../support/folders.js';
import { ASK, BID, chunk, end, level, market, type Row, trade } from '../backtest/recordings.js';

const LOT = 10_000;

/** 100 of others, then 7 of the followed order, then 50 behind it. */
const QUEUE: readonly Row[] = [level(0, BID, 0.4, 100), level(1, BID, 0.4, 107), level(2, BID, 0.4, 157)];
const FILLED: readonly Row[] = [
  ...QUEUE,
  // Half of the amount ahead cancels, the rest is traded, then the order itself.
  level(3, BID, 0.4, 107),
  ...[trade(4, ASK, 0.4, 49.99), level(4, BID, 0.4, 57.01)],
  ...[trade(5, ASK, 0.4, 7), level(5, BID, 0.4, 50.01)],
];
const CANCELLED: readonly Row[] = [
  ...QUEUE,
  ...[trade(3, ASK, 0.4, 30), level(3, BID, 0.4, 127)],
  level(4, BID, 0.4, 120),
];

function ordersIn(rows: readonly Row[]) {
  const history = new LevelHistory();
  history.add(chunk(rows));
  return history.orders().flat();
}
const seven = (rows: readonly Row[]) => ordersIn(rows).find(({ sizeMicros }) => sizeMicros === 7_000_000);

describe('an order that is followed', () => {
  it('is filled by the one trade of its size, and cancelled without any', () => {
    expect(seven(FILLED)?.end).toBe('filled');
    expect(seven(CANCELLED)?.end).toBe('cancelled');
  });

  it('is none whose size came or left twice, or left before it came', () => {
    expect(seven([...FILLED, level(9, BID, 0.4, 57.01)])).toBeUndefined();
    expect(seven([level(0, BID, 0.4, 7), level(1, BID, 0.4, 0), ...FILLED.slice(1)])).toBeUndefined();
    expect(seven([level(0, BID, 0.4, 107), level(1, BID, 0.4, 100), level(2, BID, 0.4, 107)])).toBeUndefined();
  });

  it('is another one at another level', () => {
    const other = FILLED.map(([at, kind, side, , shares]): Row => [at, kind, 1 - side, 0.6, shares]);
    expect(ordersIn([...FILLED, ...other]).filter(({ sizeMicros }) => sizeMicros === 7_000_000)).toHaveLength(2);
  });
});

describe('a model that plays it', () => {
  const played = (name: string, rows: readonly Row[]): number => {
    const order = seven(rows);
    if (order === undefined) throw new Error('an order of seven');
    return filledBy(fillModel(name), order, LOT) / 1e6;
  };

  it('fills what reaches it behind the queue that it assumes', () => {
    // 100 ahead, and the model expects no cancels: 56.99 traded shares fill nothing.
    expect(played('risk-averse', FILLED)).toBe(0);
    expect(played('optimistic', FILLED)).toBe(7);
    const curve = played('power2:3', FILLED);
    expect(curve).toBeGreaterThan(0);
    expect(curve).toBeLessThanOrEqual(7);
  });

  it('does not take the going of the order itself for somebody else', () => {
    expect(played('risk-averse', CANCELLED)).toBe(0);
    expect(played('optimistic', CANCELLED)).toBe(7);
  });
});

const recording = (rows: readonly Row[]): Recording => ({
  market: market(),
  warnings: [],
  async *chunks() {
    yield chunk([...rows, end(60_000)]);
  },
});

describe('a calibration', () => {
  it('chooses the model nearest to what happened, once enough orders were filled', async () => {
    const many = Array.from({ length: 60 }, () => recording(FILLED));
    const found = await calibrate(many);
    expect(found).toMatchObject({ filledOrders: 60, filledMicros: 60 * 7_000_000 });
    const nearest = [...found.fits].sort((a, b) => Math.abs(a.ratio - 1) - Math.abs(b.ratio - 1))[0];
    expect(found.best).toBe(nearest?.model);
    expect((await calibrate(many.slice(0, 10))).best).toBeNull();
  });

  it('counts filled orders that overtook an older one, which tells how far it can be trusted', async () => {
    const both: readonly Row[] = [level(0, BID, 0.4, 7), level(1, BID, 0.4, 12)];
    const olderFirst = [trade(2, ASK, 0.4, 7), level(2, BID, 0.4, 5), trade(3, ASK, 0.4, 5), level(3, BID, 0.4, 0)];
    const newerFirst = [trade(2, ASK, 0.4, 5), level(2, BID, 0.4, 7), trade(3, ASK, 0.4, 7), level(3, BID, 0.4, 0)];
    const found = await calibrate([olderFirst, newerFirst, newerFirst].map((rows) => recording([...both, ...rows])));
    expect(found.priority).toEqual({ orders: 3, broken: 2 });
  });

  it('of recordings in which nothing can be followed is an error', async () => {
    await expect(calibrate([recording([level(0, BID, 0.4, 5)])])).rejects.toThrow(/no order can be followed/);
  });

  it('is read again as the fill model of a backtest, under a name that says so', async () => {
    const found = await calibrate(Array.from({ length: 60 }, () => recording(FILLED)));
    const path = join(newFolder(), 'calibration.json');
    writeFileSync(path, calibrationText(found));
    const named = calibratedName(`calibrated:${path}`, '/');
    expect(named).toBe(`calibrated (${found.best})`);
    const model = fillModel(named);
    expect(model.name).toBe(named);
    const plain = fillModel(found.best ?? '');
    expect(model.aheadAfterChange(50e6, 100e6, 80e6, 0, LOT)).toBe(plain.aheadAfterChange(50e6, 100e6, 80e6, 0, LOT));
    // By default from the working folder; and with makers who only post.
    const postsOnly = fillModel(calibratedName('posts-only:calibrated', dirname(path)));
    expect([postsOnly.name, postsOnly.postsOnly]).toEqual([`posts-only:calibrated (${found.best})`, true]);
    expect(calibratedName('power:3', '/')).toBe('power:3');
    expect(resolveFillModels(['calibrated', 'log'], [], dirname(path))).toEqual([named, 'log']);
    expect(() => fillModel('calibrated (power:11)')).toThrow(/no fill model is called/);
    writeFileSync(path, '{}');
    expect(() => calibratedName('calibrated', dirname(path))).toThrow(/is no calibration/);
  });
});
