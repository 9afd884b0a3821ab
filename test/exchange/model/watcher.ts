/** Looks at every record of a caller again and again, by list and by detail, and lets none move but as it may. */

import { expect } from 'vitest';
import type { TestTrader } from '../http/harness.js';

type Moves = Readonly<Record<string, readonly string[]>>;
type Row = Readonly<Record<string, unknown>>;

/** Matching is one step: whoever meets enough is filled in the answer to his submit. */
const ORDER: Moves = {
  waiting_to_sign: [
    ...(['open', 'partially_filled', 'filled', 'canceled', 'partially_filled_canceled'] as const),
    ...(['expired', 'failed'] as const),
  ],
  open: ['partially_filled', 'filled', 'canceled'],
  partially_filled: ['filled', 'partially_filled_canceled'],
};
const CONVERSION: Moves = { waiting_to_sign: ['in_process', 'expired'], in_process: ['done', 'failed'] };
const REDEEM: Moves = { waiting_to_sign: ['completed', 'expired'] };

const KINDS = {
  '/orders/': { moves: ORDER, field: 'status' },
  '/share-merges/': { moves: CONVERSION, field: 'state' },
  '/share-splits/': { moves: CONVERSION, field: 'state' },
  '/redeems/': { moves: REDEEM, field: 'state' },
} as const;
export type Kind = keyof typeof KINDS;

export class Watcher {
  readonly #trader: TestTrader;
  readonly #rows = new Map<string, Row>();
  readonly #lives = new Map<string, string[]>();

  constructor(trader: TestTrader) {
    this.#trader = trader;
  }

  /** The states of a record so far, as they were seen. */
  life(pubkey: unknown): readonly string[] {
    return this.#lives.get(String(pubkey)) ?? [];
  }

  /** Every first state and every move that was seen. */
  get moves(): ReadonlySet<string> {
    const all = new Set<string>();
    for (const life of this.#lives.values()) {
      for (const [at, state] of life.entries()) all.add(at === 0 ? state : `${life[at - 1]} → ${state}`);
    }
    return all;
  }

  async look(): Promise<void> {
    // The keys of an object of constants are its names.
    for (const kind of Object.keys(KINDS) as Kind[]) await this.#lookAt(kind);
  }

  async #lookAt(kind: Kind): Promise<void> {
    const { rows } = await this.#trader.get(`${kind}?limit=100`);
    const pubkeys = rows.map((row) => String(row['pubkey']));
    // Newest first: what was there keeps its place, what is new stands before it.
    const known = pubkeys.filter((pubkey) => this.#rows.has(pubkey));
    expect(pubkeys.slice(pubkeys.length - known.length)).toEqual(known);
    for (const row of rows) {
      // The list shows all rows at every look; the detail is asked for again when a row may be another one.
      const { moves, field } = KINDS[kind];
      const before = this.#rows.get(String(row['pubkey']));
      if (before?.[field] !== row[field] || moves[String(row[field])] !== undefined) {
        expect((await this.#trader.get(`${kind}${String(row['pubkey'])}/`)).row).toEqual(row);
      }
      this.#seen(kind, row);
    }
  }

  #seen(kind: Kind, row: Row): void {
    const { moves, field } = KINDS[kind];
    const pubkey = String(row['pubkey']);
    const state = String(row[field]);
    const before = this.#rows.get(pubkey);
    const life = this.#lives.get(pubkey) ?? [];
    this.#lives.set(pubkey, life);
    if (before === undefined) {
      expect([pubkey, state]).toEqual([pubkey, 'waiting_to_sign']);
    } else {
      const last = String(before[field]);
      if (state !== last)
        expect({ from: last, to: moves[last] ?? [] }).toEqual({ from: last, to: expect.arrayContaining([state]) });
      // What is final stays as it is, to the last field.
      else if (moves[state] === undefined) expect(row).toEqual(before);
      for (const name of ['created', 'amount', 'price', 'market', 'market_condition_id', 'side']) {
        expect([name, row[name]]).toEqual([name, before[name]]);
      }
    }
    if (life.at(-1) !== state) life.push(state);
    this.#rows.set(pubkey, row);
  }
}
