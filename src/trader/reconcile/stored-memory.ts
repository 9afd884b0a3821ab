import type { Notes } from '../ledger/contract.js';

/** A memory over restarts: a note with JSON. One class alone writes it: a text that does not parse is a bug and throws. */
export class StoredMemory<T> {
  readonly #notes: Notes;
  readonly #key: string;
  readonly #initial: string;

  /** @param initial the value before the first write */
  constructor(notes: Notes, key: string, initial: T) {
    this.#notes = notes;
    this.#key = key;
    this.#initial = JSON.stringify(initial);
  }

  get value(): T {
    return JSON.parse(this.#text) as T;
  }

  /** An equal value is not written: each write costs a part of the transaction. */
  set value(value: T) {
    const text = JSON.stringify(value);
    if (text !== this.#text) this.#notes.setNote(this.#key, text);
  }

  get #text(): string {
    return this.#notes.note(this.#key) ?? this.#initial;
  }
}
