/** How strategies with new code or settings behave, held against how the trader behaved before. */

import type { Snapshot } from '../../../trader/engine/snapshot.js';
import type { Purpose } from '../../../trader/scheduler/purposes.js';

/** Of the trader, what is looked at about once a second. */
export type ProbationSample = Pick<Snapshot, 'mode' | 'openOrders'> & {
  readonly spent: readonly { readonly purpose: Purpose; readonly total: number }[];
  readonly markets: readonly Pick<Snapshot['markets'][number], 'conditionId' | 'answers'>[];
};

const MINUTE_MS = 60_000;
/** What came before is known by so many of the latest minutes of quoting, and not before so many were seen. */
const MOST_MINUTES = 60;
const LEAST_BEFORE_MS = 5 * MINUTE_MS;
/** Right after a change orders are pulled and placed anew, ms. */
const SETTLING_MS = 30_000;
/** Nothing is concluded from less, ms. */
const LEAST_SEEN_MS = MINUTE_MS;
/** Samples further apart say nothing of what lies between, ms. */
const MOST_APART_MS = 5_000;
const TIMES_AS_MANY = 3;
/** Fewer requests than this in the time that was looked at are never too many. */
const FEWEST_REQUESTS = 30;
const REQUESTS_OF_AN_ORDER = 2;

interface Span {
  ms: number;
  requests: number;
}

interface Trial {
  readonly sinceMs: number;
  /** Where each of the strategies wanted orders before: by name, the markets. */
  readonly quoted: ReadonlyMap<string, ReadonlySet<string>>;
  /** Those that have wanted an order there since. */
  readonly spoke: Set<string>;
  /** How long each was asked there, ms. */
  readonly askedMs: Map<string, number>;
  readonly seen: Span;
  /** When it had settled; null before. */
  openOrders: number | null;
}

export class Probation {
  readonly #before: { readonly minute: number; readonly span: Span }[] = [];
  #last: { readonly nowMs: number; readonly sample: ProbationSample } | null = null;
  #trial: Trial | null = null;

  /** These strategies are not as they were. A trial under way goes on with what was quoted before it. */
  begin(strategies: readonly string[], nowMs: number): void {
    const quoted = new Map([...(this.#trial?.quoted ?? [])]);
    for (const name of strategies) if (!quoted.has(name)) quoted.set(name, this.#quotedBy(name));
    const seen = { ms: 0, requests: 0 };
    this.#trial = { sinceMs: nowMs, quoted, spoke: new Set(), askedMs: new Map(), seen, openOrders: null };
  }

  /** What was before is back, or it has stood its trial. */
  end(): void {
    this.#trial = null;
  }

  /** What is seen of the trader now. */
  observe(sample: ProbationSample, nowMs: number): void {
    const last = this.#last;
    this.#last = { nowMs, sample };
    if (last === null || sample.mode !== 'quoting' || last.sample.mode !== 'quoting') return;
    const ms = nowMs - last.nowMs;
    if (ms <= 0 || ms > MOST_APART_MS) return;
    const span = this.#spanAt(nowMs);
    if (span !== null) {
      span.ms += ms;
      span.requests += countRequests(sample) - countRequests(last.sample);
    }
    if (this.#trial !== null && span === this.#trial.seen) judge(this.#trial, sample, ms);
  }

  /** Why what was before should come back; null when nothing speaks for it. `isOver`: the trial ends now. */
  complaint(isOver: boolean): string | null {
    const trial = this.#trial;
    if (trial === null || trial.quoted.size === 0) return null;
    return this.#tooManyRequests(trial) ?? (isOver ? silence(trial) : null);
  }

  #tooManyRequests({ seen, openOrders }: Trial): string | null {
    const before = { ms: 0, requests: 0 };
    for (const { span } of this.#before) {
      before.ms += span.ms;
      before.requests += span.requests;
    }
    if (before.ms < LEAST_BEFORE_MS || seen.ms < LEAST_SEEN_MS) return null;
    const usual = (before.requests / before.ms) * seen.ms;
    const more = Math.max(0, (this.#last?.sample.openOrders ?? 0) - (openOrders ?? 0));
    const most = Math.max(FEWEST_REQUESTS, TIMES_AS_MANY * usual) + REQUESTS_OF_AN_ORDER * more;
    if (seen.requests <= most) return null;
    return `it made ${seen.requests} requests for its orders in ${Math.round(seen.ms / 1000)} s, where ${usual.toFixed(1)} were usual`;
  }

  /** What this moment is counted in; null while orders are pulled and placed anew. */
  #spanAt(nowMs: number): Span | null {
    if (this.#trial !== null) return nowMs < this.#trial.sinceMs + SETTLING_MS ? null : this.#trial.seen;
    const minute = Math.floor(nowMs / MINUTE_MS);
    const newest = this.#before.at(-1);
    if (newest?.minute === minute) return newest.span;
    const span = { ms: 0, requests: 0 };
    this.#before.push({ minute, span });
    if (this.#before.length > MOST_MINUTES) this.#before.shift();
    return span;
  }

  #quotedBy(name: string): ReadonlySet<string> {
    const markets = this.#last?.sample.markets ?? [];
    return new Set(markets.filter(({ answers }) => answers[name] === 'levels').map(({ conditionId }) => conditionId));
  }
}

/** Of placing and cancelling orders alone: looks go by the budget, whatever a strategy wants. */
const countRequests = ({ spent }: ProbationSample): number =>
  spent.reduce((sum, { purpose, total }) => (purpose === 'moves' || purpose === 'cancels' ? sum + total : sum), 0);

function judge(trial: Trial, { markets, openOrders }: ProbationSample, ms: number): void {
  trial.openOrders ??= openOrders;
  for (const [name, before] of trial.quoted) {
    const answers = markets.filter(({ conditionId }) => before.has(conditionId)).map(({ answers: all }) => all[name]);
    if (answers.includes('levels')) trial.spoke.add(name);
    if (answers.includes('nothing')) trial.askedMs.set(name, (trial.askedMs.get(name) ?? 0) + ms);
  }
}

function silence({ quoted, spoke, askedMs }: Trial): string | null {
  for (const [name, { size }] of quoted) {
    if (size === 0 || spoke.has(name) || (askedMs.get(name) ?? 0) < LEAST_SEEN_MS) continue;
    return `strategy ${name} wants no order any more in any of the ${size} markets that it quoted`;
  }
  return null;
}
