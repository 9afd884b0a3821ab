/** The load generator, a process of its own: does the jobs that it is told to, one after the other. */

import { mixedAtFullSpeed, mixedAtSteadyRate } from './jobs.js';
import { makeWorld, type World } from './traffic.js';
import { Wire } from './wire.js';

/** Worlds by the port of their service. */
const worlds = new Map<number, World>();
const worldOf = (port: number): World => {
  const world = worlds.get(port);
  if (world === undefined) throw new Error('no world was made there');
  return world;
};

const JOBS = {
  async makeWorld(port: number, traders: number, markets: number): Promise<void> {
    const wire = await Wire.open(port);
    const world = await makeWorld(wire, traders, markets);
    worlds.set(port, world);
    wire.close();
  },
  fullSpeed: (port: number, job: Parameters<typeof mixedAtFullSpeed>[2]) => mixedAtFullSpeed(port, worldOf(port), job),
  steady: (port: number, job: Parameters<typeof mixedAtSteadyRate>[2]) => mixedAtSteadyRate(port, worldOf(port), job),
};
export type Jobs = typeof JOBS;

export interface JobMessage {
  readonly name: keyof Jobs;
  readonly args: readonly unknown[];
}

export type JobOutcome = { readonly result: unknown } | { readonly failure: string };

process.on('disconnect', () => process.exit(0));
// An unexpected answer is thrown where it is heard, outside of any job.
process.on('uncaughtException', (error) => {
  process.send?.({ failure: error.stack ?? error.message });
});
process.on('message', (message: JobMessage) => {
  // Sent by `LoadGenerator.run`, whose types tie the arguments to the name.
  const job = JOBS[message.name] as (...args: readonly unknown[]) => Promise<unknown>;
  job(...message.args).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error instanceof Error ? error.stack : error) }),
  );
});
