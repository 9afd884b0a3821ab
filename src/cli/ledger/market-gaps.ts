/** Times without an own order in a market, and reasons: from successive observations of the trader. */

import { utcText } from '../../shared/base/utc-text.js';
import type { MarketStatus } from '../../shared/protocol/trader-status.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';

/** Fields of an observation that a gap uses. */
export type GapLook = Pick<Snapshot, 'mode' | 'reason'> & {
  readonly markets: readonly Pick<MarketStatus, 'conditionId' | 'orders' | 'note' | 'refusals'>[];
};

interface Gap {
  readonly fromMs: number;
  toMs: number;
  /** Reason at its beginning. */
  readonly why: string;
  /** Refusals by control before it, and within it. */
  readonly before: ReadonlyMap<string, number>;
  refused: ReadonlyMap<string, number>;
}

export class MarketGaps {
  readonly #market: string;
  readonly #gaps: Gap[] = [];
  #isOpen = false;
  #fromMs: number | null = null;
  #toMs = 0;
  #refusals: ReadonlyMap<string, number> = new Map();

  /** @param market its condition id */
  constructor(market: string) {
    this.#market = market;
  }

  look({ mode, reason, markets }: GapLook, nowMs: number): void {
    this.#fromMs ??= nowMs;
    this.#toMs = nowMs;
    const market = markets.find(({ conditionId }) => conditionId === this.#market);
    const refusals = new Map((market?.refusals ?? []).map(({ name, count }) => [name, count]));
    const gap = this.#gaps.at(-1);
    if (this.#isOpen && gap !== undefined) Object.assign(gap, { toMs: nowMs, refused: grown(gap.before, refusals) });
    if (market !== undefined && market.orders.length > 0) this.#isOpen = false;
    else if (!this.#isOpen) {
      const before = this.#refusals;
      const why = mode === 'quoting' ? (market?.note ?? 'not looked at') : `${mode}, ${reason}`;
      this.#gaps.push({ fromMs: nowMs, toMs: nowMs, why, before, refused: grown(before, refusals) });
      this.#isOpen = true;
    }
    this.#refusals = refusals;
  }

  /** Covered time, then each gap. */
  get lines(): readonly string[] {
    const allMs = this.#toMs - (this.#fromMs ?? this.#toMs);
    const sumMs = this.#gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const share = allMs > 0 ? ` (${((100 * sumMs) / allMs).toFixed(1)} %)` : '';
    const times = `${this.#gaps.length} ${this.#gaps.length === 1 ? 'time' : 'times'}`;
    return [
      `without an order for ${seconds(sumMs)} of ${seconds(allMs)}${share}, ${times}`,
      ...this.#gaps.map(gapLine),
    ];
  }
}

/** Increased counts, with the increase. */
const grown = (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map(
    [...now].flatMap(([name, count]) =>
      count > (before.get(name) ?? 0) ? [[name, count - (before.get(name) ?? 0)]] : [],
    ),
  );

function gapLine({ fromMs, toMs, why, refused }: Gap): string {
  const controls = [...refused].map(([name, count]) => `${name} (${count} times)`);
  const by = controls.length === 0 ? '' : `; orders were refused by ${controls.join(', ')}`;
  return `  ${utcText(fromMs)} for ${seconds(toMs - fromMs)}: ${why}${by}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
