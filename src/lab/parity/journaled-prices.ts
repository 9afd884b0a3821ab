/**
 * Data of a ledger's journals that the ledger lacks: books seen by the trader, its clock offset, and its request
 * counts. Together they describe a live trader as fully as a backtest.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import { sumCoverages } from '../report/analysis/markets.js';
import { formatQuantity } from '../report/figures.js';
import type { JournalFacts } from '../report/live/session-from-ledger.js';
import type { RequestUse, ScopeUse } from '../session/contract.js';
import { type RecordedBest, type RecordedPrices, UNKNOWN_BEST } from '../session/market-walk.js';
import { BestPrices } from './best-prices.js';
import { readRecordedRun } from './read-recorded-run.js';

/** Time after a run's last observation in which its last book counts, ms: about the length of a stop. */
const ROOM_MS = 60_000;

export interface Journaled extends JournalFacts {
  /** By market; only wanted ones that a run has read. */
  readonly prices: ReadonlyMap<string, RecordedPrices>;
}

/**
 * Reads the journals one by one; memory is bounded by one run's books and all best prices.
 *
 * @param runs oldest first
 * @param wanted markets; others are dropped
 * @param onDamaged called for a journal that is damaged in the middle, which is left out
 */
export async function readJournals(
  runs: readonly RunJournal[],
  wanted: ReadonlySet<string>,
  onDamaged: (run: RunJournal, error: TwinbookError) => void,
): Promise<Journaled> {
  const seen: SeenRun[] = [];
  for (const run of runs) {
    try {
      seen.push(await seenBy(run, wanted));
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      onDamaged(run, error);
    }
  }
  const ids = new Set(seen.flatMap(({ markets }) => [...markets.keys()]));
  return {
    prices: new Map([...ids].map((id) => [id, pricesOver(seen, id)])),
    offsetMs: (ourMs) => (seen.findLast(({ startedMs }) => startedMs <= ourMs) ?? seen[0])?.offsetMs ?? 0,
    requests: requestsOver(seen),
    remarks: [
      `Books are those that the trader’s own polls saw, by the journals of ${formatQuantity(seen.length, 'run')}.`,
    ],
  };
}

type SeenRun = Awaited<ReturnType<typeof seenBy>>;

/** One run; its span is on the exchange's clock. */
async function seenBy(run: RunJournal, wanted: ReadonlySet<string>) {
  const { session, sources, fromMs, toMs, offsetMs } = await readRecordedRun(run);
  const markets = new Map<string, BestPrices>();
  for (const source of sources)
    if (wanted.has(source.market.conditionId)) markets.set(source.market.conditionId, await BestPrices.of(source));
  const { startedMs } = run.description;
  return { startedMs, fromMs, toMs, offsetMs, markets, requests: session.requests };
}

function pricesOver(seen: readonly SeenRun[], id: string): RecordedPrices {
  const markets = seen.flatMap(({ markets }) => markets.get(id) ?? []);
  const at = (timeMs: number): RecordedBest => {
    const run = seen.findLast(({ fromMs }) => fromMs <= timeMs);
    return run === undefined || timeMs > run.toMs + ROOM_MS
      ? UNKNOWN_BEST
      : (run.markets.get(id)?.at(timeMs) ?? UNKNOWN_BEST);
  };
  const standing = (timeMs: number): number | null => {
    for (const { fromMs, markets } of seen.toReversed()) {
      const middle = fromMs > timeMs ? null : (markets.get(id)?.standing(timeMs) ?? null);
      if (middle !== null) return middle;
    }
    return null;
  };
  const outcome = markets.findLast((market) => market.outcome !== null)?.outcome ?? null;
  const recorded = markets.flatMap((market) => market.coverage ?? []);
  const coverage = recorded.length === 0 ? null : sumCoverages(recorded);
  // A market may have been renamed meanwhile.
  const { eventTitle = '', category = '' } = markets.at(-1) ?? {};
  return { at, standing, outcome, coverage, eventTitle, category };
}

function requestsOver(seen: readonly SeenRun[]): RequestUse | null {
  const uses = seen.flatMap(({ requests }) => requests ?? []);
  const last = uses.at(-1);
  if (last === undefined) return null;
  const sum = (of: (use: RequestUse) => number): number => uses.reduce((total, use) => total + of(use), 0);
  const scope = (name: 'public' | 'signed'): ScopeUse => ({
    limitPerMinute: last[name].limitPerMinute,
    count: sum((use) => use[name].count),
    peakPerMinute: Math.max(...uses.map((use) => use[name].peakPerMinute)),
    throttled: sum((use) => use[name].throttled),
  });
  const byEndpoint = new Map<string, number>();
  for (const [name, count] of uses.flatMap((use) => use.byEndpoint))
    byEndpoint.set(name, (byEndpoint.get(name) ?? 0) + count);
  return {
    public: scope('public'),
    signed: scope('signed'),
    byEndpoint: [...byEndpoint].sort(([, a], [, b]) => b - a),
    unsent: sum(({ unsent }) => unsent),
  };
}
