/** One run against an exchange; its state and memory are checked in the middle and at the end. */

import { Document, type Json } from '../schema.js';
import { type Outcome, Tally } from '../tally.js';
import { Attack } from './attack.js';
import { failureText } from './failures.js';
import { moneyFault } from './money.js';
import { World } from './world.js';

export interface CampaignOptions {
  readonly seed: number;
  readonly lanes: number;
  /** See `AttackOptions`. */
  readonly slowMs: number;
  /** Starts a half after this number of requests; returns a function that tests whether it is over. */
  readonly half: (before: number) => (requests: number) => boolean;
  /** Bytes in use on the exchange's heap; null if they cannot be separated from this process. */
  readonly heapBytes: () => Promise<number | null>;
}

/** In addition to the records of the second half: buffers, caches, windows of rate limits. */
const HEAP_SLACK_BYTES = 48 * 1024 * 1024;
/** A draft with its later records, in an exchange that keeps everything in memory. */
const HEAP_BYTES_PER_DRAFT = 6 * 1024;

/** Longer than the landing of any request, even on a busy machine. */
const LANDING_MS = 5_000;

export async function campaign(base: string, options: CampaignOptions): Promise<Outcome> {
  const document = new Document((await (await fetch(`${base}/openapi.json`)).json()) as Json);
  const world = await World.open(base, options.lanes);
  const tally = new Tally();
  const attack = new Attack({ ...options, world, document, tally });
  const faults: string[] = [];
  let attackMs = 0;
  const heaps: { bytes: number | null; drafts: number }[] = [];
  for (const half of ['in the middle', 'at the end']) {
    const startedMs = performance.now();
    const isOver = options.half(tally.total);
    await attack.run(() => isOver(tally.total));
    attackMs += performance.now() - startedMs;
    for (const fault of await stateFaults(world)) faults.push(`${half}: ${fault}`);
    heaps.push({ bytes: await options.heapBytes(), drafts: tally.countOf('201') });
  }
  const [middle, end] = heaps;
  if (middle?.bytes != null && end?.bytes != null) {
    const most = middle.bytes + HEAP_SLACK_BYTES + (end.drafts - middle.drafts) * HEAP_BYTES_PER_DRAFT;
    if (end.bytes > most)
      faults.push(`the exchange held ${middle.bytes} bytes in the middle and ${end.bytes} at the end`);
  }
  return {
    tally,
    attackMs,
    faults: [...attack.failures.map(failureText), ...faults],
    heapBytes: heaps.map(({ bytes }) => bytes),
  };
}

/** The last splits, merges and redeems land after the attack: only a lasting fault counts. */
async function settledMoneyFault(world: World): Promise<string | null> {
  const endMs = performance.now() + LANDING_MS;
  for (;;) {
    const fault = await moneyFault(world);
    if (fault === null || performance.now() > endMs) return fault;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stateFaults(world: World): Promise<string[]> {
  const found = [await settledMoneyFault(world), ...(await Promise.all(world.witnesses.map((one) => one.changes())))];
  return found.filter((fault) => fault !== null);
}
