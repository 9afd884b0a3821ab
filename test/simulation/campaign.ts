/**
 * Many seeds, in as many processes as wanted. What comes of a seed depends on the seed alone, and sums do not depend on
 * the order: the figures are the same whatever the number of processes.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { Tally } from './faults.js';
import { simulate } from './simulate.js';

export interface SeedTask {
  readonly seed: number;
  readonly faultyMs: number;
}

/** A story as it passes between processes. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly counts: readonly (readonly [string, number])[];
}

export interface CampaignOptions {
  readonly first: number;
  readonly seeds: number;
  readonly faultyMs: number;
  readonly processes: number;
  /** Told of every seed that has ended, in no order. */
  readonly ended: (report: SeedReport) => void;
}

/** A heap whose young part is small is collected all the time: a fifth of the run. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];

export function storyOf({ seed, faultyMs }: SeedTask): SeedReport {
  const before = process.cpuUsage();
  const { tally, violations, traceHash, simulatedMs, events } = simulate({ seed, faultyMs });
  const { user, system } = process.cpuUsage(before);
  return { seed, violations, traceHash, simulatedMs, events, cpuMs: (user + system) / 1000, counts: tally.entries() };
}

/** Resolves when all seeds have ended, or `stop` was called: what ran then is forgotten. */
export function campaign({ first, seeds, faultyMs, processes, ended }: CampaignOptions): {
  readonly done: Promise<void>;
  readonly stop: () => void;
} {
  const children: ChildProcess[] = [];
  let [next, open] = [first, seeds];
  let stop: () => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    stop = resolve;
    const give = (child: ChildProcess) => {
      if (next < first + seeds) child.send({ seed: next++, faultyMs } satisfies SeedTask);
    };
    for (let i = 0; i < Math.min(processes, seeds); i++) {
      const execArgv = [...process.execArgv, ...NODE_OPTIONS];
      const child = fork(join(import.meta.dirname, 'seed-process.ts'), { execArgv });
      children.push(child);
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
  const clean = () => {
    for (const child of children) child.removeAllListeners('exit').kill('SIGKILL');
  };
  return { done: done.finally(clean), stop };
}

/** What a campaign has come to so far. */
export class Figures {
  readonly tally = new Tally();
  readonly broken: SeedReport[] = [];
  seeds = 0;
  simulatedMs = 0;
  cpuMs = 0;
  events = 0;

  add(report: SeedReport): void {
    this.seeds++;
    this.simulatedMs += report.simulatedMs;
    this.cpuMs += report.cpuMs;
    this.events += report.events;
    for (const [kind, count] of report.counts) this.tally.add(kind, count);
    if (report.violations.length > 0) this.broken.push(report);
  }

  get hours(): number {
    return this.simulatedMs / 3_600_000;
  }

  /** Simulated time by the time of one core. */
  get timesRealTime(): number {
    return this.cpuMs === 0 ? 0 : this.simulatedMs / this.cpuMs;
  }
}
