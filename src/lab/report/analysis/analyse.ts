/** Computes every figure of a report from a session's record. */

import type { SessionRecord } from '../../session/contract.js';
import type { RepeatFigures } from './repeats.js';
import { computeFigures, type Figures } from './session-figures.js';
import { splitMarket } from './split.js';
import { listWarnings, type Warning } from './warnings.js';

export interface Analysis extends Figures {
  /** Warnings about the figures, most serious first. */
  readonly warnings: readonly Warning[];
  /** Of a backtest with several runs: all other figures are of the run with the middle result. */
  readonly repeats?: RepeatFigures;
}

/** Pure: equal records give equal figures, to the bit. */
export function analyse(record: SessionRecord): Analysis {
  const results = record.markets.map(splitMarket);
  const figures = computeFigures(record, results);
  const { format, kind, title, fromMs, toMs, ...rest } = figures;
  return { format, kind, title, fromMs, toMs, warnings: listWarnings(figures, record, results), ...rest };
}
