/** What the matching engine tells of the fills that it makes. */

/**
 * Hears of the fills of API orders. `price` and `cost` in the space of the order's own outcome; `atCrossing`: a recorded amount
 * that arrived at the order's price did it, not a recorded trade.
 */
export interface FillListener {
  onFill(
    record: number,
    amount: number,
    price: number,
    cost: number,
    fee: number,
    isMaker: boolean,
    atCrossing: boolean,
  ): void;
  /** The resting order has nothing left. */
  onFinish(record: number): void;
}
