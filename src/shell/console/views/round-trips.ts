/** Round trips: shares that were bought and later sold, or the reverse, first in, first out, at prices of YES. */

import { complement, formatDecimal, type Micros, ONE } from '../../../shared/base/micros.js';
import type { BookedFill, LedgerReader } from '../../../trader/ledger/contract.js';
import { yesPrice } from './texts.js';

/** The newest ones; older ones are forgotten. */
const MOST_TRIPS = 2_000;

/** Shares that one fill opened and none has closed. */
interface Lot {
  readonly timeMs: number;
  readonly price: number;
  /** Negative for sold YES or bought NO. */
  shares: number;
  readonly feePerShare: number;
}

/** Figures in whole millionths. */
interface Closing extends Omit<Lot, 'shares'> {
  readonly id: string;
  readonly market: string;
  readonly shares: number;
}

const round = (micros: number): Micros => Math.round(micros) as Micros;
const times = (price: number, shares: number): number => (price * shares) / ONE;

export class RoundTrips {
  readonly #lots = new Map<string, Lot[]>();
  #trips: ReturnType<typeof makeTrip>[] = [];
  #last = 0;
  /** Identifies a ledger, also after a trade in it was reversed. */
  #of = '';

  /** Newest first. @param opened number of openings of the ledger */
  read(ledger: Pick<LedgerReader, 'tradeTurns' | 'fillsAfter'>, opened: number) {
    const of = `${opened} ${ledger.tradeTurns()}`;
    if (of !== this.#of) {
      [this.#of, this.#last, this.#trips] = [of, 0, []];
      this.#lots.clear();
    }
    for (const { seq, row } of ledger.fillsAfter(this.#last)) {
      this.#take(closingFill(row));
      this.#last = seq;
    }
    this.#trips = this.#trips.slice(-MOST_TRIPS);
    return this.#trips.toReversed();
  }

  /** Closes older lots of the other direction, and opens one with the rest. */
  #take(closing: Closing): void {
    const lots = this.#lots.get(closing.market) ?? [];
    this.#lots.set(closing.market, lots);
    let left = closing.shares;
    const closed: Lot[] = [];
    while (left !== 0 && lots[0] !== undefined && Math.sign(lots[0].shares) !== Math.sign(left)) {
      const [lot] = lots;
      const shares = Math.sign(lot.shares) * Math.min(Math.abs(left), Math.abs(lot.shares));
      closed.push({ ...lot, shares });
      lot.shares -= shares;
      left += shares;
      if (lot.shares === 0) lots.shift();
    }
    if (closed.length > 0) this.#trips.push(makeTrip(closing, closed));
    if (left !== 0) lots.push({ ...closing, shares: left });
  }
}

function closingFill(fill: BookedFill): Closing {
  const { pubkey: id, marketConditionId: market, isYes, side, priceMicros, amountMicros, feeMicros, timestampS } = fill;
  return {
    id,
    market,
    timeMs: timestampS * 1000,
    price: yesPrice(isYes, priceMicros),
    shares: ((side === 'buy') === isYes ? 1 : -1) * amountMicros,
    feePerShare: ((feeMicros ?? 0) / amountMicros) * ONE,
  };
}

function makeTrip({ id, market, timeMs, price, feePerShare }: Closing, closed: readonly Lot[]) {
  const sum = (of: (lot: Lot) => number): number => closed.reduce((total, lot) => total + of(lot), 0);
  const shares = sum((lot) => lot.shares);
  const opened = sum((lot) => times(lot.price, lot.shares));
  const fees = sum((lot) => times(lot.feePerShare + feePerShare, Math.abs(lot.shares)));
  const openedAt = (opened / shares) * ONE;
  const isBuy = shares > 0;
  return {
    id,
    market,
    time: timeMs,
    lasted: timeMs - Math.min(...closed.map((lot) => lot.timeMs)),
    /** Outcome whose shares were held. */
    held: isBuy ? 'YES' : 'NO',
    shares: formatDecimal(round(Math.abs(shares))),
    bought: formatDecimal(isBuy ? round(openedAt) : complement(round(openedAt))),
    sold: formatDecimal(isBuy ? round(price) : complement(round(price))),
    profit: formatDecimal(round(times(price, shares) - opened - fees)),
  };
}
