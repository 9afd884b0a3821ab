/**
 * Mixed traffic as a market maker's day has it: 60 % books, 20 % order drafts and submits, 10 % lists, 10 % merges and
 * cancels. The same seed asks the same.
 */

import { Random } from '../../../src/shared/base/random.js';
import { called, plain, Trader } from './trader.js';
import type { Hearing, Wire } from './wire.js';

export interface Ask {
  readonly bytes: string;
  readonly hear: Hearing;
}

type Kind = 'book' | 'list' | 'draft' | 'submit' | 'mergeDraft' | 'mergeSubmit' | 'cancelDraft' | 'cancelSubmit';

/** Of each forty requests. */
const MIX: readonly (readonly [Kind, number])[] = [
  ['book', 24],
  ['draft', 4],
  ['submit', 4],
  ['list', 4],
  ['mergeDraft', 1],
  ['mergeSubmit', 1],
  ['cancelDraft', 1],
  ['cancelSubmit', 1],
];
const LISTS = [
  '/orders/?status=open,partially_filled',
  '/orders/',
  '/trades/?limit=50',
  '/account/assets/',
  '/share-merges/',
];

/** What waits for its signature. */
interface Draft {
  readonly trader: Trader;
  readonly path: string;
  readonly message: string;
  /** Of a merge. */
  readonly pair: Pair | null;
}

interface Resting {
  readonly trader: Trader;
  readonly pubkey: string;
}

/** How long after its submit was answered a merge may take to land, ms. */
const LANDING_MS = 600;

/**
 * One open merge for each market and account. Until it is submitted, asking for another of the same amount gives the same
 * draft again, which can be submitted only once: so the pair is left alone from the draft until the merge has landed.
 */
interface Pair {
  readonly trader: Trader;
  readonly market: string;
  freeAtMs: number;
}

const leaveToLand = (pair: Pair | null): void => {
  if (pair !== null) pair.freeAtMs = performance.now() + LANDING_MS;
};

export class Traffic {
  readonly #random: Random;
  readonly #traders: readonly Trader[];
  readonly #markets: readonly string[];
  readonly #pairs: readonly Pair[];
  readonly #kinds: readonly Kind[];
  readonly #orders: Draft[] = [];
  readonly #merges: Draft[] = [];
  readonly #cancels: Draft[] = [];
  readonly #resting: Resting[] = [];
  #at = 0;

