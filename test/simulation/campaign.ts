/** Many seeds in any number of processes. Results depend on the seeds alone, not on the processes or their order. */

import { type ChildProcess, fork } from 'node:child_process';
import { bundle } from './bundle.js';
import { Tally } from './faults.js';
import type { Pace } from './setting.js';

export interface SeedTask {
  readonly seed: number;
  readonly faultyMs: number;
  readonly pace: Pace;
}

export const PACES = ['mixed', 'busy', 'patient'] as const;
/** In `mixed`, one seed in this number has a busy trader, which sends as much as several patient ones. */
const BUSY_OF = 6;

const paceOf = (seed: number, wanted: (typeof PACES)[number]): Pace => {
  if (wanted !== 'mixed') return wanted;
  return seed % BUSY_OF === 0 ? 'busy' : 'patient';
};

/** A story in the form sent between processes. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  /** The part with faults; the rest is calm. */
  readonly faultyMs: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly counts: readonly (readonly [string, number])[];
}

export interface CampaignOptions {
  readonly first: number;
  readonly seeds: number;
  readonly faultyMs: number;
  /** Pace of the traders. */
  readonly pace: (typeof PACES)[number];
  readonly processes: number;
  /** Called for every finished seed, in any order. */
  readonly ended: (report: SeedReport) => void;
}

/** A small young generation would be collected all the time: a fifth of the run. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];

/** Resolves when all seeds have ended, or at `stopped`: running ones are dropped. */
export async function campaign(options: CampaignOptions, stopped: Promise<void>): Promise<void> {
  const { program, remove } = await bundle('seed-process.ts');
  const children: ChildProcess[] = [];
  const start = () => {
    const child = fork(program, { execArgv: NODE_OPTIONS });
    children.push(child);
    return child;
  };
  try {
    await Promise.race([stopped, allSeeds(options, start)]);
  } finally {
    for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
    remove();
  }
}

function allSeeds(options: CampaignOptions, start: () => ChildProcess) {
  const { first, seeds, faultyMs, processes, ended } = options;
  let [next, open] = [first, seeds];
  const give = (child: ChildProcess) => {
    if (next >= first + seeds) return;
    const seed = next++;
    child.send({ seed, faultyMs, pace: paceOf(seed, options.pace) } satisfies SeedTask);
  };
  return new Promise<void>((resolve, reject) => {
    for (let i = 0; i < Math.min(processes, seeds); i++) {
      const child = start();
      child.on('message', (report: SeedReport) => {
        ended(report);
        open--;
        if (open === 0) resolve();
        give(child);
      });
      child.on('exit', (code) => reject(new Error(`a process of the simulation ended with ${code}`)));
      give(child);
    }
  });
}

/** The sums of a campaign so far. */
export class Figures {
  readonly tally = new Tally();
  readonly broken: SeedReport[] = [];
  seeds = 0;
  simulatedMs = 0;
  faultyMs = 0;
  cpuMs = 0;
  events = 0;

  add(report: SeedReport): void {
    this.seeds++;
    this.simulatedMs += report.simulatedMs;
    this.faultyMs += report.faultyMs;
    this.cpuMs += report.cpuMs;
    this.events += report.events;
    for (const [kind, count] of report.counts) this.tally.add(kind, count);
    if (report.violations.length > 0) this.broken.push(report);
  }

  get faultyHours(): number {
    return this.faultyMs / 3_600_000;
  }

  get hours(): number {
    return this.simulatedMs / 3_600_000;
  }

  /** Simulated time divided by the time of one core. */
  get timesRealTime(): number {
    return this.cpuMs === 0 ? 0 : this.simulatedMs / this.cpuMs;
  }
}
