/**
 * A trader that lives for simulated days, without faults, on the paper exchange with its crowd. What it is given a second trader is given as well, apart from all else: every period, what that one takes of memory and disk.
 */

import { Random } from '../../../src/shared/base/random.js';
import type { Observation, Request } from '../../../src/shared/protocol/seam.js';
import type { DraftSigner } from '../../../src/trader/executor/contract.js';
import { CALM } from '../faults.js';
import { drawSetting, type Pace } from '../setting.js';
import { type Diary, World } from '../world.js';
import { measureHeap } from './heap.js';
import type { GivenStep, Period, TraderFigures } from './lone-trader.js';

const HOUR_MS = 3_600_000;
/** Markets end, and others come. */
const RESOLVES_EVERY_HOURS = 3;

export interface SoakOptions {
  readonly seed: number;
  readonly hours: number;
  readonly pace: Pace;
  /** Simulated hours between two rows. */
  readonly everyHours: number;
}

/** After so many simulated hours. */
export interface SoakRow extends TraderFigures {
  readonly hours: number;
  /** Of the simulation's own process, after a collection of garbage, without code: exchange, crowd and checks, and its trader. */
  readonly simulationHeapBytes: number;
  /** Orders, trades and conversions that the exchange keeps, the crowd's too. */
  readonly records: number;
}

export interface Soaked {
  readonly violations: readonly string[];
  readonly rows: readonly SoakRow[];
}

/** Keeps what one trader was given and asked, until it is taken. */
class Steps implements Diary {
  #begunMs = 0;
  #kept: GivenStep[] = [];

  begin(runId: string, _ledgerFile: string, nowMs: number): (signer: DraftSigner) => DraftSigner {
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
 * @param live gives a period to the second trader
 * @param told each row, when it is there
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
    // Counted whole: so many times a tenth of an hour would never be three.
    for (let count = 1; count * everyHours <= hours && violations().length === 0; count += 1) {
      const passed = count * everyHours;
      if (Math.floor(passed / RESOLVES_EVERY_HOURS) > Math.floor((passed - everyHours) / RESOLVES_EVERY_HOURS))
        world.resolveAny();
      world.pass(everyHours * HOUR_MS);
      if (world.process === null) return { violations: [...violations(), 'no trader is left'], rows };
      // As the daemon does, to log them.
      world.process.trader.takeNotices();
      const figures = await live(steps.take());
      // What was sent to another process is let go of in a turn of its own.
      await new Promise((resolve) => setImmediate(resolve));
      const records = world.exchange.recordsKept;
      const row = { hours: passed, simulationHeapBytes: measureHeap().dataBytes, records, ...figures };
      rows.push(row);
      told(row);
    }
    return { violations: violations(), rows };
  } finally {
    world.close();
  }
}
