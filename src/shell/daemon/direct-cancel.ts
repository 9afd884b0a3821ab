/** Cancels all own orders without ledger and core: used after the core failed or without a trader. May be repeated. */

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OrderRow } from '../../shared/protocol/records.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import { isFinalOrder, RESTING_STATUSES } from '../../shared/protocol/states.js';
import { isKeyRefusal } from '../client/accepted-credentials.js';
import { ServiceClient } from '../client/client.js';
import type { Environment, TraderConfig } from '../config/config.js';
import type { CancelAllData } from '../control/control-protocol.js';
import { steadyMs } from '../runtime/clock.js';
import { type StoredDraft, signingRules } from '../wallet/draft-signer.js';
import { loadCredentials, openKeyFile, walletPassphrase } from '../wallet/key-file.js';
import type { Wallet } from '../wallet/wallet.js';

const TRY_AGAIN = '`twinbook cancel-all --verify` tries again; `twinbook doctor` shows the exchange’s answers.';
const ANOTHER_KEY =
  'The key may have been revoked: `twinbook keys bootstrap` makes a new key, then `twinbook cancel-all --verify` cancels all orders.';
/** Maximum number of rounds. Each round lists the orders again, to cancel new orders and to repeat lost cancels. */
const ROUNDS = 3;
/** Number of parallel cancels. Each cancel needs two requests; four cancels stay far below the rate limit. */
const AT_ONCE = 4;
/** Wait after a throttled cancel, ms. Afterwards cancels are sent one at a time, so that the venue is not flooded. */
const THROTTLED_MS = 1_000;
/** Maximum number of pages of an order list. A longer list, or a page without new orders, is an error. */
const MAX_PAGES = 100;

export interface DirectCancel {
  readonly client: ServiceClient;
  readonly wallet: Wallet;
  readonly profile: VenueProfile;
  readonly allowBlindSigning: boolean;
  /** Whether to read the orders twice at the end, to verify that no order rests. */
  readonly verify: boolean;
  /** Throws if the orders belong to another trader now; called before each cancel. */
  readonly checkOwner?: () => void;
}

/**
 * Cancels all orders; adds their pubkeys to `asked`. Throws `venue_unreachable` or `venue_refused` if no order can be
 * read or canceled.
 */
export async function cancelDirectly(options: DirectCancel, asked = new Set<string>()): Promise<CancelAllData> {
  for (let round = 1; round <= ROUNDS; round++) {
    const { orders, trouble } = await restingOrders(options.client);
    if (orders.length === 0 && trouble !== null) throw trouble;
    if (orders.length === 0) break;
    const refusals = await cancelEach(orders, asked, options);
    if (refusals.length === orders.length && round === ROUNDS)
      throw new TwinbookError('venue_refused', `no order could be canceled: ${refusals[0] ?? ''}`, TRY_AGAIN);
    const isDone = refusals.length === 0 && trouble === null;
    if (!options.verify && isDone) return { asked: asked.size, resting: 0, verified: false };
  }
  const first = await countResting(options.client);
  const second = await countResting(options.client);
  return { asked: asked.size, resting: Math.max(first, second), verified: first === 0 && second === 0 };
}

/** Cancels until two rounds in a row find no order. `trouble`: error of the last round, if that round failed. */
export async function cancelUntilNothingRests(
  options: Omit<DirectCancel, 'verify'>,
  { withinMs, pauseMs } = PATIENCE,
  asked = new Set<string>(),
): Promise<CancelAllData & { readonly trouble?: unknown }> {
  const endMs = steadyMs() + withinMs;
  for (let empty = 0; ; await pause(pauseMs)) {
    options.checkOwner?.();
    const before = asked.size;
    const work = cancelDirectly({ ...options, verify: true }, asked);
    const round = await work.catch((trouble: unknown) => ({ resting: 0, verified: false, trouble }));
    empty = round.verified && asked.size === before ? empty + 1 : 0;
    if (empty === 2 || steadyMs() >= endMs) return { ...round, asked: asked.size, verified: empty === 2 };
  }
}

