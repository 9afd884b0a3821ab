/** Changes of a polled book against the known one, in YES space. */

import { SIDE } from '../../../recording/contract.js';
import type { Book, BookLevel } from '../../../trader/market/view.js';

export interface LevelChange {
  readonly side: number;
  readonly priceMicros: number;
  /** The level's new total; 0 removes it. */
  readonly amountMicros: number;
}

/** Own amounts at one price: certain, and maximum. Where the two differ, a level cannot be split now. */
export interface OwnAtPrice {
  readonly sureMicros: number;
  readonly mostMicros: number;
}

/** Own amounts by side (`SIDE`) and price. */
export type OwnInBook = readonly [bids: ReadonlyMap<number, OwnAtPrice>, asks: ReadonlyMap<number, OwnAtPrice>];

export const NOTHING_OWN: OwnInBook = [new Map(), new Map()];

/** An answer with as many levels as requested says nothing about levels beyond its last one. */
export class KnownLevels {
  #sides: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];

  /** Takes in a book and returns the changes: removals first, so that no step crosses. `depth` as requested. */
  changes(book: Book, depth: number, own: OwnInBook): LevelChange[] {
    const bids = this.#side(SIDE.bid, book.bids, depth, own[0]);
    const asks = this.#side(SIDE.ask, book.asks, depth, own[1]);
    const all = [...bids, ...asks];
    return [
      ...all.filter(({ amountMicros }) => amountMicros === 0),
      ...all.filter(({ amountMicros }) => amountMicros > 0),
    ];
  }

  /** Drops everything and takes in a book: all its levels are changes. */
  anew(book: Book, own: OwnInBook): LevelChange[] {
    this.#sides = [new Map(), new Map()];
    return this.changes(book, Number.POSITIVE_INFINITY, own);
  }

  #side(
    side: number,
    levels: readonly BookLevel[],
    depth: number,
    own: ReadonlyMap<number, OwnAtPrice>,
  ): LevelChange[] {
    const known = side === SIDE.bid ? this.#sides[0] : this.#sides[1];
    const last = levels.at(-1);
    const isSeen = (price: number): boolean => {
      if (levels.length < depth || last === undefined) return true;
      return side === SIDE.bid ? price >= last.priceMicros : price <= last.priceMicros;
    };
    const changes: LevelChange[] = [];
    const note = (priceMicros: number, rawMicros: number) => {
      const ours = own.get(priceMicros);
      const before = known.get(priceMicros);
      // Our part of it is unknown now: the others' known amount stays until it is known.
      if (ours !== undefined && ours.sureMicros !== ours.mostMicros && before !== undefined) return;
      const amountMicros = Math.max(0, rawMicros - (ours?.mostMicros ?? 0));
      if (amountMicros === (before ?? 0)) return;
      if (amountMicros === 0) known.delete(priceMicros);
      else known.set(priceMicros, amountMicros);
      changes.push({ side, priceMicros, amountMicros });
    };
    const shown = new Set<number>();
    for (const { priceMicros, amountMicros } of levels) {
      shown.add(priceMicros);
      note(priceMicros, amountMicros);
    }
    for (const price of [...known.keys()]) if (!shown.has(price) && isSeen(price)) note(price, 0);
    return changes;
  }
}
