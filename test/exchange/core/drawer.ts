/** A busy exchange for replays: random commands, and the journal of them. */

import { type Command, ExchangeCore } from '../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../src/exchange/core/records/archive.js';
import { Random } from '../../../src/shared/base/random.js';
import { m, settings, wallet } from './venue.js';

export const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

interface Named {
  readonly pubkey?: string | null | undefined;
}

/** Draws mostly valid commands: real pubkeys, markets and handles of a running exchange. */
export class Drawer {
  readonly archive = memoryArchive();
  readonly core = new ExchangeCore(settings, undefined, this.archive);
  readonly random: Random;
  readonly journal: Command[] = [];
  #nowMs = 1_700_000_000_000;
  #handles: number[] = [];
  #nonce = 0;

  constructor(seed: number) {
    this.random = Random.fromSeed(seed, 'replay');
    for (const precision of [2, 3]) {
      const rates = { maker_fee_rate: m('0.003'), taker_fee_rate: m('0.01') };
      this.#do('markets.create', {
        config: { kind: 'orderbook', price_precision: precision, amount_precision: 2 * precision, ...rates },
        event: 'both',
      });
    }
    for (let i = 1; i <= 4; i++) this.#key(i);
    this.#do('identity.openInternal', 'crowd', { unlimited: true });
    this.#do('identity.openInternal', 'maker', { unlimited: false, funds: m('2000') });
  }

  /** Runs a command with its JSON form, and journals it. */
  #do(method: Command[1], ...args: readonly unknown[]): unknown {
    const command = throughJson([this.#nowMs, method, args] as const);
    this.journal.push(command);
    return this.core.apply(command);
  }

  #key(number: number): void {
    this.#nonce += 1;
    const nonce = `n${this.#nonce}`;
    this.#do('identity.challenge', wallet(number), nonce);
    const message = `Create SVC API credential | Wallet: ${wallet(number)} | Nonce: ${nonce}`;
    const valid = this.random.chance(0.9) || this.#nonce <= 4;
    const request = { wallet_address: wallet(number), message, nonce };
    this.#do('identity.createKey', request, valid, `key${this.#nonce}`, 'secret');
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[this.random.below(from.length)];
  }

  step(): void {
    const { random } = this;
    if (random.chance(0.4)) this.#nowMs += random.below(random.chance(0.1) ? 40_000 : 300);
    const account = 1 + random.below(4);
    const market = random.below(this.core.catalog.markets.length);
    const id = this.core.catalog.market(market).card.conditionId;
    const valid = random.chance(0.9);
    const dice = random.uniform();
    const { orders, redeems } = this.core;
    if (dice < 0.2) this.#draftOrder(account, id);
    else if (dice < 0.4) this.#submit(account, 'orders.submit', orders.page(account, { limit: 3 }).rows, valid);
    else if (dice < 0.46) this.#cancel(account, valid);
    else if (dice < 0.62) this.#internal(market);
    else if (dice < 0.66) this.#do('internal.cancel', this.#pick(this.#handles) ?? 7);
    else if (dice < 0.8) this.#recorded(market);
    else if (dice < 0.86) this.#convert(account, id, valid);
    else if (dice < 0.9) this.#submitConversion('split', account, valid);
    else if (dice < 0.94) this.#submitConversion('merge', account, valid);
    else if (dice < 0.955) this.#redeem(account, valid);
    else if (dice < 0.97) this.#submit(account, 'redeems.submit', redeems.page(account, { limit: 2 }).rows, valid);
    else this.#control(market, id, account);
  }

  #submitConversion(kind: 'merge' | 'split', account: number, valid: boolean): void {
    const { rows } = this.core.conversions.records[kind].page(account, { limit: 2 });
    this.#do('conversions.submit', kind, account, this.#pick(rows)?.pubkey ?? 'none', valid);
  }

  #submit(account: number, method: Command[1], rows: readonly Named[], valid: boolean): void {
    this.#do(method, account, this.#pick(rows)?.pubkey ?? 'none', valid);
  }

  #draftOrder(account: number, id: string): void {
    const { random } = this;
    const side = random.chance(0.7) ? 'buy' : 'sell';
    const order = { market_condition_id: id, is_yes: random.chance(0.5), side };
    const amount = (1 + random.below(40)) * 1_000_000 + (random.chance(0.3) ? random.below(100) * 10_000 : 0);
    if (random.chance(0.8)) {
      const price = (40 + random.below(21)) * 10_000;
      this.#do('orders.draft', account, { ...order, order_type: 'limit', price, amount });
    } else if (side === 'buy') this.#do('orders.draft', account, { ...order, order_type: 'market', funds: amount });
    else this.#do('orders.draft', account, { ...order, order_type: 'market', amount });
  }

  #convert(account: number, id: string, valid: boolean): void {
    const { random, core } = this;
    const merges = random.chance(0.5);
    const kind = merges ? 'merge' : 'split';
    this.#do('conversions.draft', kind, account, id, String(1 + random.below(merges ? 10 : 60)));
    if (random.chance(0.4)) return;
    const { rows } = core.conversions.records[kind].page(account, { limit: 1 });
    this.#do('conversions.submit', kind, account, this.#pick(rows)?.pubkey ?? 'none', valid);
  }

  #redeem(account: number, valid: boolean): void {
    const all = this.core.catalog.markets;
    const settled = all.filter(({ state }) => state === 'resolved' || state === 'canceled');
    this.#do('redeems.draft', account, (this.#pick(settled) ?? all[0])?.card.conditionId);
    if (this.random.chance(0.6))
      this.#submit(account, 'redeems.submit', this.core.redeems.page(account, { limit: 1 }).rows, valid);
  }

  #cancel(account: number, valid: boolean): void {
    const { rows } = this.core.orders.page(account, { limit: 5, status: ['open', 'partially_filled'] });
    const pubkey = this.#pick(rows)?.pubkey;
    this.#do('orders.draftCancel', account, pubkey ?? 'none');
    if (this.random.chance(0.8)) this.#do('orders.submitCancel', account, pubkey ?? 'none', valid);
  }

  #internal(market: number): void {
    const { random } = this;
    const [price, amount] = [(40 + random.below(21)) * 10_000, (1 + random.below(30)) * 1_000_000];
    const [account, side, immediate] = [5 + random.below(2), random.below(2), random.chance(0.3)];
    const handle = this.#do('internal.place', account, market, side, price, amount, immediate);
    if (typeof handle === 'number' && handle > 0) this.#handles.push(handle);
  }

  #recorded(market: number): void {
    const { random } = this;
    const [side, price] = [random.below(2), (40 + random.below(21)) * 10_000];
    const amount = random.below(50) * 1_000_000 + random.below(3);
    if (random.chance(0.6)) this.#do('feed.level', market, side, price, amount);
    else if (random.chance(0.95)) this.#do('feed.trade', market, side, price, amount);
    else if (random.chance(0.5)) this.#do('feed.clear', market);
    else this.#do('feed.setReplayStart', market, amount);
  }

  #control(market: number, id: string, account: number): void {
    const { random } = this;
    const dice = random.below(13);
    if (dice === 0) this.#do('markets.setPaused', id, random.chance(0.3));
    else if (dice === 1) this.#do('markets.setUnbacked', id, random.chance(0.3));
    else if (dice === 2) this.#do('markets.setState', id, random.chance(0.7) ? 'open' : 'interrupted');
    else if (dice === 3) this.#do('setSigningAvailable', random.chance(0.8));
    else if (dice === 4) this.#do('identity.deposit', wallet(account), 1 + random.below(1_000_000));
    else if (dice === 5) this.#do('identity.setCustodial', wallet(account), random.chance(0.2));
    else if (dice === 6) this.#key(1 + random.below(5));
    else if (dice === 7) this.#do('identity.revoke', account, `key${1 + random.below(this.#nonce)}`);
    else if (dice < 11) {
      this.#do('markets.resolve', id, [true, false, null][random.below(3)] ?? null);
      this.#do('markets.create', { config: { kind: 'orderbook', amount_precision: market % 6 }, event: 'both' });
    } else if (dice === 11) this.#do('setDelays', { landingMs: random.below(2_000) });
    else this.#do('advance');
  }
}
