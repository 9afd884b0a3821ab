import { stop } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { resolvable } from '../support/resolvable.js';
import { campaign, Figures, type SeedReport } from './campaign.js';
import { markdown } from './report.js';

const MINUTE_MS = 60_000;

// The bundler's program ends with this test file; the next file of this process starts another.
afterAll(() => stop());

async function reports(processes: number): Promise<readonly Omit<SeedReport, 'cpuMs'>[]> {
  const found: Omit<SeedReport, 'cpuMs'>[] = [];
  const ended = ({ cpuMs: _, ...report }: SeedReport) => found.push(report);
  const forever = new Promise<void>(() => undefined);
  await campaign({ first: 31, seeds: 2, faultyMs: MINUTE_MS / 4, pace: 'mixed', processes, ended }, forever);
  return found.sort((a, b) => a.seed - b.seed);
}

it('a campaign comes to the same in one process and in two', async () => {
  const alone = await reports(1);
  expect(alone).toMatchObject([31, 32].map((seed) => ({ seed, violations: [] })));
  expect(await reports(2)).toEqual(alone);
});

it('a campaign that was asked to stop leaves what it has', async () => {
  const figures = new Figures();
  const [stopped, stop] = resolvable();
  const ended = (report: SeedReport) => {
    figures.add(report);
    stop();
  };
  await campaign({ first: 31, seeds: 1000, faultyMs: MINUTE_MS, pace: 'mixed', processes: 1, ended }, stopped);
  expect(figures.seeds).toBeGreaterThan(0);
  expect(figures.seeds).toBeLessThan(1000);
  const origin = { command: 'npm run simulate', version: 'a commit', date: new Date(0) };
  expect(markdown(figures, origin)).toContain(`| seeds | ${figures.seeds} |`);
});
