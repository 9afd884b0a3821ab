/** What the generator does on request, and what it reports. */

import { Random } from '../../../src/shared/base/random.js';
import { percentile } from '../bench.js';
import { Traffic, type World } from './traffic.js';
import { Wire } from './wire.js';

/** Latencies in ms. */
export interface LoadReport {
  readonly answered: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Of the generator's own processor, for each answer: µs. */
  readonly ownMicros: number;
}

/** Collects what comes back between `start` and `report`; what was asked before is warm-up. */
export class Tally {
  readonly #latencies: number[] = [];
  readonly #statuses: Record<number, number> = {};
  #startMs = Number.POSITIVE_INFINITY;
  #cpu = process.cpuUsage();

  start(): void {
    this.#startMs = performance.now();
    this.#cpu = process.cpuUsage();
  }

  /** `dueMs`: when it was sent or, of an open loop, when it should have been. */
  heard(status: number, dueMs: number): void {
    if (dueMs < this.#startMs) return;
    this.#latencies.push(performance.now() - dueMs);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  report(): LoadReport {
    const seconds = (performance.now() - this.#startMs) / 1000;
    const cpu = process.cpuUsage(this.#cpu);
    const sorted = this.#latencies.sort((a, b) => a - b);
    return {
      answered: sorted.length,
      perSecond: sorted.length / seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      worst: sorted.at(-1) ?? Number.NaN,
      statuses: this.#statuses,
      ownMicros: (cpu.user + cpu.system) / Math.max(1, sorted.length),
    };
  }
}

export interface MixedJob {
  readonly warmUpMs: number;
  readonly measuredMs: number;
  readonly connections: number;
  readonly seed: number;
}

/** As fast as the answers come: every connection asks again at once. */
export async function mixedAtFullSpeed(port: number, world: World, job: MixedJob): Promise<LoadReport> {
  const traffic = new Traffic(world.traders, world.markets, job.seed);
  const tally = new Tally();
  const wires = await Wire.openMany(port, job.connections);
  const endMs = performance.now() + job.warmUpMs + job.measuredMs;
  const goOn = (wire: Wire) => {
    const sentMs = performance.now();
    if (sentMs > endMs) return;
    const { bytes, hear } = traffic.next();
    wire.ask(bytes, (status, body) => {
      hear(status, body);
      tally.heard(status, sentMs);
      goOn(wire);
    });
  };
  for (const wire of wires) goOn(wire);
  await passed(job.warmUpMs);
  tally.start();
  await passed(job.measuredMs);
  const report = tally.report();
  for (const wire of wires) wire.close();
  return report;
}

/**
 * Arrivals at random moments at a steady mean rate, whether or not earlier ones were answered. Latency counts from the
 * moment at which a request was due, so that a stall of either side shows in every request that it delayed.
 */
export async function mixedAtSteadyRate(
  port: number,
  world: World,
  job: MixedJob & { readonly perSecond: number },
): Promise<LoadReport> {
  const traffic = new Traffic(world.traders, world.markets, job.seed);
  const tally = new Tally();
  const wires = await Wire.openMany(port, job.connections);
  const idle = [...wires];
  const late: number[] = [];
  const send = (wire: Wire, dueMs: number) => {
    const { bytes, hear } = traffic.next();
    wire.ask(bytes, (status, body) => {
      hear(status, body);
      tally.heard(status, dueMs);
      const next = late.shift();
      if (next === undefined) idle.push(wire);
      else send(wire, next);
    });
  };
  const arrive = (dueMs: number) => {
    const wire = idle.pop();
    if (wire === undefined) late.push(dueMs);
    else send(wire, dueMs);
  };
  const measured = passed(job.warmUpMs).then(() => tally.start());
  await arrivals(job.perSecond, job.warmUpMs + job.measuredMs, arrive);
  await measured;
  await until(() => idle.length === wires.length, 5000);
  const report = tally.report();
  for (const wire of wires) wire.close();
  return { ...report, perSecond: report.answered / (job.measuredMs / 1000) };
}

/** Calls `arrive` with the due moments of a Poisson stream for this long. */
export async function arrivals(perSecond: number, forMs: number, arrive: (dueMs: number) => void): Promise<void> {
  const random = Random.fromSeed(1, 'arrivals');
  const startMs = performance.now();
  let dueMs = startMs;
  while (dueMs < startMs + forMs) {
    for (const nowMs = performance.now(); dueMs <= nowMs; ) {
      arrive(dueMs);
      dueMs += random.exponential(1000 / perSecond);
    }
    // A timer would be late by up to a millisecond, and the latencies with it: this spins.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until it is so, at most this long. */
export async function until(isSo: () => boolean, atMostMs: number): Promise<void> {
  const endMs = performance.now() + atMostMs;
  while (!isSo() && performance.now() < endMs) await passed(1);
}
