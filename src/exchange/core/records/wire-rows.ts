/** Records as the core answers them: decimal strings, as on the wire. */

import type { z } from 'zod';
import type * as record from '../../../shared/protocol/records.js';

/** An order as the service answers it. */
export type WireOrder = z.input<typeof record.orderRow>;
/** A fill of the caller as the service answers it. */
export type WireOwnTrade = z.input<typeof record.ownTradeRow>;
/** A merge or split as the service answers it. */
export type WireConversion = z.input<typeof record.conversionRow>;
/** A redeem as the service answers it. */
export type WireRedeem = z.input<typeof record.redeemRow>;
/** A holding as the service answers it. */
export type WireAsset = z.input<typeof record.assetRow>;
/** A trade of anybody as the service answers it. */
export type WirePublicTrade = z.input<typeof record.publicTradeRow>;
/** The book of one outcome as the service answers it. */
export type WireBook = z.input<typeof record.orderbook>;
/** Volumes of a market as the service answers them. */
export type WireStats = z.input<typeof record.marketStats>;
/** The price of an outcome as the service answers it. */
export type WirePrice = z.input<typeof record.marketPrice>;
/** A market inside of another record, as the service answers it. */
export type WireSummary = z.input<typeof record.marketSummary>;
/** A row of the list of markets, as the service answers it. */
export type WireListRow = z.input<typeof record.marketListRow>;
/** A market with its configuration, as the service answers it. */
export type WireDetail = z.input<typeof record.marketDetail>;
/** An event as the service answers it. */
export type WireEvent = z.input<typeof record.eventRow>;
/** A challenge to a wallet, as the service answers it. */
export type WireChallenge = z.input<typeof record.authChallenge>;
/** A new API key with its secret, which is shown this once. */
export type WireCredential = z.input<typeof record.credential>;
/** An API key as lists show it, without its secret. */
export type WireKey = z.input<typeof record.apiKeyRow>;
/** The caller's account as the service answers it. */
export type WireAccount = z.input<typeof record.accountSummary>;
/** The pubkey of a draft and the message to sign. */
export type WireDraft = z.input<typeof record.draft>;
/** A price bar as the service answers it. */
export type WireCandle = z.input<typeof record.candle>;
/** Profit and loss of an account as the service answers it. */
export type WirePnl = z.input<typeof record.accountPnl>;
