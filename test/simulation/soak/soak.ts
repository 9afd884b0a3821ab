/**
 * A trader over simulated days, without faults, on the paper exchange with its crowd. A second, isolated trader gets
 * the same input, to measure its memory and disk.
 */

import { Random } from '../../../src/shared/base/random.js';
import type { Observation, Request } from '../../../src/shared/protocol/seam.js';
import type { IntentSigner } from '../../../src/trader/executor/contract.js';
import { CALM } from '../faults.js';
import { drawSetting, type Pace } from '../setting.js';
import { type Diary, World } from '../world.js';
import { measureMemory } from './heap.js';
import type { GivenStep, Period, TraderFigures } from './lone-trader.js';

const HOUR_MS = 3_600_000;
/** Hours after which a market ends and another starts. */
const RESOLVES_EVERY_HOURS = 3;

interface SoakOptions {
  readonly seed: number;
  readonly hours: number;
  readonly pace: Pace;
  /** Simulated hours between two rows. */
  readonly everyHours: number;
}

/** After this number of simulated hours. */
export interface SoakRow extends TraderFigures {
  readonly hours: number;
  /** Heap of the simulation's own process after a collection, without code: exchange, crowd, checks and its trader. */
  readonly simulationHeapBytes: number;
  /** Orders, trades and conversions at the exchange, including the crowd's. */
  readonly records: number;
}

interface Soaked {
  readonly violations: readonly string[];
  readonly rows: readonly SoakRow[];
}

/** Keeps one trader's inputs and requests until they are taken. */
class Steps implements Diary {
  #begunMs = 0;
  #kept: GivenStep[] = [];

  begin(runId: string, _ledgerFile: string, nowMs: number): (signer: IntentSigner) => IntentSigner {
    if (runId !== 'r1') throw new Error('a soak has no crash: its trader began a second time');
    this.#begunMs = nowMs;
    return (signer) => signer;
  }

  step(observation: Observation, requests: readonly Request[]): void {
    this.#kept.push({ observation, requests: JSON.stringify(requests) });
  }

  take(): Pick<Period, 'begunMs' | 'steps'> {
    const steps = this.#kept;
    this.#kept = [];
    return { begunMs: this.#begunMs, steps };
  }
}

/**
 * @param live sends a period to the second trader
 * @param told called with each row
 */
export async function soak(
  options: SoakOptions,
  live: (period: Period) => Promise<TraderFigures>,
  told: (row: SoakRow) => void = () => undefined,
): Promise<Soaked> {
  const { seed, hours, everyHours, pace } = options;
  const steps = new Steps();
  const world = new World(seed, CALM, steps, 'given', drawSetting(Random.fromSeed(seed, 'setting'), pace));
  const rows: SoakRow[] = [];
  const violations = () => [...world.invariants.violations, ...(rows.at(-1)?.violations ?? [])];
  try {
    // Counted in whole steps: sums of tenths of an hour would never equal three.
    for (let count = 1; count * everyHours <= hours && violations().length === 0; count += 1) {
      const passed = count * everyHours;
      if (Math.floor(passed / RESOLVES_EVERY_HOURS) > Math.floor((passed - everyHours) / RESOLVES_EVERY_HOURS))
        world.resolveAny();
      world.pass(everyHours * HOUR_MS);
      if (world.process === null) return { violations: [...violations(), 'no trader is left'], rows };
      // As the daemon does, to log them.
      world.process.trader.takeNotices();
      const figures = await live(steps.take());
      // Memory of messages to another process is freed in a separate turn.
      await new Promise((resolve) => setImmediate(resolve));
      const records = world.exchange.recordsKept;
      const row = { hours: passed, simulationHeapBytes: measureMemory().heapBytes, records, ...figures };
      rows.push(row);
      told(row);
    }
    return { violations: violations(), rows };
  } finally {
    world.close();
  }
}
