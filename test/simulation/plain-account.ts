/** The expected ledger, computed from the exchange's records of each booking. Invariants 2, 3 and 4. */

import type { ExchangeSide } from './exchange-side.js';
import type { LedgerFile, StoredConversion, StoredFill } from './ledger-file.js';
import { FUNDS } from './setting.js';

const ONE = 1_000_000;
const outcomeName = (market: string, isYes: boolean): string => `${market}/${isYes ? 'YES' : 'NO'}`;

export class PlainAccount {
  readonly #exchange: ExchangeSide;
  readonly #say: (violation: string) => void;
  #cash: number = FUNDS;
  #fees = 0;
  readonly #shares = new Map<string, number>();
  readonly #bookedOf = new Map<string, number>();
  /** Fills by trade. */
  readonly #known = new Map<string, StoredFill>();
  /** Booked false fills of the exchange. */
  readonly lies = new Set<string>();
  #newestFill = 0;
  #newestConversion = 0;
  #newestTransaction = 0;

  constructor(exchange: ExchangeSide, say: (violation: string) => void) {
    this.#exchange = exchange;
    this.#say = say;
  }

  /** Shares of an outcome that the ledger must hold. */
  shares(market: string, isYes: boolean): number {
    return this.#shares.get(outcomeName(market, isYes)) ?? 0;
  }

  /** Shares of an order that the ledger has booked. */
  bookedOf(orderPubkey: string): number {
    return this.#bookedOf.get(orderPubkey) ?? 0;
  }

  isBooked(tradePubkey: string): boolean {
    return this.#known.has(tradePubkey);
  }

  /** A booking was committed. */
  booked(file: LedgerFile): void {
    this.#takeBack(file);
    for (const fill of file.fillsAfter(this.#newestFill)) this.#fill(fill);
    for (const conversion of file.conversionsAfter(this.#newestConversion)) this.#conversion(conversion);
    const { unbalanced, newest } = file.transactionsAfter(this.#newestTransaction);
    for (const text of unbalanced) this.#say(`4: the postings of transaction ${text} do not sum to zero`);
    this.#newestTransaction = newest;
    this.#compare(file.balances());
  }

  /** After a crash: once committed data must still exist. */
  survived(file: LedgerFile): void {
    this.#takeBack(file);
    const [newest] = [...this.#known.values()].slice(-1);
    if (newest !== undefined && !file.hasFill(newest.pubkey)) this.#say('2: a fill that was committed is gone');
    const conversions = file.conversionsAfter(this.#newestConversion - 1);
    if (this.#newestConversion > 0 && conversions.length === 0) this.#say('2: a conversion that was committed is gone');
    this.booked(file);
  }

  #fill(fill: StoredFill): void {
    this.#newestFill = fill.seq;
    const { pubkey } = fill;
    if (this.#known.has(pubkey)) return this.#say(`2: fill ${pubkey} is booked twice`);
    this.#known.set(pubkey, fill);
    const real = this.#exchange.fills.get(pubkey);
    if (real === undefined) return this.#say(`3: fill ${pubkey} never happened`);
    const ownPrice = real.isYes ? real.priceMicros : ONE - real.priceMicros;
    const same =
      real.orderPubkey === fill.order_pubkey &&
      real.isYes === (fill.is_yes === 1) &&
      real.isBuy === (fill.side === 'buy') &&
      real.amountMicros === fill.amount &&
      real.feeMicros === (fill.fee ?? 0) &&
      ownPrice === fill.price;
    if (!same) this.#say(`3: fill ${pubkey} is booked otherwise than it happened`);
    if (this.#exchange.trades.lies.has(pubkey)) this.lies.add(pubkey);
    this.#count(fill, 1);
  }

  /** The ledger may have undone bookings that the exchange revoked. */
  #takeBack(file: LedgerFile): void {
    for (const pubkey of this.#exchange.trades.failed.keys()) {
      const fill = this.#known.get(pubkey);
      if (fill === undefined || file.hasFill(pubkey)) continue;
      this.#known.delete(pubkey);
      this.#count(fill, -1);
    }
  }

  #count(fill: StoredFill, times: 1 | -1): void {
    const real = this.#exchange.fills.get(fill.pubkey);
    if (real === undefined) return;
    const sign = times * (real.isBuy ? 1 : -1);
    this.#cash -= sign * real.costMicros + times * real.feeMicros;
    this.#fees += times * real.feeMicros;
    this.#move(fill.market, real.isYes, sign * real.amountMicros);
    this.#bookedOf.set(fill.order_pubkey, this.bookedOf(fill.order_pubkey) + times * fill.amount);
  }

  #conversion(conversion: StoredConversion): void {
    this.#newestConversion = conversion.seq;
    const { pubkey, kind, market } = conversion;
    const real = this.#exchange.conversion(kind, pubkey);
    if (real === null) return this.#say(`3: ${kind} ${pubkey} is booked and not done at the exchange`);
    const same = real.yes === conversion.yes && real.no === conversion.no && real.cash === conversion.cash;
    if (!same) this.#say(`3: ${kind} ${pubkey} is booked otherwise than it happened`);
    this.#cash += real.cash;
    this.#move(market, true, -real.yes);
    this.#move(market, false, -real.no);
  }

  #move(market: string, isYes: boolean, amount: number): void {
    const name = outcomeName(market, isYes);
    this.#shares.set(name, (this.#shares.get(name) ?? 0) + amount);
  }

  #compare(balances: ReadonlyMap<string, number>): void {
    const expect = (account: string, wanted: number) => {
      const found = balances.get(account) ?? 0;
      if (found !== wanted) this.#say(`4: ${account} is ${found} in the ledger and must be ${wanted}`);
    };
    expect('cash', this.#cash);
    expect('fees', this.#fees);
    for (const [name, amount] of this.#shares) expect(`shares/${name}`, amount);
  }
}
