/**
 * A market at an earlier time, and its times without orders: from the journal of that run, decided again up to there.
 */

import { basename } from 'node:path';
import type { Difference } from '../../lab/replay/compare.js';
import { replayRun } from '../../lab/replay/replay.js';
import { type RunCode, traderThen } from '../../lab/replay/run-settings.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import type { MarketStatus } from '../../shared/protocol/trader-status.js';
import { marketLines } from '../../shell/console/views/explain-view.js';
import { type RunJournal, readRun, runField, runFolders } from '../../shell/journal/runs.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { Trader } from '../../trader/engine/trader.js';

interface PastQuestion {
  readonly subject: string;
  readonly atMs: number;
  /** Time span before it to search for gaps, ms; 0 for none. */
  readonly gapsMs: number;
}

/**
 * Throws TwinbookError `usage` when no run had begun or the market was unknown, `recording_invalid` for a damaged
 * journal.
 */
export async function explainPast(
  question: PastQuestion,
  journalDir: string,
  code: RunCode,
): Promise<readonly string[]> {
  const { subject, atMs, gapsMs } = question;
  const run = readRun(findRunAt(atMs, journalDir));
  const gaps = new MarketGaps(subject);
  let trader: Trader | null = null;
  let lastMs = 0;
  let snapshot: Snapshot | null = null;
  const { difference } = await replayRun(run, {
    trader: await traderThen(run.description, code),
    code,
    look: {
      untilMs: atMs,
      afterStep: (remade, nowMs) => {
        trader = remade;
        lastMs = nowMs;
        if (gapsMs > 0 && nowMs >= atMs - gapsMs) gaps.look(remade.snapshot(nowMs), nowMs);
      },
    },
    ledgerAtEnd: () => {
      snapshot = trader?.snapshot(lastMs) ?? null;
    },
  });
  const lines = linesOf(subject, snapshot, run);
  return [
    `as of ${utcText(lastMs)} UTC: run ${basename(run.folder)}, decided again from its journal`,
    ...(difference === null ? [] : [differsText(difference)]),
    ...lines,
    ...(gapsMs > 0 ? ['', ...gaps.lines] : []),
  ];
}

const differsText = ({ timeMs, what }: Pick<Difference, 'timeMs' | 'what'>): string =>
  `from ${utcText(timeMs)} UTC on it did not decide as it did then, so this may differ: ${what}`;

function findRunAt(atMs: number, dir: string): string {
  const folder = runFolders(dir).findLast((one) => Number(runField(one, 'startedMs')) <= atMs);
  if (folder !== undefined) return folder;
  const hint = 'Runs are kept as long as `journal.max_mb` has room; `twinbook replay x` names those there are.';
  throw new TwinbookError('usage', `no run in ${dir} had begun by ${utcText(atMs)} UTC`, hint);
}

function linesOf(subject: string, snapshot: Snapshot | null, { folder }: RunJournal): readonly string[] {
  const market = snapshot?.markets.find(({ conditionId }) => conditionId === subject);
  if (snapshot !== null && market !== undefined) return marketLines(market, snapshot);
  const hint = '`twinbook markets` lists markets; an order or a fill is explained without --at, as it was.';
  throw new TwinbookError('usage', `run ${basename(folder)} knew no market ${subject} then`, hint);
}

export type GapLook = Pick<Snapshot, 'mode' | 'reason'> & {
  readonly markets: readonly Pick<MarketStatus, 'conditionId' | 'orders' | 'note' | 'refusals'>[];
};

/** Refusals by control. */
type Counts = ReadonlyMap<string, number>;

interface Gap {
  readonly fromMs: number;
  toMs: number;
  readonly why: string;
  readonly before: Counts;
  /** Refusals within it. */
  refused: Counts;
}

export class MarketGaps {
  readonly #market: string;
  readonly #gaps: Gap[] = [];
  #isOpen = false;
  #fromMs: number | null = null;
  #toMs = 0;
  #refusals: Counts = new Map();

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

const grown = (before: Counts, now: Counts): Counts =>
  new Map(
    [...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const).filter(([, more]) => more > 0),
  );

function gapLine({ fromMs, toMs, why, refused }: Gap): string {
  const controls = [...refused].map(([name, count]) => `${name} (${count} times)`);
  const by = controls.length === 0 ? '' : `; orders were refused by ${controls.join(', ')}`;
  return `  ${utcText(fromMs)} for ${seconds(toMs - fromMs)}: ${why}${by}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
