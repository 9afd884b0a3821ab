/** Results by day, market and strategy, summed from the ledger's bookings, each read once. */

import { add, type Micros, ZERO } from '../../../shared/base/micros.js';
import type { BookingRow, LedgerReader } from '../../../trader/ledger/contract.js';

/** Bookings of one statement. */
const PAGE = 500;
/** Maximum time per call, ms: a long ledger takes several. */
const READING_MS = 40;

export interface ResultSum {
  readonly fills: number;
  /** Currency paid and received in fills. */
  readonly turnoverMicros: Micros;
  readonly realisedMicros: Micros;
  readonly feesMicros: Micros;
  /** Realised part of redeemed holdings: what they paid, less their cost. */
  readonly settledMicros: Micros;
}

export const NOTHING: ResultSum = {
  fills: 0,
  turnoverMicros: ZERO,
  realisedMicros: ZERO,
  feesMicros: ZERO,
  settledMicros: ZERO,
};

export class ResultBook {
  readonly #steadyMs: () => number;
  /** By UTC day, `YYYY-MM-DD`. */
  readonly days = new Map<string, ResultSum>();
  readonly markets = new Map<string, ResultSum>();
  /** The same of each day. */
  readonly dayMarkets = new Map<string, Map<string, ResultSum>>();
  readonly strategies = new Map<string, ResultSum>();
  #last = 0;
  #newest = 0;
  /** Identifies a ledger, also after a trade in it was reversed. */
  #of = '';

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /** Read fraction of all bookings, 0 to 1. */
  get read(): number {
    return this.#newest === 0 ? 1 : this.#last / this.#newest;
  }

  /** @param opened number of openings of the ledger */
  readOn(ledger: Pick<LedgerReader, 'newestBooking' | 'tradeTurns' | 'bookingsAfter'>, opened: number): void {
    const endMs = this.#steadyMs() + READING_MS;
    this.#newest = ledger.newestBooking();
    const of = `${opened} ${ledger.tradeTurns()}`;
    if (of !== this.#of || this.#newest < this.#last) this.#forget();
    this.#of = of;
    while (this.#last < this.#newest) {
      const bookings = ledger.bookingsAfter(this.#last, PAGE);
      for (const booking of bookings) this.#take(booking);
      this.#last = bookings.at(-1)?.id ?? this.#newest;
      if (this.#steadyMs() >= endMs) return;
    }
  }

  #forget(): void {
    this.#last = 0;
    for (const sums of [this.days, this.markets, this.dayMarkets, this.strategies]) sums.clear();
  }

  #take(booking: BookingRow): void {
    if (booking.kind === 'capital') return;
    const day = dayOf(booking.timeMs);
    const market = booking.marketConditionId ?? '';
    addTo(this.days, day, booking);
    addTo(this.markets, market, booking);
    const ofDay = this.dayMarkets.get(day) ?? new Map();
    addTo(ofDay, market, booking);
    this.dayMarkets.set(day, ofDay);
    addTo(this.strategies, booking.strategy ?? '', booking);
  }
}

/** UTC day. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function addTo(sums: Map<string, ResultSum>, key: string, booking: BookingRow): void {
  const before = sums.get(key) ?? NOTHING;
  // A fill's cash is its price minus the fee booked with it.
  const paid = Math.abs(add(booking.cashMicros, booking.feesMicros)) as Micros; // The sum of whole millionths is one.
  // A fee that was reported later is a separate booking.
  const isFill = booking.kind === 'fill' && paid > 0;
  sums.set(key, {
    fills: before.fills + (isFill ? 1 : 0),
    turnoverMicros: isFill ? add(before.turnoverMicros, paid) : before.turnoverMicros,
    realisedMicros: add(before.realisedMicros, booking.realisedMicros),
    feesMicros: add(before.feesMicros, booking.feesMicros),
    settledMicros: booking.kind === 'redeem' ? add(before.settledMicros, booking.realisedMicros) : before.settledMicros,
  });
}
