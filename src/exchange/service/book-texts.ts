/**
 * Answers of the book call as ready text, built once per change of a book. Turning levels into text is the cost, so
 * only a few depths are read from the book; others are cut from the next deeper one.
 */

import type { MarketIndex, Wire } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { bookRow } from '../core/records/market-rows.js';
import { successText } from './envelope.js';

/** Depths read from the book. The last is the maximum. */
const READ_DEPTHS = [5, 20, 50, 100];

/** The sides of a book without levels, in the envelope's spelling. */
const NO_LEVELS = '"bid":[],"ask":[]';

/** A book of one of `READ_DEPTHS` with its levels as text. */
interface Levels {
  readonly bid: readonly string[];
  readonly ask: readonly string[];
  readonly before: string;
  readonly after: string;
}

interface MarketTexts {
  version: number;
  /** By depth and outcome: at most 200 per market. */
  readonly texts: Map<number, string>;
  readonly levels: Map<number, Levels>;
}

/** Caches the text of each market's book by depth, until the book changes. */
export class BookTexts {
  readonly #core: ExchangeCore;
  readonly #markets: MarketTexts[] = [];

  constructor(core: ExchangeCore) {
    this.#core = core;
  }

  /** `depth`: levels per side, 1 to 100. */
  formatBook(market: MarketIndex, isYes: boolean, depth: number): string {
    const entry = this.#refreshEntry(market);
    const key = makeKey(isYes, depth);
    const known = entry.texts.get(key);
    if (known !== undefined) return known;
    const { bid, ask, before, after } = this.#readLevels(entry, market, isYes, depth);
    const text = `${before}"bid":[${bid.slice(0, depth).join()}],"ask":[${ask.slice(0, depth).join()}]${after}`;
    entry.texts.set(key, text);
    return text;
  }

  #readLevels(entry: MarketTexts, market: MarketIndex, isYes: boolean, depth: number): Levels {
    const readDepth = READ_DEPTHS.find((deeper) => deeper >= depth) ?? depth;
    const key = makeKey(isYes, readDepth);
    const known = entry.levels.get(key);
    if (known !== undefined) return known;
    const row = bookRow(this.#core.catalog.market(market), isYes, readDepth);
    const [before = '', after = ''] = successText({ ...row, bid: [], ask: [] }, {}).split(NO_LEVELS);
    const levels = { bid: row.bid.map(levelText), ask: row.ask.map(levelText), before, after };
    entry.levels.set(key, levels);
    return levels;
  }

  #refreshEntry(market: MarketIndex): MarketTexts {
    const version = this.#core.catalog.market(market).bookVersion;
    let entry = this.#markets[market];
    if (entry === undefined) {
      entry = { version, texts: new Map(), levels: new Map() };
      this.#markets[market] = entry;
    }
    if (entry.version !== version) {
      entry.version = version;
      entry.texts.clear();
      entry.levels.clear();
    }
    return entry;
  }
}

/** Decimals need no escaping. */
const levelText = ({ price, total_amount }: Wire<'orderbook'>['bid'][number]): string =>
  `{"price":"${price}","total_amount":"${total_amount}"}`;

const makeKey = (isYes: boolean, depth: number): number => depth * 2 + (isYes ? 1 : 0);
