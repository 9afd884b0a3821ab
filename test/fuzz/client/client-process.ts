/** One part of the client's campaign; it reports every uncaught error. */

import type { Tally } from '../tally.js';
import { type ClientCampaignOptions, type ClientOutcome, clientCampaign } from './campaign.js';

export interface ClientTask extends Pick<ClientCampaignOptions, 'seed' | 'part' | 'parts'> {
  readonly halfMs: number;
}

/** An outcome in the form sent between processes. */
export interface ClientReport extends Omit<ClientOutcome, 'tally'>, Pick<Tally, 'counts'> {}

const WORKERS = 250;

const uncaught: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException', 'warning'] as const) {
  process.on(event, (error: unknown) =>
    uncaught.push(`${event}: ${error instanceof Error ? error.stack : String(error)}`),
  );
}

function heapBytes(): number {
  // Present only with --expose-gc; without it the figure is an upper bound.
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

process.once('message', (task: ClientTask) => {
  const half = () => {
    const endMs = performance.now() + task.halfMs;
    return () => performance.now() > endMs;
  };
  void clientCampaign({ ...task, workers: WORKERS, half, heapBytes }).then(({ tally, faults, ...rest }) => {
    const report: ClientReport = { ...rest, counts: tally.counts, faults: [...faults, ...uncaught] };
    process.send?.(report);
  });
});
