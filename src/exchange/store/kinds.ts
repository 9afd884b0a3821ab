/** The kinds of rows of one archive table, each with a small number: a few dozen at most, all of them in memory. */

import type Database from 'better-sqlite3';
import { must } from '../../shared/base/errors.js';
import type { Facets, RecordKind } from '../core/records/archive.js';

/** A combination of state, outcome and side that rows of a table have, with its number. */
export interface Kind extends Omit<Facets, 'market'> {
  readonly number: number;
}

interface KindRow {
  readonly number: number;
  readonly state: string;
  readonly is_yes: number | null;
  readonly side: 'buy' | 'sell' | null;
}

/** Numbers the combinations of one table, and finds those that a filter lets through. */
export class Kinds {
  readonly #recordKind: RecordKind;
  readonly #insert: Database.Statement<[string, number, string, number | null, string | null]>;
  readonly #kinds: Kind[];

  /** The file must have its table of kinds. */
  constructor(db: Database.Database, recordKind: RecordKind) {
    this.#recordKind = recordKind;
    this.#insert = db.prepare('INSERT INTO kind (shelf, number, state, is_yes, side) VALUES (?, ?, ?, ?, ?)');
    const rows = db.prepare<[string], KindRow>('SELECT * FROM kind WHERE shelf = ? ORDER BY number').all(recordKind);
    this.#kinds = rows.map(({ number, state, is_yes, side }) => ({ number, state, isYes: truth(is_yes), side }));
  }

  get all(): readonly Kind[] {
    return this.#kinds;
  }

  of(number: number): Kind {
    return must(this.#kinds[number], `kind ${number} of an archived ${this.#recordKind}`);
  }

  /** The number of a row's kind; a kind that was not seen before is written down. */
  assignNumber({ state, isYes, side }: Omit<Facets, 'market'>): number {
    for (const kind of this.#kinds) {
      if (kind.state === state && kind.isYes === isYes && kind.side === side) return kind.number;
    }
    const number = this.#kinds.length;
    this.#insert.run(this.#recordKind, number, state, isYes === null ? null : Number(isYes), side);
    this.#kinds.push({ number, state, isYes, side });
    return number;
  }
}

const truth = (value: number | null): boolean | null => (value === null ? null : value === 1);
