/** What the desks of the exchange (orders, conversions, redeems) share. */

import { type DraftTerms, writeDraftText } from '../../protocol/draft-text.js';
import type { Funds } from './accounts.js';
import type { Catalog } from './catalog.js';
import type { CoreSettings } from './contract.js';
import type { DueQueue } from './due.js';
import type { Market } from './market.js';

export interface Ground {
  readonly settings: CoreSettings;
  readonly catalog: Catalog;
  readonly funds: Funds;
  readonly due: DueQueue;
  /** The exchange's clock, ms. */
  nowMs: number;
  /** False while every draft call answers `gringotts_unavailable`. */
  signingAvailable: boolean;
  /** Currency that came in from outside. */
  deposited: number;
}

/** Unix seconds of a time in ms. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);

/** When a draft made now expires, ms. */
export const draftExpiryMs = (ground: Ground): number => ground.nowMs + ground.settings.draftLifetimeMs;

/** The text that the wallet signs. */
export const draftText = (
  ground: Ground,
  market: Market,
  pubkey: string,
  expiresMs: number,
  terms: DraftTerms,
): string =>
  writeDraftText({
    serviceName: ground.settings.serviceName,
    marketConditionId: market.card.conditionId,
    draftPubkey: pubkey,
    expires: seconds(expiresMs),
    terms,
  });
