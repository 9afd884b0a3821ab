/**
 * Reconciliation without a trader: the same comparison as in a running one, from the same marks, over a read-only
 * ledger. It stores nothing.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { assert, must, TwinbookError } from '../../shared/base/errors.js';
import { sub } from '../../shared/base/micros.js';
import { describeOwner } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { Comparison, type UnderWay } from '../../trader/reconcile/comparison.js';
import { ConfirmedDifferences } from '../../trader/reconcile/confirmed-differences.js';
import type { Difference } from '../../trader/reconcile/differences.js';
import { PageWalk } from '../../trader/reconcile/list-cursor.js';
import { Round, type RoundEnd } from '../../trader/reconcile/reconciler.js';

/** Nothing moves meanwhile: only lagging lists are waited out, ms. */
const CONFIRM_AFTER_MS = 3_000;
const RETRY_MS = 1_000;
/** A list's history in a ledger without any reconciliation: all of it is compared. */
const ALL_OF_IT = JSON.stringify({ older: [], newer: [], seq: 0, held: 0 });

interface DirectReconciliation {
  readonly ledger: LedgerReader;
  readonly client: ServiceClient;
  readonly ownTrades: boolean;
  readonly withinMs: number;
  readonly onVoid: (reason: string) => void;
}

export type Compared = Awaited<ReturnType<typeof reconcileDirectly>>;

/**
 * Differences in two rounds; empty when one round found none. Throws `timed_out` when no complete round, or no second
 * one, was possible in time.
 */
export async function reconcileDirectly(options: DirectReconciliation) {
  const { client, withinMs } = options;
  // Elapsed time: a step of the machine's clock must not change the wait.
  const endsAtMs = performance.now() + withinMs;
  const ledger = overlayNotes(options.ledger);
  const comparison = new Comparison(ledger, underWay(options.ledger), options.ownTrades);
  const suspicions = new ConfirmedDifferences(ledger, CONFIRM_AFTER_MS);
  let voided = '';
  for (;;) {
    const begunMs = Date.now();
    const found = await oneRound(comparison, client);
    if (typeof found === 'string') {
      voided = found;
      options.onVoid(found);
    } else {
      suspicions.take(found, begunMs, Date.now(), (difference) => comparison.isUndecided(difference));
      if (!Number.isFinite(suspicions.doubtsFromMs)) {
        // `accepted` ones were skipped: an operator has accepted them.
        const { believed: differences, accepted } = suspicions;
        return { differences, accepted };
      }
    }
    const againMs = typeof found === 'string' ? Date.now() + RETRY_MS : suspicions.doubtsFromMs;
    const waitMs = Math.min(Math.max(0, againMs - Date.now()), CONFIRM_AFTER_MS);
    if (performance.now() + waitMs > endsAtMs) throw tooLate(withinMs, voided);
    await pause(waitMs);
  }
}

const tooLate = (withinMs: number, voided: string): TwinbookError =>
  new TwinbookError(
    'timed_out',
    `no complete rounds were possible within ${withinMs / 1000} s${voided === '' ? '' : `; the last was void: ${voided}`}`,
    'Try again, or give a longer --timeout.',
  );

/**
 * Differences of a complete round, or why it was void.
 * @param within wraps the comparison, which moves marks: for a writable ledger, a transaction
 */
export async function oneRound(
  comparison: Comparison,
  client: ServiceClient,
  within: <T>(work: () => T) => T = (work) => work(),
): Promise<readonly Difference[] | string> {
  const round = new Round(comparison.lists, Date.now());
  const first: PlannedRequest = {
    lane: 'own',
    owner: { kind: 'round', list: 'assets' },
    latestMs: Number.MAX_SAFE_INTEGER,
    call: { endpoint: 'account.assets', params: {}, query: { limit: 200 }, body: undefined },
  };
  let end: RoundEnd | null = null;
  const read = async (request: PlannedRequest): Promise<void> => {
    assert(request.owner.kind === 'round', `a request of no round: ${describeOwner(request.owner)}`);
    const step = round.onReport(request.owner.list, await performAsk(request, client));
    end = step.end ?? end;
    await Promise.all(step.requests.map(read));
  };
  await Promise.all(round.requests(first).map(read));
  // Assigned in `read`, which TypeScript does not follow.
  const ended = must(end as RoundEnd | null, 'end of the round');
  if (ended.kind === 'void') return ended.reason;
  const resting = await restingOrders(client);
  return typeof resting === 'string' ? resting : within(() => comparison.differences(resting, ended.begunMs, false));
}

