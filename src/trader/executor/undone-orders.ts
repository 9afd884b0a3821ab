/**
 * Orders that rest though the exchange has shown them canceled. A record may come from an old copy for some seconds, which is no
 * trouble by itself: such an order counts as resting and is canceled once more. One that rests on, or comes back again, is.
 */

/** As long as lists may lag, ms. */
const OLD_COPY_MS = 10_000;
/** The oldest are forgotten first. */
const MOST_ORDERS = 1_000;

export class UndoneOrders {
  /** By pubkey: when it was first shown canceled, our clock, ms. */
  readonly #canceledMs = new Map<string, number>();

  /**
   * Takes in a record that rests. Whether its cancel was undone.
   *
   * @param canceledMs our clock, since when it was taken for canceled; null when it was not
   * @param sentMs our clock, when the look left
   */
  onResting(pubkey: string, canceledMs: number | null, sentMs: number): boolean {
    const known = this.#canceledMs.get(pubkey);
    if (known !== undefined && canceledMs !== null) return true;
    const sinceMs = known ?? canceledMs;
    if (sinceMs === null) return false;
    if (known === undefined) this.#keep(pubkey, sinceMs);
    return sentMs - sinceMs >= OLD_COPY_MS;
  }

  #keep(pubkey: string, canceledMs: number): void {
    this.#canceledMs.set(pubkey, canceledMs);
    const [oldest] = this.#canceledMs.keys();
    if (this.#canceledMs.size > MOST_ORDERS && oldest !== undefined) this.#canceledMs.delete(oldest);
  }
}
