import { describe, expect, it } from 'vitest';
import { computeCoverage, computeStats } from '../../../src/recording/inspect/stats.js';
import { newFolder } from '../../support/folders.js';
import { at, opened, put, START_MS, written } from '../store/writing.js';

const recorded = async (write: Parameters<typeof written>[1]) => opened(await written(newFolder(), write));

describe('statistics of a recording', () => {
  it('weigh the book with the time that it stood, and leave gaps out', async () => {
    const recording = await recorded((sink) => {
      put(sink, '0 clear', '0 level bid 0.4 10');
      // One-sided for 10 s, then a spread of 0.05 for 10 s and one of 0.02 for 20 s.
      put(sink, '10000 level ask 0.45 20', '20000 level bid 0.43 30', '30000 trade ask 0.43 5');
      sink.gap(at(40_000), 'a poll failed');
      put(sink, '100000 level bid 0.43 0', '110000 end');
    });
    const stats = await computeStats(recording);
    const counts = { levels: 4, trades: 1, volumeMicros: 5_000_000 };
    expect(stats).toMatchObject({ firstMs: START_MS, lastMs: START_MS + 110_000, gapMs: 60_000, ...counts });
    const parts = { known: 50_000 / 110_000, coverage: 50_000 / 600_000, twoSided: 40_000 / 50_000 };
    expect(stats).toMatchObject({ ...parts, longestCrossedMs: 0 });
    expect(stats.spreadMicros).toBeCloseTo((10 * 50_000 + 20 * 20_000 + 10 * 50_000) / 40, 6);
    expect(stats.levelsBySide).toEqual([(20 + 2 * 20 + 10) / 50, 40 / 50]);
    expect(stats.depthMicros).toEqual([(10e6 * 20 + 40e6 * 20 + 10e6 * 10) / 50, (20e6 * 40) / 50]);
  });

  it('of a recording in which no time passes have no means', async () => {
    const none = { levels: 0, twoSided: null, spreadMicros: null, levelsBySide: null };
    expect(await computeStats(await recorded((sink) => sink.end(at(0))))).toMatchObject(none);
  });

  it.each([
    ['all of its life', [0, 100], [0, 100], [], 1],
    ['the end of its life', [0, 100], [60, 200], [], 0.4],
    [
      'its life but for gaps',
      [0, 100],
      [0, 100],
      [
        [10, 20],
        [90, 300],
      ],
      0.8,
    ],
    ['its life up to a gap without an end', [0, 100], [0, 100], [[50, null]], 0.5],
    ['another time', [0, 100], [200, 300], [], 0],
    ['a life without length', [100, 100], [0, 100], [], null],
  ] as const)('tell coverage of %s', (_, life, recorded, gaps, share) => {
    const span = ([fromMs, toMs]: readonly [number, number]) => ({ fromMs, toMs });
    const told = gaps.map(([fromMs, toMs]) => ({ fromMs, toMs, reason: '' }));
    expect(computeCoverage(span(life), span(recorded), told)).toEqual(share);
  });

  it('count what the manifest counts', async () => {
    const recording = await recorded((sink) => {
      sink.clear(at(0));
      for (let ms = 0; ms < 5000; ms++) sink.level(at(ms), ms % 2, ms % 2 === 0 ? 400_000 : 500_000, 1_000_000 + ms);
      sink.end(at(5000));
    });
    const { levels, trades } = await computeStats(recording);
    expect(recording.summary?.events).toEqual({ level: levels, trade: trades, clear: 1, end: 1 });
  });
});
