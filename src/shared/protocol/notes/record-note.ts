/** The shape of a note on a record; see records.ts. */

import type { z } from 'zod';
import type * as records from '../records.js';

type Records = typeof records;

/** The exported schemas; the module also exports types, which are not values. */
export type RecordName = keyof Records;

type KeysOf<T> = T extends unknown ? keyof T & string : never;

/** Documentation of one record and of each of its fields. */
export interface RecordNote<R extends RecordName> {
  /** Meaning of the record. */
  readonly about: string;
  readonly fields: { readonly [F in KeysOf<z.input<Records[R]>>]: string } & {
    /** A field of an object inside, e.g. `market.title`. */
    readonly [path: `${string}.${string}`]: string;
  };
}

/** A note for every exported record; one that lacks it does not compile. */
export type RecordNotes = { readonly [R in RecordName]: RecordNote<R> };
