/**
 * What the journals of a ledger's runs know and the ledger does not: what the books were while the trader looked at them, how
 * far its clock was off, and how many requests it sent. So a ledger and its journals tell as much of a live trader as a
 * backtest tells of itself.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { formatQuantity } from '../report/figures.js';
import type { JournalFacts, RecordedPrices } from '../report/live/contract.js';
import type { Coverage, RequestUse, ScopeUse } from '../session/contract.js';
import { toCoverage } from '../session/coverage.js';
import type { RecordedBest } from '../session/market-walk.js';
import { BestPrices } from './best-prices.js';
import { readRecordedRun } from './read-recorded-run.js';

/** Beyond the last thing that a run saw nobody knows the book any more, ms: a stop takes about so long. */
const ROOM_MS = 60_000;
const UNKNOWN: RecordedBest = { bidMicros: null, askMicros: null, middleMicros: null };

export interface Journaled extends JournalFacts {
  /** By market; of those that were wanted and that a run has looked at. */
  readonly prices: ReadonlyMap<string, RecordedPrices>;
}

interface SeenRun {
  readonly startedMs: number;
  /** The exchange's clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
  readonly markets: ReadonlyMap<string, SeenMarket>;
  readonly requests: RequestUse | null;
}

interface SeenMarket {
  readonly best: BestPrices;
  readonly outcome: MarketOutcome | null;
  readonly coverage: Coverage | null;
  readonly eventTitle: string;
  readonly category: string;
}

/**
 * Reads the journals one after the other; memory is bounded by one run's books and the best prices of all.
 *
 * @param runs oldest first
 * @param wanted markets; others are not kept
 * @param onDamaged told of a journal that is damaged in the middle, which is left out
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

async function seenBy(run: RunJournal, wanted: ReadonlySet<string>): Promise<SeenRun> {
  const { session, sources, fromMs, toMs, offsetMs } = await readRecordedRun(run);
  const markets = new Map<string, SeenMarket>();
  for (const source of sources) {
    const { conditionId, outcome, eventTitle, category } = source.market;
    if (!wanted.has(conditionId)) continue;
    const names = { eventTitle, category };
    const best = await BestPrices.of(source);
    markets.set(conditionId, { best, outcome, coverage: toCoverage(source.summary), ...names });
  }
  const { startedMs } = run.description;
  return { startedMs, fromMs, toMs, offsetMs, markets, requests: session.requests };
}

function pricesOver(seen: readonly SeenRun[], id: string): RecordedPrices {
  const markets = seen.flatMap(({ markets }) => markets.get(id) ?? []);
  const at = (timeMs: number): RecordedBest => {
    const run = seen.findLast(({ fromMs }) => fromMs <= timeMs);
    return run === undefined || timeMs > run.toMs + ROOM_MS
      ? UNKNOWN
      : (run.markets.get(id)?.best.at(timeMs) ?? UNKNOWN);
  };
  const standing = (timeMs: number): number | null => {
    for (const { fromMs, markets } of seen.toReversed()) {
      const middle = fromMs > timeMs ? null : (markets.get(id)?.best.at(timeMs).middleMicros ?? null);
      if (middle !== null) return middle;
    }
    return null;
  };
  const outcome = markets.findLast((market) => market.outcome !== null)?.outcome ?? null;
  const coverage = coverageOver(markets.flatMap((market) => market.coverage ?? []));
  // A market may have been given another name meanwhile.
  const { eventTitle = '', category = '' } = markets.at(-1) ?? {};
  return { at, standing, outcome, coverage, eventTitle, category };
}

function coverageOver(parts: readonly Coverage[]): Coverage | null {
  if (parts.length === 0) return null;
  const sum = (pick: (part: Coverage) => number) => parts.reduce((total, part) => total + pick(part), 0);
  return {
    spanMs: sum(({ spanMs }) => spanMs),
    gapMs: sum(({ gapMs }) => gapMs),
    gaps: sum(({ gaps }) => gaps),
    events: sum(({ events }) => events),
    trades: sum(({ trades }) => trades),
    skipped: sum(({ skipped }) => skipped),
  };
}

function requestsOver(seen: readonly SeenRun[]): RequestUse | null {
  const uses = seen.flatMap(({ requests }) => requests ?? []);
  const last = uses.at(-1);
  if (last === undefined) return null;
  const scope = (name: 'public' | 'signed'): ScopeUse => ({
    limitPerMinute: last[name].limitPerMinute,
    count: uses.reduce((sum, use) => sum + use[name].count, 0),
    peakPerMinute: Math.max(...uses.map((use) => use[name].peakPerMinute)),
    throttled: uses.reduce((sum, use) => sum + use[name].throttled, 0),
  });
  const byEndpoint = new Map<string, number>();
  for (const [name, count] of uses.flatMap((use) => use.byEndpoint))
    byEndpoint.set(name, (byEndpoint.get(name) ?? 0) + count);
  return {
    public: scope('public'),
    signed: scope('signed'),
    byEndpoint: [...byEndpoint].sort(([, a], [, b]) => b - a),
    unsent: uses.reduce((sum, use) => sum + use.unsent, 0),
  };
}
