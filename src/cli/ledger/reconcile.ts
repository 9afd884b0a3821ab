/** Command `twinbook reconcile`: compares ledger and exchange, through the trader or over a read-only ledger. */

import { setTimeout as pause } from 'node:timers/promises';
import { assert, must, TwinbookError } from '../../shared/base/errors.js';
import { sub } from '../../shared/base/micros.js';
import { describeOwner } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askOwner } from '../../shell/control/control-client.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { Comparison } from '../../trader/reconcile/comparison.js';
import { ConfirmedDifferences } from '../../trader/reconcile/confirmed-differences.js';
import { type AcceptedDifference, agreementText, type Difference } from '../../trader/reconcile/differences.js';
import { PageWalk } from '../../trader/reconcile/list-cursor.js';
import { ReconcileRound } from '../../trader/reconcile/reconciler.js';
import { command } from '../command.js';
import { type CliIo, EXIT } from '../io.js';
import * as option from '../options.js';
import { readLedger, valueOn, withVenue } from '../reach.js';
import { type TableColumn, table } from '../table.js';

type RoundEnd = NonNullable<ReturnType<ReconcileRound['onReport']>['end']>;

/** Time after which a difference is checked again, ms, because the venue's lists may lag. */
const CONFIRM_AFTER_MS = 3_000;
/** Position of a list that was never compared: without known rows, a read continues to the end of the list. */
const ALL_OF_IT = JSON.stringify({ older: [], newer: [], seq: 0, held: 0 });

type ReconcileReport = Readonly<{ differences: readonly Difference[]; accepted: readonly AcceptedDifference[] }>;

const differingSums = (reader: LedgerReader): readonly Difference[] =>
  reader.verify().map((text) => ({ what: 'sum', subject: 'ledger', ledger: text, exchange: '' }));

/** Returns the differences that two rounds found; a first round without differences suffices. Throws `timed_out`. */
async function reconcileDirectly(
  reader: LedgerReader,
  client: ServiceClient,
  ownTrades: boolean,
  withinMs: number,
  onVoid: (reason: string) => void,
): Promise<ReconcileReport> {
  const inside = differingSums(reader);
  const endsAtMs = performance.now() + withinMs;
  const moved = new Map<string, string>();
  const notes = {
    note: (key: string) =>
      moved.get(key) ?? reader.note(key) ?? (key.startsWith('history/') ? beginning(reader, key) : null),
    setNote: (key: string, value: string) => void moved.set(key, value),
  };
  const comparison = new Comparison(reader, notes, underWay(reader), ownTrades);
  const suspicions = new ConfirmedDifferences(notes, CONFIRM_AFTER_MS);
  let voided = '';
  for (;;) {
    const begunMs = Date.now();
    const found = await oneRound(comparison, client);
    if (typeof found === 'string') {
      voided = `; the last attempt failed: ${found}`;
      onVoid(found);
    } else {
      suspicions.take(found, begunMs, Date.now(), (difference) => comparison.isUndecided(difference));
      const { believed, accepted, doubtsFromMs } = suspicions;
      if (!Number.isFinite(doubtsFromMs)) return { differences: [...inside, ...believed], accepted };
    }
    const againMs = typeof found === 'string' ? Date.now() + 1_000 : suspicions.doubtsFromMs;
    const waitMs = Math.min(Math.max(0, againMs - Date.now()), CONFIRM_AFTER_MS);
    if (performance.now() + waitMs > endsAtMs) {
      const text = `no reconciliation could be completed within ${withinMs / 1000} s${voided}`;
      throw new TwinbookError('timed_out', text, 'Try again, or give a longer --timeout.');
    }
    await pause(waitMs);
  }
}

/**
 * Runs one round of comparison. Returns the differences, or the reason why the round failed.
 * @param within runs the comparison, which changes stored list positions, for example in a ledger transaction
 */
export async function oneRound(
  comparison: Comparison,
  client: ServiceClient,
  within: <T>(work: () => T) => T = (work) => work(),
): Promise<readonly Difference[] | string> {
  const round = new ReconcileRound(comparison.lists, Date.now());
  const first: PlannedRequest = {
    lane: 'own',
    owner: { kind: 'round', list: 'assets' },
    latestMs: Number.MAX_SAFE_INTEGER,
    call: { endpoint: 'account.assets', params: {}, query: { limit: 200 }, body: undefined },
  };
  let end: RoundEnd | null = null;
  const read = async (request: PlannedRequest): Promise<void> => {
    assert(request.owner.kind === 'round', `not a request of a reconciliation: ${describeOwner(request.owner)}`);
    const step = round.onReport(request.owner.list, await performAsk(request, client));
    end = step.end ?? end;
    await Promise.all(step.requests.map(read));
  };
  await Promise.all(round.requests(first).map(read));
  // The cast is needed: TypeScript does not detect that `read` assigns the end of the round.
  const ended = must(end as RoundEnd | null, 'the end of the reconciliation round');
  if (ended.kind === 'void') return ended.reason;
  const resting = await restingOrders(client);
  return typeof resting === 'string' ? resting : within(() => comparison.differences(resting, ended.begunMs, false));
}

