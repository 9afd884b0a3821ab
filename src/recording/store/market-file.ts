/** `market.json`: description of a recorded market, beside its files of each day. */

import { z } from 'zod';
import { micros, stepOfPrecision } from '../../shared/base/micros.js';
import { outcomeOf } from '../../shared/protocol/outcome.js';
import type { RecordedMarket } from '../contract.js';
import { readJson, writeJson } from './json-file.js';

const WHAT = 'a description of a recorded market';

const precision = z.number().int().min(0).max(6);
/** Unix ms within the range of dates. */
const time = z.number().int().min(-8.64e15).max(8.64e15);
const rate = z.number().int().min(0).max(1_000_000);

const marketFile = z.strictObject({
  condition_id: z.string().min(1),
  event_title: z.string(),
  /** The venue's own id of the event; absent if unknown. */
  event_condition_id: z.string().min(1).optional(),
  title: z.string(),
  category: z.enum(['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance']),
  rules: z.array(z.string()),
  tick_precision: precision.min(1),
  amount_precision: precision,
  open_time_ms: time,
  close_time_ms: time,
  /** True without a close from the venue; absent with one. */
  close_is_guessed: z.literal(true).optional(),
  /** YES, NO, or the value of a YES share; null while unknown. */
  outcome: z
    .union([z.boolean(), z.number().min(0).max(1)])
    .transform((outcome) => (typeof outcome === 'number' ? outcomeOf(outcome) : outcome))
    .nullable(),
  fees: z.strictObject({ maker_rate_micros: rate, taker_rate_micros: rate }).nullable(),
  origin: z.string(),
  ticker: z.string(),
  notes: z.array(z.string()),
});

type MarketFile = z.output<typeof marketFile>;

export interface DescribedMarket {
  readonly market: RecordedMarket;
  readonly notes: readonly string[];
}

/** `path` is the market's folder. Null without a description. Throws TwinbookError `recording_invalid`. */
export function readMarket(file: string, path: string): DescribedMarket | null {
  const read = readJson(file, marketFile, WHAT);
  return read === null ? null : { market: toRecordedMarket(read, path), notes: read.notes };
}

export const writeMarket = (
  file: string,
  { market, notes }: DescribedMarket,
  origin: string,
  isSynced: boolean,
): void => writeJson(file, toMarketFile(market, notes, origin), isSynced);

export const computeTick = (market: RecordedMarket): number => stepOfPrecision(market.tickPrecision);

function toMarketFile(market: RecordedMarket, notes: readonly string[], origin: string): MarketFile {
  const { fees } = market;
  return {
    condition_id: market.conditionId,
    event_title: market.eventTitle,
    ...(market.eventConditionId === undefined ? {} : { event_condition_id: market.eventConditionId }),
    title: market.title,
    category: market.category,
    rules: [...market.rules],
    tick_precision: market.tickPrecision,
    amount_precision: market.amountPrecision,
    open_time_ms: market.openTimeMs,
    close_time_ms: market.closeTimeMs,
    ...(market.closeIsGuessed === undefined ? {} : { close_is_guessed: true }),
    outcome: market.outcome,
    fees:
      fees === undefined ? null : { maker_rate_micros: fees.makerRateMicros, taker_rate_micros: fees.takerRateMicros },
    origin,
    ticker: market.source.ticker,
    notes: [...notes],
  };
}

const toRecordedMarket = (file: MarketFile, path: string): RecordedMarket => ({
  conditionId: file.condition_id,
  eventTitle: file.event_title,
  ...(file.event_condition_id === undefined ? {} : { eventConditionId: file.event_condition_id }),
  title: file.title,
  category: file.category,
  rules: file.rules,
  tickPrecision: file.tick_precision,
  amountPrecision: file.amount_precision,
  openTimeMs: file.open_time_ms,
  closeTimeMs: file.close_time_ms,
  ...(file.close_is_guessed === true ? { closeIsGuessed: true } : {}),
  outcome: file.outcome,
  ...(file.fees === null
    ? {}
    : {
        fees: {
          makerRateMicros: micros(file.fees.maker_rate_micros),
          takerRateMicros: micros(file.fees.taker_rate_micros),
        },
      }),
  source: { kind: 'twinbook', path, ticker: file.ticker, origin: file.origin },
});
