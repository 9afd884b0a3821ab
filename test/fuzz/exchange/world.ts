/** The state that the fuzzer uses: markets in several states, accounts, and the records created so far. */

import type { Random } from '../../../src/shared/base/random.js';
import { control, openMarket, TestTrader } from '../../exchange/http/harness.js';
import { HYPERLIQUID, POLYMARKET } from '../../exchange/http/margin/market.js';
import { pick } from '../values.js';
import { Witness } from './witness.js';

/** The newest records of a kind. A draw takes one random number, for any number of records. */
class Ring<T> {
  readonly #items: T[] = [];
  #next = 0;

  add(item: T): void {
    this.#items[this.#next % RING] = item;
    this.#next += 1;
  }

  draw(random: Random): T | null {
    const at = drawn(random);
    return this.#items.length === 0 ? null : (this.#items[at % this.#items.length] ?? null);
  }
}
const RING = 32;
/** Draws one number even if there is no record. */
const drawn = (random: Random): number => random.below(2 ** 20);

const NOTHING = new Ring<string>();

/** A draft that waits for a signature. */
export interface Draft {
  readonly submitPath: string;
  readonly message: string;
  readonly owner: TestTrader;
}

/** The accounts of one lane. No other lane uses them, so they do not depend on other lanes. */
export class Actor {
  /** Trades only in order books: the sum of these accounts is constant. */
  readonly book: TestTrader;
  /** Trades on margin only. */
  readonly margin: TestTrader;
  readonly drafts = new Ring<Draft>();
  /** Complete requests, kept to be repeated. */
  readonly sent = new Ring<Buffer>();
  readonly #pubkeys = new Map<string, Ring<string>>();

  constructor(book: TestTrader, margin: TestTrader) {
    this.book = book;
    this.margin = margin;
  }

  own(path: string, pubkey: string): void {
    const ring = this.#pubkeys.get(path) ?? new Ring<string>();
    this.#pubkeys.set(path, ring);
    ring.add(pubkey);
  }

  /** A record under a path such as `/orders/`; a text that names none while there is no record. */
  pubkey(random: Random, path: string): string {
    return (this.#pubkeys.get(path) ?? NOTHING).draw(random) ?? 'none-yet';
  }
}

export interface Markets {
  readonly traded: readonly [string, string];
  readonly margin: readonly [string, string];
  readonly paused: string;
  readonly resolved: string;
  /** The market of the witnesses; no other account trades there. */
  readonly quiet: string;
}

export class World {
  readonly base: string;
  readonly port: number;
  readonly markets: Markets;
  readonly actors: readonly Actor[];
  readonly witnesses: readonly [Witness, Witness];

  private constructor(
    base: string,
    markets: Markets,
    actors: readonly Actor[],
    witnesses: readonly [Witness, Witness],
  ) {
    this.base = base;
    this.port = Number(new URL(base).port);
    this.markets = markets;
    this.actors = actors;
    this.witnesses = witnesses;
  }

  static async open(base: string, lanes: number): Promise<World> {
    const market = (fields: object = {}) => openMarket(base, fields);
    const margin = (config: object) => market({ config, reference_price: '0.4' });
    const markets: Markets = {
      traded: [await market(), await market({ config: { taker_fee_rate: '0.037' } })],
      margin: [await margin(POLYMARKET), await margin(HYPERLIQUID)],
      paused: await market(),
      resolved: await market(),
      quiet: await market(),
    };
    const actors: Actor[] = [];
    for (let lane = 0; lane < lanes; lane++) actors.push(await actor(base, markets));
    const witness = () => Witness.join(base, markets.quiet, markets.margin);
    const witnesses = [await witness(), await witness()] as const;
    await control(base, `/markets/${markets.paused}/state/`, { paused: true });
    await control(base, `/markets/${markets.resolved}/resolve/`, { is_yes: true });
    return new World(base, markets, actors, witnesses);
  }

  anyMarket(random: Random): string {
    const { traded, margin, paused, resolved, quiet } = this.markets;
    return pick(random, [...traded, ...margin, paused, resolved, quiet]);
  }
}

async function actor(base: string, markets: Markets): Promise<Actor> {
  const book = await TestTrader.join(base);
  const margin = await TestTrader.join(base);
  for (const market of [...markets.traded, markets.resolved])
    await book.complete('/share-splits/', { market_condition_id: market, amount: '500' });
  return new Actor(book, margin);
}
