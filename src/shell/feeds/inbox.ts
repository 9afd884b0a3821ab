/** Pending values of one feed and its problems: bounded for any input. */

import type { FeedValue } from '../../shared/protocol/seam.js';
import { nowMs } from '../runtime/clock.js';
import { jsonRow, type RowProblem, readRow } from './read-row.js';

/** Values are passed on together, so that a feed costs the trader at most ten steps a second, ms. */
export const TOGETHER_MS = 100;

/** Maximum markets of one feed; further ones are reported once and left out. */
const MAX_MARKETS = 2_000;

const MAX_KINDS = 20;

export interface FeedStatus {
  readonly name: string;
  /** Left-out rows and invalid lines. */
  readonly problems: number;
  /** Why nothing can be read from its source now; null while it can. */
  readonly trouble: string | null;
}

export interface FeedEars {
  readonly deliver: (feed: string, values: readonly FeedValue[]) => void;
  readonly loud: (text: string) => void;
  readonly quiet: (text: string) => void;
}

export class FeedInbox {
  readonly name: string;
  readonly #ears: FeedEars;
  /** By market, only the newest. */
  readonly #waiting = new Map<string, FeedValue>();
  /** Last passed value by market: an equal one is not passed again. */
  readonly #known = new Map<string, string>();
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #problems = 0;
  #trouble: string | null = null;

  constructor(name: string, ears: FeedEars) {
    this.name = name;
    this.#ears = ears;
  }

  /** A row as it was parsed. */
  row(raw: unknown): void {
    const read = readRow(raw, nowMs());
    if ('kind' in read) return this.problem(read);
    const { conditionId, atMs } = read;
    const told = JSON.stringify(read);
    if (this.#known.get(conditionId) === told || (this.#waiting.get(conditionId)?.atMs ?? atMs) > atMs) return;
    if (!this.#known.has(conditionId) && this.#known.size >= MAX_MARKETS) {
      return this.problem({ kind: 'markets', text: `names more than ${MAX_MARKETS} markets` });
    }
    this.#known.set(conditionId, told);
    this.#waiting.set(conditionId, read);
    this.#timer ??= setTimeout(() => this.#passOn(), TOGETHER_MS);
  }

  json(line: string): void {
    if (line.trim() === '') return;
    const read = jsonRow(line);
    if ('problem' in read) this.problem(read.problem);
    else this.row(read.row);
  }

  /** Each kind is reported once, and counted. */
  problem({ kind, text }: RowProblem): void {
    this.#problems += 1;
    if (this.#told.has(kind) || this.#told.size >= MAX_KINDS) return;
    this.#told.add(kind);
    this.#ears.loud(`feed ${this.name}: ${text}; such rows are left out and counted, and said once`);
  }

  /** The source cannot be read: reported once until it can. */
  trouble(text: string): void {
    if (this.#trouble === null) this.#ears.loud(`feed ${this.name}: ${text}; it is tried again and again`);
    this.#trouble = text;
  }

  fine(): void {
    if (this.#trouble !== null) this.#ears.quiet(`feed ${this.name}: it can be read again`);
    this.#trouble = null;
  }

  get status(): FeedStatus {
    return { name: this.name, problems: this.#problems, trouble: this.#trouble };
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #passOn(): void {
    this.#timer = null;
    const values = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#ears.deliver(this.name, values);
  }
}
