/** Records as the core answers them: decimal strings, as on the wire. */

import type { z } from 'zod';
import type * as record from '../../../shared/protocol/records.js';

export type WireOrder = z.input<typeof record.orderRow>;
export type WireOwnTrade = z.input<typeof record.ownTradeRow>;
export type WireConversion = z.input<typeof record.conversionRow>;
export type WireRedeem = z.input<typeof record.redeemRow>;
export type WireAsset = z.input<typeof record.assetRow>;
export type WirePublicTrade = z.input<typeof record.publicTradeRow>;
export type WireBook = z.input<typeof record.orderbook>;
export type WireStats = z.input<typeof record.marketStats>;
export type WirePrice = z.input<typeof record.marketPrice>;
export type WireSummary = z.input<typeof record.marketSummary>;
export type WireListRow = z.input<typeof record.marketListRow>;
export type WireDetail = z.input<typeof record.marketDetail>;
export type WireEvent = z.input<typeof record.eventRow>;
export type WireChallenge = z.input<typeof record.authChallenge>;
export type WireCredential = z.input<typeof record.credential>;
export type WireKey = z.input<typeof record.apiKeyRow>;
export type WireAccount = z.input<typeof record.accountSummary>;
export type WireDraft = z.input<typeof record.draft>;
export type WireCandle = z.input<typeof record.candle>;
export type WirePnl = z.input<typeof record.accountPnl>;
