/** The report of `twinbook pnl --report`: the whole ledger, with prices of recordings where there are some. */

import { basename, extname, resolve } from 'node:path';
import type { EventSource } from '../../lab/backtest/contract.js';
import type { Analysis } from '../../lab/report/analysis/contract.js';
import type { RecordedPrices } from '../../lab/report/live/contract.js';
import { coverageOf } from '../../lab/session/coverage.js';
import type { RecordedBest } from '../../lab/session/market-walk.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { VERSION } from '../../shell/config/version.js';
import type { CliIo } from '../output/io.js';
import { writeWhole } from '../output/whole-file.js';
import { readLedger } from './ledger-reading.js';

export interface PnlReport {
  readonly config: TraderConfig;
  /** The configuration's name, for the title. */
  readonly configFile: string;
  readonly file: string;
  readonly data: readonly string[];
  /** Unix ms while the trader runs, else null. */
  readonly nowMs: number | null;
  readonly fairMicros: ReadonlyMap<string, number>;
}

/** Writes the page and returns its figures. Throws TwinbookError when the file cannot be written or data not be read. */
export async function writePnlReport(report: PnlReport, io: CliIo): Promise<Analysis> {
  const { analyse } = await import('../../lab/report/analysis/analyse.js');
  const { reportHtml } = await import('../../lab/report/html/report-html.js');
  const { sessionFromLedger } = await import('../../lab/report/live/session-from-ledger.js');
  const recorded = await recordedPrices(report, io);
  const session = await readLedger(report.config, io, (ledger) =>
    sessionFromLedger(ledger, {
      title: `${basename(report.configFile, extname(report.configFile))}: live results`,
      version: VERSION,
      nowMs: report.nowMs,
      fairMicros: report.fairMicros,
      recorded: (conditionId) => recorded.get(conditionId) ?? null,
    }),
  );
  const analysis = analyse(session);
  writeWhole(resolve(io.cwd, report.file), reportHtml({ sessions: [session] }, [analysis]));
  return analysis;
}

/** Of the markets in which the ledger has something; others need not be read. */
async function recordedPrices({ config, data }: PnlReport, io: CliIo): Promise<ReadonlyMap<string, RecordedPrices>> {
  const prices = new Map<string, RecordedPrices>();
  if (data.length === 0) return prices;
  const { openSources } = await import('../../lab/backtest/open-sources.js');
  const { BestPrices } = await import('../../lab/parity/best-prices.js');
  const { sources } = await openSources(data.map((path) => resolve(io.cwd, path)));
  const ours = await readLedger(
    config,
    io,
    (ledger) => new Set(ledger.orders({ limit: Number.MAX_SAFE_INTEGER }).map((order) => order.marketConditionId)),
  );
  for (const source of sources) {
    if (!ours.has(source.market.conditionId)) continue;
    const best = await BestPrices.of(source);
    prices.set(
      source.market.conditionId,
      pricesOf(source, (timeMs) => best.at(timeMs)),
    );
  }
  return prices;
}

const UNKNOWN: RecordedBest = { bidMicros: null, askMicros: null, middleMicros: null };

/** What the book was when nobody looked is not known. */
function pricesOf({ market, summary }: EventSource, at: (timeMs: number) => RecordedBest): RecordedPrices {
  const gaps = summary?.gaps ?? [];
  const isInGap = (timeMs: number): boolean =>
    gaps.some(({ fromMs, toMs }) => timeMs > fromMs && (toMs === null || timeMs < toMs));
  return {
    at: (timeMs) => (isInGap(timeMs) ? UNKNOWN : at(timeMs)),
    outcome: market.outcome,
    coverage: coverageOf(summary),
  };
}
