/** Session of a ledger and its runs' journals, for `twinbook pnl --report` and `--by`. */

import { basename, extname, resolve } from 'node:path';
import type { EventSource } from '../../lab/backtest/contract.js';
import type { Journaled } from '../../lab/parity/journaled-prices.js';
import type { Analysis } from '../../lab/report/analysis/analyse.js';
import type { StandingPrice } from '../../lab/report/live/breakdown.js';
import type { SessionRecord } from '../../lab/session/contract.js';
import { type RecordedBest, type RecordedPrices, toCoverage, UNKNOWN_BEST } from '../../lab/session/market-walk.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { VERSION } from '../../shell/config/shipped.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { resolveData } from '../arguments.js';
import type { CliIo } from '../output/io.js';
import { writeWhole } from '../output/whole-file.js';
import { readLedger } from './ledger-reading.js';

export interface LiveQuestion {
  readonly config: TraderConfig;
  /** The configuration's name, for the title. */
  readonly configFile: string;
  readonly data: readonly string[];
  /** Whether its runs' journals are read. */
  readonly journals: boolean;
  /** Unix ms while the trader runs, else null. */
  readonly nowMs: number | null;
  readonly fairMicros: ReadonlyMap<string, number>;
}

export interface LiveSession {
  readonly session: SessionRecord;
  readonly analysis: Analysis;
  readonly standing: StandingPrice;
}

/** Throws TwinbookError for unreadable data; an unreadable journal is reported and left out. */
export async function readLiveSession(question: LiveQuestion, io: CliIo): Promise<LiveSession> {
  const { analyse } = await import('../../lab/report/analysis/analyse.js');
  const { sessionFromLedger } = await import('../../lab/report/live/session-from-ledger.js');
  const recorded = await recordedPrices(question, io);
  const journals = question.journals ? await loadJournaled(question.config, io) : null;
  const findPrices = (id: string): RecordedPrices | null => recorded.get(id) ?? journals?.prices.get(id) ?? null;
  const session = await readLedger(question.config, io, (ledger) =>
    sessionFromLedger(ledger, {
      title: `${basename(question.configFile, extname(question.configFile))}: live results`,
      version: VERSION,
      nowMs: question.nowMs,
      fairMicros: question.fairMicros,
      // The trader's default for a profile without one.
      feeSchedule: question.config.venue.profile.fee_schedule ?? 'notional',
      findPrices,
      ...(journals === null ? {} : { journals }),
    }),
  );
  const standing: StandingPrice = (id, timeMs) => findPrices(id)?.standing(timeMs) ?? null;
  return { session, analysis: analyse(session), standing };
}

/** Writes the page. Throws TwinbookError when the file cannot be written. */
export async function writePnlReport({ session, analysis }: LiveSession, file: string, io: CliIo): Promise<void> {
  const { reportHtml } = await import('../../lab/report/html/report-html.js');
  writeWhole(resolve(io.cwd, file), reportHtml({ sessions: [session] }, [analysis]));
}

/** Markets in the ledger; others need not be read. */
const marketsTouched = (config: TraderConfig, io: CliIo): Promise<ReadonlySet<string>> =>
  readLedger(config, io, (ledger) => {
    const page = { limit: Number.MAX_SAFE_INTEGER };
    const rows = [...ledger.orders(page), ...ledger.fills(page), ...ledger.conversions(page), ...ledger.positions()];
    return new Set(rows.map(({ marketConditionId }) => marketConditionId));
  });

/** Null when no run of this ledger has a readable journal. */
async function loadJournaled(config: TraderConfig, io: CliIo): Promise<Journaled | null> {
  const { readJournals } = await import('../../lab/parity/journaled-prices.js');
  const runs = await readRunJournals(config, io);
  const found = runs.flatMap(({ run }) => run ?? []);
  if (found.length === 0) return null;
  const missing = runs.length - found.length;
  const ours = await marketsTouched(config, io);
  const read = await readJournals(found, ours, (run, error) => {
    io.err(`the journal of run ${basename(run.folder)} is left out: ${error.message}\n`);
  });
  if (missing === 0) return read;
  const remark = `${missing} of ${runs.length} runs have no journal: what the books were while they ran is not known.`;
  return { ...read, remarks: [...read.remarks, remark] };
}

/** Oldest first; without a journal where none exists, or none of this version. */
async function readRunJournals(
  config: TraderConfig,
  io: CliIo,
): Promise<readonly { readonly run: RunJournal | null }[]> {
  const { runFolders } = await import('../../shell/journal/runs.js');
  const { readRun } = await import('../../shell/journal/read-run.js');
  const folders = new Map(runFolders(config.journal.dir).map((folder) => [basename(folder), folder]));
  const ids = await readLedger(config, io, (ledger) => ledger.runs(Number.MAX_SAFE_INTEGER).map(({ id }) => id));
  return ids.reverse().map((id) => {
    const folder = folders.get(id);
    try {
      return { run: folder === undefined ? null : readRun(folder) };
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      io.err(`the journal of run ${id} is left out: ${error.message}\n`);
      return { run: null };
    }
  });
}

async function recordedPrices({ config, data }: LiveQuestion, io: CliIo): Promise<ReadonlyMap<string, RecordedPrices>> {
  const prices = new Map<string, RecordedPrices>();
  if (data.length === 0) return prices;
  const { openSources } = await import('../../lab/backtest/sources.js');
  const { BestPrices } = await import('../../lab/parity/best-prices.js');
  const { sources } = await openSources(resolveData(data, io));
  const ours = await marketsTouched(config, io);
  for (const source of sources) {
    if (!ours.has(source.market.conditionId)) continue;
    const best = await BestPrices.of(source);
    prices.set(
      source.market.conditionId,
      makePrices(source, (timeMs) => best.at(timeMs)),
    );
  }
  return prices;
}

/** The book between observations is unknown. */
function makePrices({ market, summary }: EventSource, at: (timeMs: number) => RecordedBest): RecordedPrices {
  const gaps = summary?.gaps ?? [];
  const isInGap = (timeMs: number): boolean =>
    gaps.some(({ fromMs, toMs }) => timeMs > fromMs && (toMs === null || timeMs < toMs));
  return {
    at: (timeMs) => (isInGap(timeMs) ? UNKNOWN_BEST : at(timeMs)),
    standing: (timeMs) => at(timeMs).middleMicros,
    outcome: market.outcome,
    coverage: toCoverage(summary),
    eventTitle: market.eventTitle,
    category: market.category,
  };
}
