/** Answers of the book call as ready-made text, encoded once for each change of a book. */

import type { CoreReads, MarketIndex } from '../core/contract.js';
import { successText } from './envelope.js';

interface MarketTexts {
  version: number;
  /** By depth and outcome: at most 200 for each market. */
  readonly texts: Map<number, string>;
}

export class BookTexts {
  readonly #core: CoreReads;
  readonly #markets: MarketTexts[] = [];

  constructor(core: CoreReads) {
    this.#core = core;
  }

  textOf(market: MarketIndex, isYes: boolean, depth: number): string {
    const cached = this.#textsOf(market);
    const key = depth * 2 + (isYes ? 1 : 0);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const text = successText(this.#core.bookRow(market, isYes, depth), {});
    cached.set(key, text);
    return text;
  }

  #textsOf(market: MarketIndex): Map<number, string> {
    const version = this.#core.bookVersion(market);
    let entry = this.#markets[market];
    if (entry === undefined) {
      entry = { version, texts: new Map() };
      this.#markets[market] = entry;
    }
    if (entry.version !== version) {
      entry.version = version;
      entry.texts.clear();
    }
    return entry.texts;
  }
}
