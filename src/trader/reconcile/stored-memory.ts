import type { Notes } from '../ledger/contract.js';

/** A value kept over restarts as a JSON note. Only one class writes each note, so invalid JSON is a bug and throws. */
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

  /** An equal value is not written again. */
  set value(value: T) {
    const text = JSON.stringify(value);
    if (text !== this.#text) this.#notes.setNote(this.#key, text);
  }

  get #text(): string {
    return this.#notes.note(this.#key) ?? this.#initial;
  }
}
