/** Draws mostly valid calls of margin: real pubkeys, prices near the reference, moves of price, clock and market. */

import type { MarginRequest } from '../../../../src/exchange/core/contract.js';
import { type Command, ExchangeCore, MUTATORS } from '../../../../src/exchange/core/core.js';
import { memoryArchive } from '../../../../src/exchange/core/records/archive.js';
import type { Micros } from '../../../../src/shared/base/micros.js';
import { Random } from '../../../../src/shared/base/random.js';
import { settings, wallet } from '../venue.js';
import { DAY_MS, HYPERLIQUID, POLYMARKET } from './desk.js';

/** The calls that change leveraged positions. */
export const MARGIN_CALLS = MUTATORS.filter((name) => name.startsWith('margin.'));

const WALLETS = 3;
const MARKETS = [
  { config: POLYMARKET },
  { config: { ...HYPERLIQUID, annual_fee_rate: '2.5', opening_fee: '0.0123' }, reference_price: 123_456 },
  { config: { ...POLYMARKET, shares_decimals: 6, price_decimals: 3, annual_fee_rate: '0' }, reference_price: 900_000 },
];

export class MarginDrawer {
  readonly archive = memoryArchive();
  readonly core = new ExchangeCore(settings, undefined, this.archive);
  readonly journal: Command[] = [];
  readonly accounts: number[] = [];
  readonly #random: Random;
  #nowMs = 1_700_000_000_000;
  #markets: string[] = [];

  constructor(seed: number) {
    this.#random = Random.fromSeed(seed, 'margin');
    for (const spec of MARKETS) this.#openMarket(spec);
    for (let number = 1; number <= WALLETS; number++) {
      const nonce = `nonce-${number}`;
      this.do('identity.challenge', wallet(number), nonce);
      const message = `Create SVC API credential | Wallet: ${wallet(number)} | Nonce: ${nonce}`;
      const request = { wallet_address: wallet(number), message, nonce };
      this.do('identity.createKey', request, true, `key-${number}`, 'secret');
      this.accounts.push(number); // Account 0 belongs to the house.
    }
  }

  #openMarket(spec: object): void {
    this.do('markets.create', spec);
    this.#markets = [];
    for (const { card, state } of this.core.catalog.markets)
      if (state !== 'resolved' && state !== 'canceled') this.#markets.push(card.conditionId);
  }

  do(method: Command[1], ...args: readonly unknown[]): unknown {
    const command: Command = [this.#nowMs, method, args];
    this.journal.push(command);
    return this.core.apply(command);
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#random.below(items.length)];
  }

  #price = (): Micros => (10_000 * (1 + this.#random.below(99))) as Micros;

  step(): void {
    const random = this.#random;
    const account = this.#pick(this.accounts) ?? 1;
    const dice = random.below(12);
    if (dice < 3) return this.#request(account);
    if (dice === 3) return this.#withRequest(account);
    if (dice === 4) return this.#withPosition(account);
    if (dice === 5) return this.#claim(account);
    if (dice === 6) return this.#moveMarket();
    if (dice < 9) return void this.do('margin.setReferencePrice', this.#pick(this.#markets), this.#price());
    this.#nowMs += dice === 9 ? 1 + random.below(60 * DAY_MS) : random.below(1_500);
    this.do('advance');
  }

  #request(account: number): void {
    const random = this.#random;
    const price = () => (random.chance(0.3) ? this.#price() : null);
    const size = { price: this.#price(), shares: (10_000 * (1 + random.below(20_000))) as Micros };
    const limit = { type: 'limit', ...size } as const;
    const market = { type: 'market', funds: (1_000_000 + random.below(400_000_000)) as Micros } as const;
    const terms: MarginRequest = {
      ...(random.chance(0.4) ? limit : market),
      marketConditionId: this.#pick(this.#markets) ?? '',
      isYes: random.chance(0.5),
      leverage: (1_000_000 + (random.chance(0.2) ? 0 : random.below(5_000_000))) as Micros,
      takeProfit: price(),
      stopLoss: price(),
    };
    this.do('margin.requests.draft', account, terms);
    if (random.chance(0.8)) this.#withRequest(account);
  }

  #withRequest(account: number): void {
    const { rows } = this.core.margin.requestPage(account, { limit: 1, states: ['created', 'funding_processing'] });
    if (rows[0] === undefined) return;
    if (this.#random.chance(0.85))
      this.do('margin.requests.submit', account, rows[0].pubkey, this.#random.chance(0.95));
    else this.do('margin.requests.cancel', account, rows[0].pubkey);
  }

  #withPosition(account: number): void {
    const { rows } = this.core.margin.positionPage(account, { limit: 20, is_closed: this.#random.chance(0.1) });
    const pubkey = this.#pick(rows)?.pubkey;
    if (pubkey === undefined) return;
    const dice = this.#random.below(5);
    if (dice === 4) {
      this.do('setDelays', this.#random.chance(0.5) ? {} : { closingMs: this.#random.below(600_000) });
    } else if (dice === 0) {
      const takeProfit = this.#price();
      const stopLoss = this.#random.chance(0.5) ? null : this.#price();
      this.do('margin.positions.setTpSl', account, pubkey, { takeProfit, stopLoss });
    } else if (dice === 1) this.do('margin.positions.deleteTpSl', account, pubkey);
    else this.do('margin.positions.close', account, pubkey, dice === 2 ? this.#price() : null);
  }

  #claim(account: number): void {
    const states = ['created', 'settlement_pending', 'claimable'] as const;
    const { rows } = this.core.margin.settlementPage(account, { limit: 20, states: [...states] });
    const pubkey = this.#pick(rows)?.position_pubkey;
    if (pubkey !== undefined) this.do('margin.claimSettlement', account, pubkey);
  }

  #moveMarket(): void {
    const random = this.#random;
    const market = this.#pick(this.#markets);
    const dice = random.below(8);
    if (dice === 0) {
      this.do('markets.resolve', market, [true, false, null][random.below(3)]);
      this.#openMarket({ ...this.#pick(MARKETS) });
    } else if (dice === 2 || dice === 3) this.do('markets.setPaused', market, dice === 2);
    else this.do('markets.setState', market, dice === 1 ? 'interrupted' : 'open');
  }

  /** Resolves every market, claims everything and lets everything land. */
  wind(): void {
    for (const market of this.#markets) this.do('markets.resolve', market, true);
    this.#land();
    for (const account of this.accounts) {
      const { rows } = this.core.margin.settlementPage(account, { limit: 10_000, states: ['claimable'] });
      for (const { position_pubkey } of rows) this.do('margin.claimSettlement', account, position_pubkey);
    }
    this.#land();
  }

  #land(): void {
    this.#nowMs += settings.draftLifetimeMs;
    this.do('advance');
  }
}
