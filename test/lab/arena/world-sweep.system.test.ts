/** Sweeps over worlds, on real threads: the choice, the fresh seeds, and their freshness. */

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep.js';
import { estimateMean, loadEntrants } from '../../../src/lab/arena/arena.js';
import { USUAL_CONDITIONS } from '../../../src/lab/arena/contract.js';
import { requireApart, runWorldSweep } from '../../../src/lab/arena/world-sweep.js';
import { worldNamed } from '../../../src/lab/arena/worlds.js';
import { gridSearch, readAxis } from '../../../src/lab/sweep/search.js';
import { sweepHtml } from '../../../src/lab/sweep/sweep-html.js';
import { must } from '../../../src/shared/base/errors.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { times } from '../../support/effort.js';
import { optimiseThreadsLate } from '../../support/late-optimising.js';
import { MAKER, sweepPlace, watching } from '../sweep/place.js';

optimiseThreadsLate();

const place = sweepPlace();
const folder = join(place.folder, 'strategies');
const TWO = `venue: { profile: paper }
wallet: { file: w.json }
ledger: { path: l.sqlite }
capital: "1000"
strategies: [maker.yaml, behind.yaml]
`;
beforeAll(() => {
  writeFileSync(join(folder, 'behind.yaml'), `${MAKER}params: { behind_ticks: 4 }\n`);
  writeFileSync(join(folder, 'two.yaml'), TWO);
});
afterAll(() => place.remove());

const BEHIND = 'maker.behind_ticks=0,4';
/** Seeds on which the best is chosen; the shown figures use two other seeds. */
const SEEDS = times(1, 2);

type Plan = Parameters<typeof runWorldSweep>[0];
type Wishes = Partial<Plan>;

async function planFor(out: string, wishes: Wishes = {}, file = 'maker.yaml', varied = BEHIND): Promise<Plan> {
  const source = { file: join(folder, file), env: {}, cwd: folder };
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  const axes = [readAxis(varied, config.strategies, false)];
  return {
    config,
    source,
    search: gridSearch(config, axes),
    worlds: ['challenge', 'news'].map(worldNamed),
    conditions: USUAL_CONDITIONS,
    seeds: { first: 0, count: SEEDS },
    fresh: { first: 50, count: 2 },
    workers: 2,
    outDir: resolve(folder, out),
    resume: false,
    ...wishes,
  };
}

const ONE_WORLD: Wishes = {
  worlds: [worldNamed('challenge')],
  seeds: { first: 0, count: 1 },
  fresh: { first: 50, count: 1 },
  workers: 1,
};

const edgesOf = async (file: string, world: string, first: number, count: number) => {
  const [entrant] = await loadEntrants({ file: join(folder, file), env: {}, cwd: folder });
  const seeds = Array.from({ length: count }, (_, place) => first + place);
  const edgeOf = async (seed: number) =>
    (await worldNamed(world).simulate(seed, must(entrant, file), USUAL_CONDITIONS)).edge;
  return Promise.all(seeds.map(edgeOf));
};

/** The usual plan, played once for all tests. */
let played: ReturnType<typeof runWorldSweep> | null = null;
const usual = async () => {
  played ??= runWorldSweep(await planFor('one'), watching().watcher);
  return played;
};

describe('a sweep over worlds', () => {
  it('ranks by the worst world on some seeds and shows the best on others, as the arena would', async () => {
    const { result, isComplete } = await usual();
    expect(isComplete).toBe(true);
    const counts = { events: SEEDS, tried: 2, failed: 0 };
    expect(result).toMatchObject({ subject: 'worlds', walkForward: null, counts });
    const sumIn = async (file: string, world: string) =>
      (await edgesOf(file, world, 0, SEEDS)).reduce((sum, edge) => sum + edge);
    const sums = (file: string) => Promise.all(['challenge', 'news'].map((world) => sumIn(file, world)));
    const worst = { 0: Math.min(...(await sums('maker.yaml'))), 4: Math.min(...(await sums('behind.yaml'))) };
    const best = worst[4] > worst[0] ? 'behind.yaml' : 'maker.yaml';
    expect(result.configurations[0]?.worstMicros ?? 0).toBeCloseTo(Math.max(worst[0], worst[4]) * 1e6, -1);
    expect(result.configurations[0]?.values).toEqual([best === 'behind.yaml' ? 4 : 0]);
    for (const { world, chosen, unchanged } of must(result.fresh, 'fresh seeds').worlds) {
      expect(chosen.mean).toBeCloseTo(estimateMean(await edgesOf(best, world, 50, 2)).mean, 5);
      expect(unchanged.mean).toBeCloseTo(estimateMean(await edgesOf('maker.yaml', world, 50, 2)).mean, 5);
    }
    const shown = `${sweepTables(result)}${sweepHtml(result).replace(/<script[\s\S]*?<\/script>/g, '')}`;
    expect(shown).toContain('Seeds 50 to 51');
    expect(shown).toContain('this result may be reported');
    expect(shown).not.toMatch(/NaN|Infinity|undefined|[Ff]ill model/);
  });

  it('gives the same on one thread and after being stopped, and counts trials over sweeps', async () => {
    const told = watching((done) => {
      if (done >= 2) told.stop();
    });
    const stopped = await runWorldSweep(await planFor('again', { workers: 1 }), told.watcher);
    expect([stopped.isComplete, stopped.result.fresh]).toEqual([false, null]);
    const resumed = await runWorldSweep(await planFor('again', { workers: 1, resume: true }), watching().watcher);
    expect(resumed.result).toEqual((await usual()).result);
    const others = { workers: 1, seeds: { first: 100, count: 1 }, fresh: { first: 0, count: 1 } };
    const more = await runWorldSweep(await planFor('again', others), watching().watcher);
    // Seed 0 was used for a choice above; the same two configurations are no new trials.
    expect([more.result.fresh?.usedBefore, more.result.counts.tried]).toEqual([1, 2]);
    expect(sweepTables(more.result)).toContain('1 of the fresh seeds were used to choose a configuration');
    expect(sweepTables(more.result)).not.toContain('this result may be reported');
  });

  it('ranks no configuration whose strategy throws, and says where it did', async () => {
    const plan = await planFor('broken', ONE_WORLD, 'maker.yaml', 'maker.mode=sound,throws');
    const { result } = await runWorldSweep(plan, watching().watcher);
    expect(result.configurations.map(({ status }) => status)).toEqual(['done', 'failed']);
    expect(result.configurations[1]?.error).toContain('seed 0 of challenge: quote() failed: TypeError: no such figure');
  });

  it('refuses seeds that are chosen on and reported, and several strategies', async () => {
    const plan = await planFor('refused', { seeds: { first: 0, count: 2 }, fresh: { first: 1, count: 9 } });
    await expect(runWorldSweep(plan, watching().watcher)).rejects.toThrow(
      'seeds 1 to 1 would be used both to choose a configuration and to report its result',
    );
    const two = await planFor('refused', {}, 'two.yaml');
    await expect(runWorldSweep(two, watching().watcher)).rejects.toThrow('has 2 strategies');
    for (const first of [2, 100]) expect(() => requireApart(plan.seeds, { first, count: 4 })).not.toThrow();
    expect(() => requireApart({ first: 10, count: 5 }, { first: 0, count: 11 })).toThrow('seeds 10 to 10');
  });
});
