/** State that the exchange's subsystems share: orders, conversions, redeems and margin. */

import { must } from '../../shared/base/errors.js';
import { writeDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { Funds } from './accounts.js';
import { type Catalog, makeName } from './catalog.js';
import type { CoreSettings } from './contract.js';
import type { Market } from './market.js';
import type { Archive } from './records/archive.js';
import type { TimerQueue } from './timer-queue.js';

/** Delays that an operator's control has set for a test. Absent delays have the values of the settings. */
export interface Delays {
  /** Time that a submitted merge or split stays `in_process`, and that each margin step takes, ms. */
  readonly landingMs?: number | undefined;
  /** Time from a request to close a margin position until its close at the later price, ms; absent: 0. */
  readonly closingMs?: number | undefined;
  /** Time at which the delays end, Unix ms; absent: they last until the next change. */
  readonly untilMs?: number | undefined;
}

/** Accounts, markets, timers and the archive of one core, with its clock and delays. */
export interface CoreContext {
  readonly settings: CoreSettings;
  readonly catalog: Catalog;
  readonly funds: Funds;
  readonly timers: TimerQueue;
  /** Storage of records that no longer change. */
  readonly archive: Archive;
  /** Returns the wallet of an account; null for an internal account. */
  readonly readWallet: (account: number) => string | null;
  /** Time of the exchange, Unix ms. */
  nowMs: number;
  /** Whether the signing service works. While false, every draft call is refused with `gringotts_unavailable`. */
  signingAvailable: boolean;
  delays: Delays;
  /** Sum of all currency deposited from outside the exchange. */
  deposited: number;
}

/** Converts Unix ms to Unix seconds, rounded down. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Expiry of a draft made now, Unix ms. */
export const draftExpiryMs = (context: CoreContext): number => context.nowMs + context.settings.draftLifetimeMs;

/** Names the draft of a new record, writes its message and schedules its expiry. */
export function openDraft(
  context: CoreContext,
  kind: 'order' | 'conversion' | 'redeem' | 'request',
  id: number,
  account: number,
  market: Market,
  terms: DraftTerms,
) {
  const pubkey = makeName(context.settings.seed, kind, id);
  const expiresMs = draftExpiryMs(context);
  context.timers.put(expiresMs, kind, id);
  return { pubkey, message: draftText(context, account, market, pubkey, expiresMs, terms), expiresMs };
}

/** The `message` of a draft, which the account's wallet must sign. */
export const draftText = (
  context: CoreContext,
  account: number,
  market: Market,
  pubkey: string,
  expiresMs: number,
  terms: DraftTerms,
): string => {
  const { serviceName, draftMessage = 'utf8', draftCosigners } = context.settings;
  const { conditionId: marketConditionId } = market.card;
  const draft = { serviceName, marketConditionId, draftPubkey: pubkey, expires: seconds(expiresMs), terms };
  const wallet = must(context.readWallet(account), 'the wallet of a draft');
  return writeDraftMessage(draftMessage, draft, wallet, draftCosigners);
};

/** The delays that apply now; empty after their end time. */
export const delaysInForce = ({ delays, nowMs }: Pick<CoreContext, 'delays' | 'nowMs'>): Delays =>
  delays.untilMs !== undefined && nowMs >= delays.untilMs ? {} : delays;

/** Time at which a change that is submitted now takes effect, Unix ms. */
export const landsMs = (context: CoreContext): number =>
  context.nowMs + (delaysInForce(context).landingMs ?? context.settings.landingMs);

/** Earliest time at which a position closes if its close is requested now, Unix ms. */
export const closesMs = (context: CoreContext): number => context.nowMs + (delaysInForce(context).closingMs ?? 0);
