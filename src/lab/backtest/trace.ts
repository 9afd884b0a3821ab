/** A running hash over everything that a backtest decides and hears: cheap enough to be always on. Not for secrets. */
export class Trace {
  #a = 0x811c9dc5;
  #b = 0x9e3779b9;

  number(value: number): void {
    // Both halves: times and amounts are larger than 32 bits.
    this.#mix(value | 0);
    this.#mix(Math.floor(value / 4294967296) | 0);
  }

  text(value: string): void {
    for (let i = 0; i < value.length; i++) this.#mix(value.charCodeAt(i));
    this.#mix(value.length);
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x01000193);
    this.#b = Math.imul((this.#b ^ word) + (this.#a >>> 15), 0x85ebca6b) ^ (this.#b >>> 13);
  }

  /** 16 lower-case hex characters. */
  get hash(): string {
    return [this.#a, this.#b].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
