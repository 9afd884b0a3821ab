/** Shared context of the exchange's subsystems (orders, conversions, redeems, margin). */

import { must } from '../../shared/base/errors.js';
import { writeDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { Funds } from './accounts.js';
import { type Catalog, makeName } from './catalog.js';
import type { CoreSettings } from './contract.js';
import type { Market } from './market.js';
import type { Archive } from './records/archive.js';
import type { TimerQueue } from './timer-queue.js';

/** Delays set by a control, for a rehearsal; absent ones follow the settings. */
export interface Delays {
  /** Time that a submitted merge or split stays `in_process`, and of each margin step, ms. */
  readonly landingMs?: number | undefined;
  /** Time from a request to close a margin position until the close at that moment's price, ms; absent: at once. */
  readonly closingMs?: number | undefined;
  /** End of the delays, ms; absent: the delays last until the next change. */
  readonly untilMs?: number | undefined;
}

/** State that all subsystems of a core share: accounts, markets, timers and the archive. */
export interface CoreContext {
  readonly settings: CoreSettings;
  readonly catalog: Catalog;
  readonly funds: Funds;
  readonly timers: TimerQueue;
  /** Storage of final records; see records.ts. */
  readonly archive: Archive;
  /** Wallet of an account; null for an internal one. */
  readonly readWallet: (account: number) => string | null;
  /** The exchange's clock, ms. */
  nowMs: number;
  /** False while every draft call answers `gringotts_unavailable`. */
  signingAvailable: boolean;
  /** Delays set by a control. */
  delays: Delays;
  /** Currency deposited from outside the exchange. */
  deposited: number;
}

/** Unix seconds of a time in ms. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Expiry of a draft made now, ms. */
export const draftExpiryMs = (context: CoreContext): number => context.nowMs + context.settings.draftLifetimeMs;

/** Name, message and expiry of the draft of a new record, which expires in time. */
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

/** The `message` of an account's draft, to be signed by its wallet. */
export const draftText = (
  context: CoreContext,
  account: number,
  market: Market,
  pubkey: string,
  expiresMs: number,
  terms: DraftTerms,
): string => {
  const { serviceName, draftMessage = 'utf8', draftCosigners } = context.settings;
  const draft = {
    serviceName,
    marketConditionId: market.card.conditionId,
    draftPubkey: pubkey,
    expires: seconds(expiresMs),
    terms,
  };
  const wallet = must(context.readWallet(account), 'the wallet of a draft');
  return writeDraftMessage(draftMessage, draft, wallet, draftCosigners);
};

/** Current delays; empty after their end time. */
export const delaysInForce = ({ delays, nowMs }: Pick<CoreContext, 'delays' | 'nowMs'>): Delays =>
  delays.untilMs !== undefined && nowMs >= delays.untilMs ? {} : delays;

/** Landing time of a change submitted now, ms. */
export const landsMs = (context: CoreContext): number =>
  context.nowMs + (delaysInForce(context).landingMs ?? context.settings.landingMs);

/** Earliest end of a position whose close is requested now, ms. */
export const closesMs = (context: CoreContext): number => context.nowMs + (delaysInForce(context).closingMs ?? 0);
