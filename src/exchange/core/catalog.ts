import { hash } from 'node:crypto';
import { base58 } from '@scure/base';
import { must } from '../../shared/base/errors.js';
import { type CoreSettings, invalid, type MarketSpec, ok, type Result } from './contract.js';
import { Market, type MarketCard, readSpec } from './market.js';
import type { FillModel } from './matching/fill-model.js';
import type { OrderPool } from './matching/order-pool.js';

/** Kind of a named object. Objects of different kinds get different names even if their numbers are equal. */
type NameKind = 'order' | 'trade' | 'conversion' | 'redeem' | 'market' | 'event' | 'mint' | MarginName;
type MarginName = 'request' | 'position' | 'funding' | 'refund';

/** Returns a pubkey or condition id: base58 of 32 bytes. The seed, kind and number determine it, also in a replay. */
export function makeName(seed: number, kind: NameKind, id: number): string {
  const text = `twinbook/${seed}/${kind}/${id}`;
  const known = newer.get(text) ?? older.get(text);
  if (known !== undefined) return known;
  const name = base58.encode(hash('sha256', text, 'buffer'));
  if (newer.size >= REMEMBERED) [older, newer] = [newer, new Map()];
  newer.set(text, name);
  return name;
}

/** Maximum names in each of the cache's two generations. Without the cache, hashing is the main cost of a list row. */
const REMEMBERED = 20_000;
let newer = new Map<string, string>();
let older = new Map<string, string>();

interface EventRecord {
  readonly index: number;
  readonly conditionId: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly createdMs: number;
  /** Indexes of the event's markets; later markets may join the event. */
  readonly markets: number[];
}

/** Condition ids must fit into a readable draft: no blanks, commas, pipes or invisible characters. */
const CONDITION_ID = /^[^\s|,\p{C}]{1,128}$/u;

/** Creates markets and events, and finds them by index or condition id. */
export class Catalog {
  readonly markets: Market[] = [];
  readonly events: EventRecord[] = [];
  readonly #settings: CoreSettings;
  readonly #pool: OrderPool;
  readonly #model: FillModel;
  readonly #marketById = new Map<string, Market>();
  readonly #eventById = new Map<string, number>();
  readonly #eventByTitle = new Map<string, number>();
  /** Mint addresses of outcome shares by share number; each address is computed on its first use. */
  readonly #mints = new Map<number, string>();

  constructor(settings: CoreSettings, pool: OrderPool, model: FillModel) {
    this.#settings = settings;
    this.#pool = pool;
    this.#model = model;
  }

  market(index: number): Market {
    return must(this.markets[index], `market ${index}`);
  }

  event(index: number): EventRecord {
    return must(this.events[index], `event ${index}`);
  }

  byId(conditionId: string): Market | null {
    return this.#marketById.get(conditionId) ?? null;
  }

  findIndex(conditionId: string): number | null {
    return this.byId(conditionId)?.index ?? null;
  }

  findEventIndex(conditionId: string): number | null {
    return this.#eventById.get(conditionId) ?? null;
  }

  deriveMint(market: Market, isYes: boolean): string {
    const share = 2 * market.index + (isYes ? 0 : 1);
    const known = this.#mints.get(share);
    if (known !== undefined) return known;
    const mint = makeName(this.#settings.seed, 'mint', share);
    this.#mints.set(share, mint);
    return mint;
  }

  /** Returns the market, or a refusal (status 400) for the request field `market_condition_id`. */
  requireMarket(conditionId: string): Result<Market> {
    const market = this.byId(conditionId);
    return market === null ? invalid('market_condition_id', 'Market not found.') : ok(market);
  }

  create(nowMs: number, spec: MarketSpec): Result<Market> {
    const index = this.markets.length;
    const conditionId = spec.condition_id ?? makeName(this.#settings.seed, 'market', index);
    if (!CONDITION_ID.test(conditionId))
      return invalid('condition_id', 'Up to 128 visible characters without blanks, commas or pipes.');
    if (this.#marketById.has(conditionId)) return invalid('condition_id', 'A market already has this condition id.');
    const { event, event_condition_id: eventId } = spec;
    const named = eventId === undefined ? this.#eventByTitle.get(event ?? '') : this.#eventById.get(eventId);
    const known = event === undefined ? undefined : named;
    const card = readSpec(spec, { conditionId, eventIndex: known ?? this.events.length, number: index + 1, nowMs });
    if (!card.ok) return card;
    if (known === undefined) this.#openEvent(card.value, event ?? null, eventId);
    return ok(this.#add(card.value, spec.state ?? 'open'));
  }

  #openEvent(card: MarketCard, title: string | null, wantedId: string | undefined): void {
    const index = this.events.length;
    const isFree = wantedId !== undefined && !this.#eventById.has(wantedId);
    const { category, createdMs, description } = card;
    const conditionId = isFree ? wantedId : makeName(this.#settings.seed, 'event', index);
    const texts = { title: title ?? card.title, description: description ?? '' };
    this.#keepEvent({ index, conditionId, ...texts, category, createdMs, markets: [] }, title !== null);
  }

  #keepEvent(event: EventRecord, isShared: boolean): void {
    this.events.push(event);
    this.#eventById.set(event.conditionId, event.index);
    // Further markets can join only an event that was created with a title.
    if (isShared) this.#eventByTitle.set(event.title, event.index);
  }

  #add(card: MarketCard, state: Market['state']): Market {
    const market = new Market(this.markets.length, card, state, this.#pool, this.#model);
    this.markets.push(market);
    this.#marketById.set(card.conditionId, market);
    this.event(card.eventIndex).markets.push(market.index);
    return market;
  }

  dump() {
    return {
      events: this.events.map((event) => ({
        ...event,
        markets: [],
        isShared: this.#eventByTitle.get(event.title) === event.index,
      })),
      markets: this.markets.map((market) => market.dump()),
    };
  }

  load(dump: ReturnType<Catalog['dump']>): void {
    for (const { isShared, ...event } of dump.events) this.#keepEvent({ ...event, markets: [] }, isShared);
    for (const saved of dump.markets) this.#add(saved.card, saved.state).load(saved);
  }
}
