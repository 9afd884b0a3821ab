/** Price moves after own fills: from the ledger's fills and the console's history. */

import { formatDecimal, type Micros, ONE } from '../../../shared/base/micros.js';
import { clusteredMean } from '../../../shared/statistics/bootstrap.js';
import type { BookedFill, LedgerReader } from '../../../trader/ledger/contract.js';
import { FINEST_S, type History, type MarketPoint } from '../store/history.js';
import { yesPrice } from './texts.js';

/** At 0: within the point of the fill. */
const HORIZONS_S = [0, 5, 30, 60, 300] as const;
const LONGEST_MS = 300_000;
const FINEST_MS = FINEST_S * 1000;
/** The newest fills; each is looked up until its last horizon is over. */
const MOST_FILLS = 500;
/** Maximum time of one call, ms; the rest waits for the next one. */
const READING_MS = 40;

interface Judged {
  readonly market: string;
  readonly side: 'bid' | 'ask';
  readonly sharesMicros: number;
  /** Per share, YES space, positive for a favourable move; null without a known price. */
  readonly marks: readonly (number | null)[];
  readonly isFinal: boolean;
}

export class MarkoutBook {
  readonly #history: Pick<History, 'closeUp'>;
  readonly #steadyMs: () => number;
  #judged = new Map<string, Judged>();

  constructor(history: Pick<History, 'closeUp'>, steadyMs: () => number = () => performance.now()) {
    this.#history = history;
    this.#steadyMs = steadyMs;
  }

  /** For the newest fills of this ledger, every horizon by side. */
  read(ledger: LedgerReader, nowMs: number) {
    const endMs = this.#steadyMs() + READING_MS;
    const before = this.#judged;
    this.#judged = new Map();
    for (const fill of ledger.fills({ limit: MOST_FILLS })) {
      const known = before.get(fill.pubkey);
      const isDone = known?.isFinal === true || this.#steadyMs() >= endMs;
      const judged = isDone ? known : this.#judge(fill, nowMs);
      if (judged !== undefined) this.#judged.set(fill.pubkey, judged);
    }
    const all = [...this.#judged.values()];
    return HORIZONS_S.flatMap((horizon, i) =>
      SIDES.map((side) =>
        summarize(
          all.filter((one) => side === 'all' || one.side === side),
          { horizon, i, side },
        ),
      ),
    );
  }

  #judge(fill: BookedFill, nowMs: number): Judged {
    const { marketConditionId: market, isYes, side, priceMicros, amountMicros } = fill;
    // The earlier one: the exchange's clock may be ahead of ours, and we may have learned of it late.
    const timeMs = Math.min(fill.seenMs, fill.timestampS * 1000);
    const points = this.#history.closeUp(market, { fromMs: timeMs, toMs: timeMs + LONGEST_MS });
    const isBid = (side === 'buy') === isYes;
    const price = yesPrice(isYes, priceMicros);
    return {
      market,
      side: isBid ? 'bid' : 'ask',
      sharesMicros: amountMicros,
      marks: HORIZONS_S.map((seconds) => {
        const middle = middleAt(points, timeMs + seconds * 1000);
        return middle === null ? null : (isBid ? 1 : -1) * (middle - price);
      }),
      isFinal: nowMs > timeMs + LONGEST_MS + 2 * FINEST_MS,
    };
  }
}

/** `bid`: we bought YES or sold NO. */
const SIDES = ['all', 'bid', 'ask'] as const;

/** Mid of others' best prices in the point at this time; null in a gap, and without both sides. */
function middleAt(points: readonly MarketPoint[], timeMs: number): number | null {
  const point = points.find((one) => one.timeMs <= timeMs && timeMs < one.timeMs + FINEST_MS);
  if (point === undefined || point.bestBidMicros === null || point.bestAskMicros === null) return null;
  return (point.bestBidMicros + point.bestAskMicros) / 2;
}

/** Weighted by shares; the error is clustered by market, whose fills share one price path. */
function summarize(
  judged: readonly Judged[],
  { horizon, i, side }: { readonly horizon: number; readonly i: number; readonly side: (typeof SIDES)[number] },
) {
  const markets = new Map<string, { sum: number; weight: number }>();
  let [fills, drift] = [0, 0];
  for (const { market, sharesMicros, marks } of judged) {
    const mark = marks[i] ?? null;
    if (mark === null) continue;
    const cluster = markets.get(market) ?? { sum: 0, weight: 0 };
    markets.set(market, { sum: cluster.sum + sharesMicros * mark, weight: cluster.weight + sharesMicros });
    fills += 1;
    drift += sharesMicros * (mark - (marks[0] ?? mark));
  }
  const clusters = [...markets.values()];
  const mean = clusteredMean(clusters);
  const total = clusters.reduce((sum, cluster) => sum + cluster.sum, 0);
  const write = (micros: number | null) => (micros === null ? '' : formatDecimal(Math.round(micros) as Micros)); // rounded to one
  return {
    horizon_s: horizon,
    side,
    fills,
    not_known: judged.length - fills,
    shares: write(clusters.reduce((sum, { weight }) => sum + weight, 0)),
    mean: write(mean?.mean ?? null),
    error: write(mean?.standardError ?? null),
    total: fills === 0 ? '' : write(total / ONE),
    /** Part of `total` after the fill, of fills whose price at once is known. */
    drift: fills === 0 ? '' : write(drift / ONE),
  };
}

export type MarkoutRow = ReturnType<typeof summarize>;
