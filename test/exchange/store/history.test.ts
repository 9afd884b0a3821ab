import { expect, it } from 'vitest';
import type { CoreSettings, FiltersOf, Wire } from '../../../src/exchange/core/contract.js';
import type { CoreSnapshot, ExchangeCore } from '../../../src/exchange/core/core.js';
import { PersistentCore } from '../../../src/exchange/store/persistent-core.js';
import { must } from '../../../src/shared/base/errors.js';
import { Random } from '../../../src/shared/base/random.js';
import { newFolder } from '../../support/folders.js';
import { accepted, m, settings as usual, wallet } from '../core/venue.js';

const ORDERS = 20_000;
const OPEN = 40;
const ACCOUNTS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const MARKETS = 4;
/** Between two orders, ms. */
const STEP_MS = 700;
/** Enough for all trades. */
const settings: CoreSettings = { ...usual, startingFunds: m(1_000_000_000) };

/** Fills a core with history by calls: every order is drafted, and signed, filled, canceled or left to expire. */
class History {
  readonly core: ExchangeCore;
  readonly #random = Random.fromSeed(1, 'history');
  readonly #markets: readonly string[];
  /** Number of drafted orders. */
  orders = 0;
  nowMs = 1_600_000_000_000;

  /** Opens accounts and markets in an empty core. */
  constructor(core: ExchangeCore) {
    this.core = core;
    const now = core.at(this.nowMs);
    for (const number of ACCOUNTS) {
      const nonce = `nonce ${number}`;
      const { message } = accepted(now.identity.challenge(wallet(number), nonce));
      const request = { wallet_address: wallet(number), message, nonce };
      accepted(now.identity.createKey(request, true, `key ${number}`, 'secret'));
    }
    const create = () => accepted(now.markets.create({ config: { kind: 'orderbook' } })).condition_id;
    this.#markets = Array.from({ length: MARKETS }, create);
  }

  /** One to three orders: filled, canceled, partly filled and canceled, or never signed. */
  step(): void {
    const dice = this.#random.uniform();
    const market = this.#random.below(MARKETS);
    const maker = 1 + this.#random.below(ACCOUNTS.length);
    const taker = 1 + (maker % ACCOUNTS.length);
    const cents = 30 + this.#random.below(40);
    if (dice < 0.15) this.#draft(maker, market, true, cents, 3);
    else if (dice < 0.45) this.#cancel(maker, this.#place(maker, market, true, 5, 2));
    else {
      const rest = this.#place(maker, market, true, cents, dice < 0.5 ? 9 : 4);
      this.#place(taker, market, false, 100 - cents, 4);
      if (dice < 0.5) this.#cancel(maker, rest);
    }
  }

  /** Adds a resting order that no order will take. */
  rest(): void {
    const account = 1 + (this.orders % ACCOUNTS.length);
    this.#place(account, account % MARKETS, true, 1 + (this.orders % 20), 1);
  }

  #draft(account: number, market: number, isYes: boolean, cents: number, amount: number): string {
    this.nowMs += STEP_MS;
    this.orders += 1;
    const id = must(this.#markets[market], 'a market');
    const order = { market_condition_id: id, is_yes: isYes, side: 'buy', order_type: 'limit' } as const;
    const sizes = { price: m(cents / 100), amount: m(amount) };
    return accepted(this.core.at(this.nowMs).orders.draft(account, { ...order, ...sizes })).pubkey;
  }

  #place(account: number, market: number, isYes: boolean, cents: number, amount: number): string {
    const pubkey = this.#draft(account, market, isYes, cents, amount);
    accepted(this.core.at(this.nowMs).orders.submit(account, pubkey, true));
    return pubkey;
  }

  #cancel(account: number, pubkey: string): void {
    accepted(this.core.at(this.nowMs).orders.draftCancel(account, pubkey));
    accepted(this.core.at(this.nowMs).orders.submitCancel(account, pubkey, true));
  }
}

/** A whole list, page by page. */
function all(core: ExchangeCore, account: number, filter: FiltersOf<'orders.list'>): Wire<'orderRow'>[] {
  const rows: Wire<'orderRow'>[] = [];
  for (let beforeId: number | undefined; ; ) {
    const page = core.orders.page(account, { limit: 100, beforeId, ...filter });
    rows.push(...page.rows);
    if (page.nextBeforeId === null) return rows;
    beforeId = page.nextBeforeId;
  }
}

const pubkeys = (rows: readonly Wire<'orderRow'>[]) => rows.map(({ pubkey }) => pubkey);

it('an exchange with a history holds in memory only what is alive, and lists every order once, by any filter', () => {
  const persistentCore = PersistentCore.open(newFolder(), settings);
  const { core } = persistentCore;
  const history = new History(core);
  while (history.orders < ORDERS) {
    persistentCore.batch(() => {
      for (let n = 0; n < 500; n++) history.step();
    });
  }
  for (let n = 0; n < OPEN; n++) history.rest();
  core.advance(history.nowMs + settings.draftLifetimeMs);
  const { orders, due } = core.snapshot() as CoreSnapshot;
  expect(orders.records).toHaveLength(OPEN);
  expect([orders.lastId, due.entries]).toEqual([history.orders, []]);

  let listed = 0;
  for (const account of ACCOUNTS) {
    const rows = all(core, account, {});
    expect(new Set(pubkeys(rows)).size).toBe(rows.length);
    listed += rows.length;
    const market = rows[0]?.market.condition_id;
    const filters: readonly (readonly [FiltersOf<'orders.list'>, (row: Wire<'orderRow'>) => boolean])[] = [
      [{ status: ['partially_filled_canceled'] }, ({ status }) => status === 'partially_filled_canceled'],
      [{ status: ['open', 'expired'] }, ({ status }) => status === 'open' || status === 'expired'],
      [{ is_yes: false }, ({ outcome }) => !outcome.is_yes],
      [{ side: 'sell' }, ({ side }) => side === 'sell'],
      [{ market_condition_id: market }, (row) => row.market.condition_id === market],
      [
        { market_condition_id: market, is_yes: true, side: 'buy', status: ['filled'] },
        (row) => row.market.condition_id === market && row.outcome.is_yes && row.status === 'filled',
      ],
    ];
    for (const [filter, wanted] of filters)
      expect(pubkeys(all(core, account, filter))).toEqual(pubkeys(rows.filter(wanted)));
  }
  expect(listed).toBe(history.orders);
  persistentCore.close();
}, 120_000);
