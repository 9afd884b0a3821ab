/**
 * A thief has our key: a draft that the trader gave up takes effect. The trader must report the order and cancel it.
 * During a pause, so that no limit has room for the unwanted order.
 */

import { signToHex } from '../../src/shell/wallet/wallet.js';
import { check } from './check.js';
import { KEY, type Setting } from './setting.js';
import type { World } from './world.js';

/** Part of all seeds. */
export const STOLEN_PART = 1 / 4;
/** Time from a draft to its answer, long enough for a command in between. */
const SLOW_MS = 4_000;
const LONGEST_WAIT_MS = 120_000;
const LOOK_MS = 250;
const PULL_MS = 120_000;
/** Factor of the interval between reads of own records for a trader without resting orders. */
const IDLE_FACTOR = 5;
const LAST_CANCELS_MS = 5_000;
const reason = 'the simulation';

/** In the service's format. */
interface Draft {
  readonly pubkey: string;
  readonly message: string;
}

/** @param polling the trader's poll intervals: only a read of own records finds a stolen order */
export function sufferThief(world: World, { polling }: Pick<Setting, 'polling'>): void {
  const draft = heldUp(world);
  if (draft === null) return;
  world.command({ kind: 'pause', reason });
  const slowestMs = Math.max(IDLE_FACTOR * polling.ownIntervalMs, polling.assetsIntervalMs);
  steal(world, draft, Math.max(PULL_MS, 2 * slowestMs + LAST_CANCELS_MS));
  world.command({ kind: 'resume', reason });
}

function steal(world: World, draft: Draft, pullMs: number): void {
  // Long enough for its answer; too short for its end.
  world.pass(SLOW_MS + LOOK_MS);
  const { exchange, timeline, invariants, process } = world;
  const intent = process?.file.activeIntents().find(({ draft_pubkey }) => draft_pubkey === draft.pubkey);
  if (intent?.state !== 'abandoned') return;
  const signature = signToHex(Buffer.from(draft.message, 'utf8'), KEY);
  invariants.directly(signature);
  const params = { pubkey: draft.pubkey };
  const call = { endpoint: 'orders.submit', params, query: {}, body: { signature } } as const;
  if (exchange.serve(call, timeline.nowMs).status !== 200) return;
  world.tally.add('fault: signed by somebody else');
  world.pass(pullMs);
  check(world, 'after a theft', ({ process, say }) => {
    if (process.file.loud('signed_elsewhere') === 0)
      say(`order ${draft.pubkey}, which nobody here signed, was taken in silence`);
    if (exchange.resting().length > 0) say(`${exchange.resting().length} orders rest under a pause`);
  });
}

/** Waits until the exchange has made an order's draft whose answer is still in transit; null if none. */
function heldUp(world: World): Draft | null {
  const { network, timeline, invariants } = world;
  const drafts: Draft[] = [];
  const hear = (text: string): string => {
    // An answer of the exchange; an error has no data.
    const { data } = JSON.parse(text) as { data: Draft | null };
    if (data !== null) drafts.push(data);
    return text;
  };
  network.script = ({ endpoint }) => (endpoint === 'orders.create' ? { backMs: SLOW_MS, damage: hear } : null);
  const endMs = timeline.nowMs + LONGEST_WAIT_MS;
  while (drafts.length === 0 && invariants.violations.length === 0 && timeline.nowMs < endMs) world.pass(LOOK_MS);
  network.script = null;
  return drafts[0] ?? null;
}
