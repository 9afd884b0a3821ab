import { must } from '../../shared/base/errors.js';
import { writeDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { Funds } from './accounts.js';
import { type Catalog, makeName } from './catalog.js';
import type { CoreSettings } from './contract.js';
import type { Market } from './market.js';
import type { Matching } from './matching/matching.js';
import type { OrderPool } from './matching/order-pool.js';
import type { Archive } from './records/archive.js';
import type { TimerQueue } from './timer-queue.js';

/** Delays that an operator has set for a test. If a delay is absent, the value of the settings applies. */
export interface Delays {
  /** Time that a submitted merge or split stays `in_process`, and that each margin step takes, ms. */
  readonly landingMs?: number | undefined;
  /** Time from a close request until the margin position closes, at the price then valid, ms; absent: 0. */
  readonly closingMs?: number | undefined;
  /** Time at which the operator's delays end, Unix ms; absent: they last until the next change. */
  readonly untilMs?: number | undefined;
}

/** Owner of funds, shares and records. */
export interface Account {
  readonly name: string;
  /** Wallet of the account; null for internal accounts. */
  readonly wallet: string | null;
  readonly custodial: boolean;
}

/** Shared parts of one core, with its clock and delays. */
export interface CoreContext {
  readonly settings: CoreSettings;
  readonly catalog: Catalog;
  readonly funds: Funds;
  readonly pool: OrderPool;
  readonly timers: TimerQueue;
  readonly archive: Archive;
  readonly identity: { account(slot: number): Account };
  readonly matching: Matching;
  at(nowMs: number): unknown;
  nowMs: number;
  /** True if the simulated signing service works; else every draft call is refused with `gringotts_unavailable`. */
  signingAvailable: boolean;
  delays: Delays;
  /** Sum of all currency deposited from outside the exchange. */
  deposited: number;
}

/** Converts Unix ms to Unix seconds, rounded down. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Creates the pubkey and message of a new record's draft, and schedules the draft's expiry. */
export function openDraft(
  context: CoreContext,
  kind: 'order' | 'conversion' | 'redeem' | 'request',
  id: number,
  account: number,
  market: Market,
  terms: DraftTerms,
) {
  const draft = makeDraft(context, account, market, makeName(context.settings.seed, kind, id), terms);
  context.timers.put(draft.expiresMs, kind, id);
  return draft;
}

/** Makes a draft's `message`, which the account's wallet must sign. `expiresMs`: its expiry, Unix ms. */
export function makeDraft(context: CoreContext, account: number, market: Market, pubkey: string, terms: DraftTerms) {
  const { serviceName, draftLifetimeMs, draftMessage = 'utf8', draftCosigners } = context.settings;
  const expiresMs = context.nowMs + draftLifetimeMs;
  const { conditionId: marketConditionId } = market.card;
  const draft = { serviceName, marketConditionId, draftPubkey: pubkey, expires: seconds(expiresMs), terms };
  const wallet = must(context.identity.account(account).wallet, 'the wallet of a draft');
  return { pubkey, message: writeDraftMessage(draftMessage, draft, wallet, draftCosigners), expiresMs };
}

/** Returns the operator's delays that apply now; empty after their end time. */
export const delaysInForce = ({ delays, nowMs }: Pick<CoreContext, 'delays' | 'nowMs'>): Delays =>
  delays.untilMs !== undefined && nowMs >= delays.untilMs ? {} : delays;

/** Returns the time at which a change submitted now takes effect, Unix ms. */
export const landsMs = (context: CoreContext): number =>
  context.nowMs + (delaysInForce(context).landingMs ?? context.settings.landingMs);