/** Maximum time of `cancelUntilNothingRests`, and its pause between rounds, so that delayed requests can arrive, ms. */
const PATIENCE = { withinMs: 90_000, pauseMs: 3_000 };

async function cancelEach(orders: readonly OrderRow[], asked: Set<string>, options: DirectCancel): Promise<string[]> {
  const waiting = orders.filter((order) => order.pubkey !== null);
  const refusals = orders.filter((order) => order.pubkey === null).map(() => 'an order has no pubkey');
  let isThrottled = false;
  const worker = async (_: unknown, nth: number) => {
    for (let order = waiting.pop(); order !== undefined; order = waiting.pop()) {
      const pubkey = order.pubkey ?? '';
      options.checkOwner?.();
      asked.add(pubkey);
      const refusal = await cancelOne(pubkey, order.market.condition_id, options);
      if (refusal !== null) refusals.push(refusal);
      if (isThrottling(refusal)) isThrottled = true;
      if (isThrottled && nth > 0) return;
      if (isThrottled && isThrottling(refusal)) await pause(THROTTLED_MS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return refusals;
}

const isThrottling = (refusal: string | null): boolean => refusal !== null && /^throttled,|^HTTP 429 /.test(refusal);

/** Counts resting orders. Throws the reason if the order list is incomplete, because such a list proves nothing. */
async function countResting(client: ServiceClient): Promise<number> {
  const { orders, trouble } = await restingOrders(client);
  if (trouble !== null) throw trouble;
  return orders.length;
}

/** Reads own resting orders. `trouble`: reason why the list may be incomplete; null for a complete list. */
async function restingOrders(client: ServiceClient) {
  const orders: OrderRow[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { status: [...RESTING_STATUSES], limit: 100, cursor };
    const { outcome } = await client.call('orders.list', { query }, { lane: 'cancel' });
    if (outcome.kind !== 'answered') return { orders, trouble: listTrouble(outcome) };
    const news = outcome.data.filter(({ pubkey }) => pubkey === null || !seen.has(pubkey));
    for (const { pubkey } of news) if (pubkey !== null) seen.add(pubkey);
    orders.push(...news.filter(({ status }) => !isFinalOrder(status)));
    if (outcome.nextCursor === null) return { orders, trouble: null };
    if (news.length === 0) break;
    cursor = outcome.nextCursor;
  }
  const what = "the exchange's list of open orders has too many pages";
  return { orders, trouble: new TwinbookError('venue_refused', what, TRY_AGAIN) };
}

const listTrouble = (outcome: NotAnswered): TwinbookError =>
  outcome.kind === 'refused'
    ? new TwinbookError(
        'venue_refused',
        `the exchange refused the list of open orders: ${describeReason(outcome)}`,
        isKeyRefusal(outcome) ? ANOTHER_KEY : TRY_AGAIN,
      )
    : new TwinbookError('venue_unreachable', `open orders cannot be read: ${outcome.reason}`, TRY_AGAIN);

/** Drafts, signs and submits a cancel. Returns null if accepted or if the order has ended, else the error. */
async function cancelOne(pubkey: string, marketConditionId: string, options: DirectCancel): Promise<string | null> {
  const { client, wallet, profile, allowBlindSigning } = options;
  const drafted = await client.call('orders.cancel', { params: { pubkey } }, { lane: 'cancel' });
  if (drafted.outcome.kind !== 'answered') return unlessGone(drafted.outcome);
  const stored: StoredDraft = {
    intentId: pubkey,
    marketConditionId,
    draftPubkey: drafted.outcome.data.pubkey,
    message: drafted.outcome.data.message,
    terms: { action: 'cancel-order', orderPubkey: pubkey },
  };
  const signer = wallet.draftSigner({
    ...signingRules(profile, allowBlindSigning),
    loadDraft: (id) => (id === pubkey ? stored : null),
  });
  const signed = signer.sign(pubkey);
  if (!signed.ok) return `the wallet refused to sign: ${signed.reason}`;
  const body = { signature: signed.signature };
  const submitted = await client.call('orders.cancelSubmit', { params: { pubkey }, body }, { lane: 'cancel' });
  return submitted.outcome.kind === 'answered' ? null : unlessGone(submitted.outcome);
}

type NotAnswered = Exclude<Outcome, { kind: 'answered' }>;

const unlessGone = (outcome: NotAnswered): string | null =>
  outcome.kind === 'refused' && outcome.slug === 'order_not_cancelable' ? null : describeReason(outcome);

const describeReason = (outcome: NotAnswered): string =>
  outcome.kind === 'refused' ? `${outcome.slug}, ${outcome.message}` : outcome.reason;

/** Matches the error codes of Node and SQLite for a full, failing or read-only disk. */
const DISK = /^(EIO|ENOSPC|EDQUOT|EROFS|EFBIG|SQLITE_FULL|SQLITE_READONLY.*|SQLITE_IOERR.*)$/;

/** Returns whether orders may still rest after this error ended the trader: broken ledger, failing disk or bug. */
export function leavesOrdersBehind(error: unknown, { fleet }: Pick<TraderConfig, 'fleet'>): boolean {
  if (!(error instanceof TwinbookError) || error.code === 'ledger_broken') return true;
  // In a fleet, a crashed run's orders may still rest, unless another trader already has the wallet or ledger.
  if (fleet !== null && error.code !== 'wallet_taken' && error.code !== 'ledger_locked') return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && DISK.test(String(cause.code))) return true;
  return false;
}

/** Cancels resting orders after the trader failed to start or end. Creates neither wallet nor API key. Never throws. */
export async function cancelLeftovers(
  config: TraderConfig,
  env: Environment,
  say: (text: string) => void,
): Promise<void> {
  const { file, credentials: credentialsFile } = config.wallet;
  // The orders of an embedded exchange end with this process. Without a wallet file, cancels are impossible.
  if (config.exchange?.embedded === true || !existsSync(file)) return;
  // In a fleet, another trader may own the orders of this wallet.
  if (config.fleet !== null) return say(OWNER_CANCELS);
  try {
    const wallet = openKeyFile({ path: file, passphrase: walletPassphrase(env) });
    const { profile, allowBlindSigning } = config.venue;
    const credentials = loadCredentials(credentialsFile, { baseUrl: profile.base_url, wallet: wallet.address }, env);
    if (credentials === null) return;
    const client = new ServiceClient({ profile, credentials });
    const access = { client, wallet, profile, allowBlindSigning };
    const { verified, trouble } = await cancelUntilNothingRests(access).finally(() => client.close());
    if (trouble !== undefined) throw trouble;
    say(verified ? 'every order was canceled without the ledger; nothing rests at the exchange' : MAY_REST);
  } catch (error) {
    say(`${MAY_REST} (${messageOf(error)})`);
  }
}

export const MAY_REST = 'orders may still rest: run `twinbook cancel-all --verify`';
const OWNER_CANCELS =
  'orders may still rest: unless another trader of the fleet has the wallet, run `twinbook cancel-all --verify`';

/** First wait for the proof that no order rests, ms. Cancels take 1 to 2 s, longer if the venue throttles. */
const FIRST_MS = 10_000;
/** Longest wait for the proof that no order rests, ms; a slow exchange needs time. */
const LONGEST_MS = 60_000;

/**
 * Returns a function that returns true when the proof that no order rests is overdue. The caller then cancels without
 * the core. The first wait for the proof is 10 s. Each further wait is twice as long, at most 60 s.
 */
export function watchProof(steadyMs: () => number = () => performance.now()): (wantsProof: boolean) => boolean {
  let dueMs: number | null = null;
  let waitMs = FIRST_MS;
  return (wantsProof) => {
    if (!wantsProof) {
      dueMs = null;
      waitMs = FIRST_MS;
      return false;
    }
    dueMs ??= steadyMs() + waitMs;
    if (steadyMs() < dueMs) return false;
    waitMs = Math.min(LONGEST_MS, 2 * waitMs);
    dueMs = steadyMs() + waitMs;
    return true;
  };
}
