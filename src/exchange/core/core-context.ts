/** What the subsystems of the exchange (orders, conversions, redeems, margin) share. */

import { must } from '../../shared/base/errors.js';
import { writeDraftMessage } from '../../shared/protocol/drafts/draft-message.js';
import type { DraftTerms } from '../../shared/protocol/drafts/draft-text.js';
import type { Funds } from './accounts.js';
import type { Catalog } from './catalog.js';
import type { CoreSettings } from './contract.js';
import type { Market } from './market.js';
import type { Archive } from './records/archive.js';
import type { TimerQueue } from './timer-queue.js';

/** How long things take while a control has slowed them down, for a rehearsal: absent ones are as the settings say. */
export interface Delays {
  /** ms that a submitted merge or split stays `in_process`, and each step of margin takes. */
  readonly landingMs?: number | undefined;
  /** ms from the wish to close a margin position to its end, at the price of that moment; without one it ends at once. */
  readonly closingMs?: number | undefined;
  /** Until when they hold, ms; absent: until others are set. */
  readonly untilMs?: number | undefined;
}

/** What every subsystem of one core reads and changes together: accounts, markets, timers and the archive. */
export interface CoreContext {
  readonly settings: CoreSettings;
  readonly catalog: Catalog;
  readonly funds: Funds;
  readonly timers: TimerQueue;
  /** Where final records go; see records.ts. */
  readonly archive: Archive;
  /** Wallet of an account; null for an internal one. */
  readonly readWallet: (account: number) => string | null;
  /** The exchange's clock, ms. */
  nowMs: number;
  /** False while every draft call answers `gringotts_unavailable`. */
  signingAvailable: boolean;
  /** What a control has slowed down. */
  delays: Delays;
  /** Currency that came in from outside. */
  deposited: number;
}

/** Unix seconds of a time in ms. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** When a draft made now expires, ms. */
export const draftExpiryMs = (context: CoreContext): number => context.nowMs + context.settings.draftLifetimeMs;

/** The `message` of a draft of an account, which its wallet signs. */
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

const inForce = ({ delays, nowMs }: CoreContext): Delays =>
  delays.untilMs !== undefined && nowMs >= delays.untilMs ? {} : delays;

/** When what is submitted now lands, ms. */
export const landsMs = (context: CoreContext): number =>
  context.nowMs + (inForce(context).landingMs ?? context.settings.landingMs);

/** When a position whose close is asked for now ends at the earliest, ms. */
export const closesMs = (context: CoreContext): number => context.nowMs + (inForce(context).closingMs ?? 0);