/** Every page of own resting orders, or why the list was void. */
export async function restingOrders(client: ServiceClient) {
  const walk = new PageWalk<'orders.list'>((row) => row.pubkey ?? JSON.stringify(row));
  const query = { status: [...RESTING_STATUSES], limit: 100 };
  const call = { endpoint: 'orders.list', params: {}, query, body: undefined } as const;
  let next: PlannedRequest | null = {
    lane: 'own',
    owner: { kind: 'other', name: 'resting' },
    latestMs: Number.MAX_SAFE_INTEGER,
    call,
  };
  while (next !== null) {
    const step = walk.onReport(await performAsk(next, client));
    if (step.kind === 'void') return `resting orders: ${step.reason}`;
    next = step.next;
  }
  return { rows: walk.rows, startedMs: walk.startedMs };
}

export async function performAsk(request: PlannedRequest, client: ServiceClient): Promise<RequestResult> {
  const { lane, call, latestMs } = request;
  const { outcome, nowMs, sentMs, venueTimeMs } = await client.perform({ id: 1, lane, call, latestMs });
  return { request, outcome, nowMs, sentMs, venueTimeMs };
}

function overlayNotes(ledger: LedgerReader) {
  const notes = new Map<string, string>();
  return {
    order: (pubkey: string) => ledger.order(pubkey),
    intent: (id: string) => ledger.intent(id),
    fill: (pubkey: string) => ledger.fill(pubkey),
    conversion: (pubkey: string) => ledger.conversion(pubkey),
    fillsAfter: (seq: number) => ledger.fillsAfter(seq),
    conversionsAfter: (seq: number) => ledger.conversionsAfter(seq),
    newestSeq: (of: 'fills' | 'conversions') => ledger.newestSeq(of),
    hadFailed: (tradePubkey: string) => ledger.hadFailed(tradePubkey),
    failedTrades: () => ledger.failedTrades(),
    tradeTurns: () => ledger.tradeTurns(),
    positions: () => ledger.positions(),
    note: (key: string) =>
      notes.get(key) ?? ledger.note(key) ?? (key.startsWith('history/') ? beginning(ledger, key) : null),
    setNote: (key: string, value: string) => void notes.set(key, value),
  };
}

/** Trades before the ledger's first start are not its own. */
function beginning(ledger: LedgerReader, key: string): string {
  const baseline = key === 'history/trades' ? ledger.note('trades_baseline') : null;
  if (baseline === null || baseline === '-') return ALL_OF_IT;
  return JSON.stringify({ older: [baseline], newer: [baseline], seq: 0, held: 0 });
}

/** As the executor would restore it. */
function underWay(ledger: LedgerReader): UnderWay {
  const intents = ledger.activeIntents();
  const orders = ledger.unsettledOrders();
  return {
    pendingConversion: (kind, market) =>
      intents.find((intent) => intent.kind === kind && intent.marketConditionId === market)?.id ?? null,
    restingOrders: () =>
      orders
        .filter(({ status }) => RESTING_STATUSES.includes(status))
        .map(({ pubkey, createdMs }) => ({ orderPubkey: pubkey, createdMs, cancelPending: false })),
    missingFills: () =>
      orders.flatMap(({ pubkey, marketConditionId, filledMicros, bookedMicros, failedMicros }) => {
        const missingMicros = sub(sub(filledMicros, bookedMicros), failedMicros);
        return missingMicros > 0 ? [{ orderPubkey: pubkey, marketConditionId, missingMicros }] : [];
      }),
  };
}
