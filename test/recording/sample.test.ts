import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Crowd } from '../../src/exchange/crowd/crowd.js';
import { verifyRecordings } from '../../src/recording/inspect/verify.js';
import { openRecordings } from '../../src/recording/recording.js';
import { newCore, START_MS } from '../exchange/crowd/world.js';
import { collected } from '../support/collected.js';
import { newFolder } from '../support/folders.js';
import { makeSample, SAMPLE } from './make-sample.js';
import { rowsOf } from './samples.js';

const POLYMARKET = resolve(import.meta.dirname, '../../data/polymarket');

describe('the sample recording', () => {
  it('is made again event by event', async () => {
    const folder = newFolder();
    await makeSample(folder);
    const [kept, made] = [await openRecordings([SAMPLE]), await openRecordings([folder])];
    expect(kept).toHaveLength(3);
    for (const [index, recording] of kept.entries()) {
      const { source: _, ...market } = recording.market;
      expect(made[index]?.market).toMatchObject(market);
      expect(await rowsOf(made[index])).toEqual(await rowsOf(recording));
      expect(await pollsOf(made[index])).toEqual(await pollsOf(recording));
    }
  });

  it('is whole, resolved and without a warning', async () => {
    expect(await verifyRecordings([SAMPLE])).toMatchObject({ markets: 3, findings: [] });
    for (const { market, warnings } of await openRecordings([SAMPLE])) {
      expect(market.outcome).not.toBeNull();
      expect(warnings).toEqual([]);
    }
  });
});

describe('the shipped recordings', () => {
  it('have names that no market of the simulated crowd has', async () => {
    const core = newCore();
    new Crowd(core, { seed: 1 }, START_MS).tick(START_MS);
    expect(core.catalog.markets.length).toBeGreaterThan(0);
    for (const { market } of await openRecordings([SAMPLE, POLYMARKET]))
      expect(core.catalog.findIndex(market.conditionId), market.title).toBeNull();
  });

  it('of real markets are whole, name their licence, and are small', async () => {
    const { markets, findings } = await verifyRecordings([POLYMARKET]);
    expect(markets).toBe(2);
    expect(findings.filter(({ severity }) => severity === 'difference')).toEqual([]);
    const licence = readFileSync(join(POLYMARKET, 'LICENSE'), 'utf8');
    expect(licence).toContain('MIT License');
    expect(readFileSync(join(POLYMARKET, '../README.md'), 'utf8')).toContain(/Copyright \(c\) (.*)/.exec(licence)?.[1]);
    const bytes = (await openRecordings([POLYMARKET])).map(({ summary }) => summary?.bytes ?? 0);
    expect(bytes.reduce((total, one) => total + one, 0)).toBeLessThan(400_000);
  });
});

async function pollsOf(recording: Awaited<ReturnType<typeof openRecordings>>[number] | undefined) {
  const polls = await collected(recording?.polls?.() ?? []);
  expect(polls.length).toBeGreaterThan(100);
  return polls;
}
