/** Writes a few rows of a market, and reads folders whole, so that two of them can be compared. */

import { queryRecordings } from '../../../src/recording/inspect/query.js';
import { verifyRecordings } from '../../../src/recording/inspect/verify.js';
import { openRecordings } from '../../../src/recording/recording.js';
import type { MarketSink } from '../../../src/recording/store/contract.js';
import { rowsOf } from '../samples.js';
import { at, START_MS } from '../store/writing.js';

/** A book, a few changes, one that is refused, and a request. */
export function recordSome(sink: MarketSink, fromMs: number): void {
  sink.clear(at(fromMs));
  for (let ms = fromMs; ms < fromMs + 5; ms++) sink.level(at(ms), 0, 300_000, 1_000_000 + ms);
  // Off the tick: it is refused, and counted.
  sink.level(at(fromMs + 5), 0, 301_234, 1);
  const sentMs = START_MS + fromMs;
  sink.poll({ endpoint: 'book', sentMs, seenMs: sentMs + 1, venueMs: null, outcome: 'answered' });
}

export async function told(folder: string) {
  const recordings = await openRecordings([folder]);
  return Promise.all(
    recordings.map(async (recording) => {
      const polls = [];
      for await (const poll of recording.polls?.() ?? []) polls.push(poll);
      const { bytes: _, ...summary } = recording.summary ?? { bytes: 0, gaps: [], firstMs: null };
      const { conditionId } = recording.market;
      const { fingerprint, warnings } = recording;
      const rows = await rowsOf(recording);
      return { conditionId, summary, polls, fingerprint, rows, warnings: warnings.map(({ message }) => message) };
    }),
  );
}

/** Every row of every table, as sums. */
export async function ask(folder: string): Promise<unknown[]> {
  const sums = ['events', 'polls'].map(
    (table) => `select '${table}', market, date, count(*)::int, sum(hash(t)) from ${table} t group by all`,
  );
  const answer = await queryRecordings(`${sums.join(' union all ')} order by all`, [folder]);
  const rows: unknown[] = [];
  for await (const batch of answer.rows()) rows.push(...batch);
  answer.close();
  return rows;
}

export const differences = async (folder: string) =>
  (await verifyRecordings([folder])).findings.filter(({ severity }) => severity === 'difference');
