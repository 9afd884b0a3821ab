/** Recorded part of a market's time. */

import type { RecordingSummary } from '../../recording/contract.js';
import type { Coverage } from './contract.js';

/** Of a whole recording; null without a summary. */
export function toCoverage(summary: RecordingSummary | null): Coverage | null {
  if (summary === null) return null;
  const { firstMs, lastMs, gaps, events, refused } = summary;
  const lostMs = gaps.map(({ fromMs, toMs }) => Math.max(0, (toMs ?? lastMs ?? fromMs) - fromMs));
  return {
    spanMs: firstMs === null || lastMs === null ? 0 : lastMs - firstMs,
    gapMs: lostMs.reduce((total, ms) => total + ms, 0),
    gaps: gaps.length,
    events: events.level + events.trade + events.clear + events.end,
    trades: events.trade,
    skipped: refused,
  };
}