  constructor(traders: readonly Trader[], markets: readonly string[], seed: number) {
    this.#traders = traders;
    this.#markets = markets;
    this.#random = Random.fromSeed(seed);
    this.#pairs = traders.flatMap((trader) => markets.map((market) => ({ trader, market, freeAtMs: 0 })));
    const kinds = MIX.flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
    const places = kinds.map((kind) => ({ kind, place: this.#random.uniform() }));
    this.#kinds = places.sort((a, b) => a.place - b.place).map(({ kind }) => kind);
  }

  next(): Ask {
    const kind = this.#kinds[this.#at % this.#kinds.length] ?? 'book';
    this.#at += 1;
    return this.#ask(kind);
  }

  #ask(kind: Kind): Ask {
    switch (kind) {
      case 'book':
        return { bytes: this.#trader().signed('GET', `/markets/${this.#market()}/book/`), hear: expected };
      case 'list':
        return { bytes: this.#trader().signed('GET', this.#one(LISTS)), hear: expected };
      case 'draft':
        return this.#orderDraft();
      case 'submit':
        return this.#submit(this.#orders) ?? this.#orderDraft();
      case 'mergeDraft':
        return this.#mergeDraft();
      case 'mergeSubmit':
        return this.#submit(this.#merges) ?? this.#mergeDraft();
      case 'cancelDraft':
        return this.#cancelDraft();
      case 'cancelSubmit':
        return this.#submit(this.#cancels) ?? this.#cancelDraft();
    }
  }

  #orderDraft(): Ask {
    const trader = this.#trader();
    // Around the middle: about every second order finds one to trade with.
    const terms = {
      market_condition_id: this.#market(),
      is_yes: this.#random.uniform() < 0.5,
      side: 'buy',
      order_type: 'limit',
      price: (0.4 + Math.floor(this.#random.uniform() * 16) / 100).toFixed(2),
      amount: '2.5',
    };
    return this.#draft(trader, '/orders/', terms, this.#orders);
  }

  #mergeDraft(): Ask {
    const nowMs = performance.now();
    const pair = this.#pairs.find(({ freeAtMs }) => freeAtMs <= nowMs);
    if (pair === undefined) return this.#ask('list');
    pair.freeAtMs = Number.POSITIVE_INFINITY;
    const terms = { market_condition_id: pair.market, amount: '1' };
    return this.#draft(pair.trader, '/share-merges/', terms, this.#merges, pair);
  }

  #cancelDraft(): Ask {
    const order = this.#resting.pop();
    if (order === undefined) return this.#orderDraft();
    return this.#draft(order.trader, `/orders/${order.pubkey}/cancel/`, undefined, this.#cancels);
  }

  /** Keeps the draft that comes for its submit. */
  #draft(trader: Trader, path: string, body: object | undefined, drafts: Draft[], pair: Pair | null = null): Ask {
    const hear: Hearing = (status, answer) => {
      if (!expected(status, answer)) return leaveToLand(pair);
      const { pubkey, message } = (JSON.parse(answer.toString('utf8')) as { data: Record<string, string> }).data;
      const submit = path.endsWith('/cancel/') ? `${path}submit/` : `${path}${pubkey}/submit/`;
      drafts.push({ trader, path: submit, message: message ?? '', pair });
    };
    return { bytes: trader.signed('POST', path, body), hear };
  }

  #submit(drafts: Draft[]): Ask | null {
    const draft = drafts.shift();
    if (draft === undefined) return null;
    const body = { signature: draft.trader.sign(draft.message) };
    const hear: Hearing = (status, answer) => {
      leaveToLand(draft.pair);
      if (!expected(status, answer) || drafts !== this.#orders) return;
      const { data } = JSON.parse(answer.toString('utf8')) as { data: { pubkey: string; status: string } };
      if (data.status === 'open') this.#resting.push({ trader: draft.trader, pubkey: data.pubkey });
    };
    return { bytes: draft.trader.signed('POST', draft.path, body), hear };
  }

  #trader(): Trader {
    return this.#one(this.#traders);
  }

  #market(): string {
    return this.#one(this.#markets);
  }

  #one<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#random.uniform() * list.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }
}

/** Whether it was done. Being too late for an order or a merge is part of the day; anything else ends the benchmark. */
function expected(status: number, body: Buffer): boolean {
  if (status < 300) return true;
  const text = body.toString('utf8');
  if (/"(order_not_cancelable|share_merge_in_progress)"/.test(text)) return false;
  throw new Error(`unexpected answer ${status}: ${text}`);
}

export interface World {
  readonly traders: readonly Trader[];
  readonly markets: readonly string[];
}

const SETS = '100000';

/** Traders with money and complete sets in every market. Needs the paper controls. */
export async function makeWorld(wire: Wire, traderCount: number, marketCount: number): Promise<World> {
  const markets: string[] = [];
  for (let n = 0; n < marketCount; n++) {
    const config = { kind: 'orderbook', price_precision: 3 };
    const made = await called(wire, plain('POST', '/paper/markets/', { title: `Market ${n}`, config }));
    markets.push(String(made['condition_id']));
  }
  const traders = Array.from({ length: traderCount }, (_, n) => new Trader(n));
  for (const trader of traders) {
    await trader.join(wire);
    await called(wire, plain('POST', `/paper/accounts/${trader.wallet}/deposit/`, { funds: '10000000' }));
    for (const market of markets) {
      await trader.complete(wire, '/share-splits/', { market_condition_id: market, amount: SETS });
    }
  }
  // The splits land; nobody waits for them on the wall.
  await called(wire, plain('POST', '/paper/clock/', { advance_s: 1 }));
  return { traders, markets };
}
