/** Recent messages: events of the ledger, and notices of the trader to this console. */

import type { LedgerReader } from '../../../trader/ledger/contract.js';
import type { TraderState } from '../trader-state.js';

const LINES = 500;
const RUNS = 200;
/** A notice that is also an event is shown once: their times may differ by this, ms. */
const SAME_MS = 2_000;

interface Line {
  readonly time: number;
  readonly severity: string;
  readonly kind: string;
  readonly text: string;
  readonly source: 'ledger' | 'trader';
}

/** Newest first. @param ledger null while it cannot be read */
export function logView(ledger: LedgerReader | null, { notices }: TraderState) {
  const kept: readonly Line[] = (ledger?.events(LINES) ?? []).map(({ timeMs, severity, kind, text }) => ({
    time: timeMs,
    severity,
    kind,
    text,
    source: 'ledger',
  }));
  const known = new Map<string, number[]>();
  for (const { kind, text, time } of kept) {
    const key = `${kind} ${text}`;
    known.set(key, [...(known.get(key) ?? []), time]);
  }
  const told: readonly Line[] = notices
    .filter(({ kind, text, time }) => !known.get(`${kind} ${text}`)?.some((at) => Math.abs(at - time) <= SAME_MS))
    .map(({ time, severity, kind, text }) => ({ time, severity, kind, text, source: 'trader' }));
  return { lines: [...told, ...kept].sort((a, b) => b.time - a.time).slice(0, LINES) };
}

export type LogView = ReturnType<typeof logView>;

export const runsView = (ledger: LedgerReader, { hello, bye }: TraderState) => ({
  runs: ledger.runs(RUNS).map((run) => ({ ...run, isCurrent: run.id === hello?.run && bye === null })),
});

export type RunsView = ReturnType<typeof runsView>;
