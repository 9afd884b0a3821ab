/** One market over time: prices with own orders, fills, holdings, and changes of mode or configuration. */

import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { History } from '../store/history.js';
import { yesPrice } from './texts.js';

const DEFAULT_MS = 600_000;
/** Maximum markers: more would cover each other. */
const MOST_FILLS = 500;

export interface ChartSources {
  readonly market: string;
  readonly history: Pick<History, 'market'>;
  /** Null while it cannot be read. */
  readonly ledger: LedgerReader | null;
  /** Changes of mode or configuration, oldest first. */
  readonly marks: readonly { readonly time: number; readonly text: string }[];
  readonly nowMs: number;
  /** 0 for the default. */
  readonly spanMs: number;
}

export function chartView({ market, history, ledger, marks, nowMs, spanMs }: ChartSources) {
  const fromMs = nowMs - (spanMs || DEFAULT_MS);
  const points = history.market(market, { fromMs, toMs: nowMs });
  return {
    time: points.map(({ timeMs }) => timeMs),
    best_bid: points.map(({ bestBidMicros }) => bestBidMicros),
    best_ask: points.map(({ bestAskMicros }) => bestAskMicros),
    fair: points.map(({ fairMicros }) => fairMicros),
    bid: points.map(({ bidMicros }) => bidMicros),
    ask: points.map(({ askMicros }) => askMicros),
    net: points.map(({ netMicros }) => netMicros),
    fills: ledger === null ? [] : listFills(ledger, market, fromMs),
    marks: marks.filter(({ time }) => time >= fromMs),
  };
}

export type ChartView = ReturnType<typeof chartView>;

/** In order of time. */
const listFills = (ledger: LedgerReader, market: string, fromMs: number) =>
  ledger
    .fills({ marketConditionId: market, limit: MOST_FILLS })
    .filter(({ timestampS }) => timestampS * 1000 >= fromMs)
    .map(({ pubkey, timestampS, isYes, side, priceMicros, amountMicros }) => ({
      id: pubkey,
      time: timestampS * 1000,
      price: yesPrice(isYes, priceMicros),
      amount: amountMicros,
      raises: (side === 'buy') === isYes,
    }))
    .sort((a, b) => a.time - b.time);