/** Reads every page of own resting orders. Returns the orders, or why the list is unusable. */
export async function restingOrders(client: ServiceClient) {
  const walk = new PageWalk<'orders.list'>((row) => row.pubkey ?? JSON.stringify(row));
  const query = { status: [...RESTING_STATUSES], limit: 100 };
  const call = { endpoint: 'orders.list', params: {}, query, body: undefined } as const;
  const owner = { kind: 'other', name: 'resting' } as const;
  let next: PlannedRequest | null = { lane: 'own', owner, latestMs: Number.MAX_SAFE_INTEGER, call };
  while (next !== null) {
    const step = walk.onReport(await performAsk(next, client));
    if (step.kind === 'void') return `resting orders: ${step.reason}`;
    next = step.next;
  }
  return { rows: walk.rows, startedMs: walk.startedMs };
}

export async function performAsk(request: PlannedRequest, client: ServiceClient): Promise<RequestResult> {
  return { request, ...(await client.perform({ ...request, id: 1 })) };
}

/** Returns a list's first position. The position of trades excludes foreign trades from before the first start. */
function beginning(ledger: LedgerReader, key: string): string {
  const baseline = key === 'history/trades' ? ledger.note('trades_baseline') : null;
  if (baseline === null || baseline === '-') return ALL_OF_IT;
  return JSON.stringify({ older: [baseline], newer: [baseline], seq: 0, held: 0 });
}

/** Returns the intents in flight, as the executor would restore them. */
function underWay(ledger: LedgerReader): ConstructorParameters<typeof Comparison>[2] {
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

export const addReconcileCommand = command({
  name: 'reconcile',
  help: 'compares the ledger with the exchange; exit code 6 if they differ, 7 if they differ only by accepted differences',
  config: 'trader',
  options: { timeout: option.timeout(option.SLOW_S) },
  answer: async ({ options: { timeout }, config, io }) => {
    const compared = await compare(config, timeout * 1000, io);
    const open = compared.differences.map((row) => ({ ...row, accepted: null }));
    const accepted = compared.accepted.map(({ sinceMs: since, reason, ...row }) => {
      return { ...row, accepted: { since, reason } };
    });
    const agreed = accepted.length > 0 ? EXIT.accepted : EXIT.ok;
    return {
      data: [...open, ...accepted],
      text: (width) => comparedText(compared, width),
      code: open.length > 0 ? EXIT.difference : agreed,
    };
  },
});

function comparedText({ differences, accepted }: ReconcileReport, width: number | undefined): string {
  const open = differences.length;
  const differing = open > 0 ? table(differences, COLUMNS, width) : '';
  const agreement = open === 0 || accepted.length > 0 ? `${agreementText(open, accepted)}\n` : '';
  const hint =
    "`twinbook ledger adopt --reason TEXT` books the exchange's holdings; `resume --reason` only accepts the differences\n";
  return `${differing}${agreement}${open + accepted.length > 0 ? hint : ''}`;
}

async function compare(config: TraderConfig, timeoutMs: number, io: CliIo): Promise<ReconcileReport> {
  const sayVoid = (reason: string) => io.err(`A reconciliation failed (${reason}); trying again.\n`);
  const answer = await askOwner({ command: 'reconcile' }, config, { timeoutMs }).catch(valueOn(null, 'not_running'));
  if (answer === null)
    return readLedger(config, (ledger) =>
      withVenue(config, io, async ({ client, profile, wallet }) => {
        const { checkOwner } = await import('../../shell/daemon/session.js');
        checkOwner(config, ledger, wallet.address);
        return reconcileDirectly(ledger, client, profile.own_trades, timeoutMs, sayVoid);
      }),
    );
  for (const reason of answer.voided) sayVoid(reason);
  if (answer.complete)
    return { ...answer, differences: [...(await readLedger(config, differingSums)), ...answer.differences] };
  const hint = 'Try again: the exchange may be unreachable, or may omit pages of its lists.';
  throw new TwinbookError('timed_out', 'the trader completed no reconciliation in time', hint);
}

const COLUMNS: readonly TableColumn<Difference>[] = [
  { title: 'WHAT', cell: (row) => row.what },
  { title: 'WHICH', cell: (row) => row.subject, gives: 'fold' },
  { title: 'LEDGER', cell: (row) => row.ledger, gives: 'fold' },
  { title: 'EXCHANGE', cell: (row) => row.exchange, gives: 'fold' },
];
