import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type BenchRow, sized } from './bench.js';
import type { LoadReport } from './load/jobs.js';
import { LoadGenerator, Service } from './load/processes.js';

const TRADERS = 16;
const MARKETS = 4;
const FULL_SPEED = { warmUpMs: sized(1000, 100), measuredMs: sized(5000, 300), connections: 32, seed: 1 };
/** The target: p99 under 25 ms at this rate. */
const STEADY = {
  warmUpMs: sized(1000, 100),
  measuredMs: sized(8000, 400),
  connections: 64,
  seed: 2,
  perSecond: sized(1500, 200),
};

/** 60 % books, 20 % order drafts and submits, 10 % lists, 10 % merges and cancels, all signed, rate limits counted. */
async function mixed(generator: LoadGenerator, dataDir: string | null): Promise<BenchRow[]> {
  const service = await Service.start({ exchange: { dataDir } });
  await generator.run('makeWorld', service.port, TRADERS, MARKETS);
  const before = await service.usage();
  const fast = await generator.run('fullSpeed', service.port, FULL_SPEED);
  const after = await service.usage();
  const steady = await generator.run('steady', service.port, STEADY);
  await service.end();
  const where = dataDir === null ? 'in memory' : 'with --data-dir';
  // The warm-up is in the processor time but not among the answers.
  const warmed = (fast.answered * (FULL_SPEED.warmUpMs + FULL_SPEED.measuredMs)) / FULL_SPEED.measuredMs;
  const cost = (after.cpuMicros - before.cpuMicros) / warmed;
  const own = `generator ${fast.ownMicros.toFixed(0)} µs`;
  return [
    { name: `signed mixed requests, ${where}`, figure: fast.perSecond, unit: 'req/s', spread: latencies(fast) },
    { name: `the exchange's processor time for one, ${where}`, figure: cost, unit: 'µs', spread: own },
    {
      name: `p99 at a steady ${STEADY.perSecond} signed mixed requests/s, ${where}`,
      figure: steady.p99,
      unit: 'ms',
      spread: `${latencies(steady)}, ${steady.perSecond.toFixed(0)} req/s`,
    },
  ];
}

const latencies = ({ p50, p99, worst }: LoadReport): string =>
  `p50 ${p50.toFixed(2)} / p99 ${p99.toFixed(2)} / worst ${worst.toFixed(1)} ms`;

async function run(): Promise<BenchRow[]> {
  const generator = new LoadGenerator();
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-bench-'));
  try {
    return [...(await mixed(generator, null)), ...(await mixed(generator, folder))];
  } finally {
    await generator.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const bench: Bench = { title: 'exchange over HTTP: signed mixed traffic from another process', run };
