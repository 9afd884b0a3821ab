/** The maker's shares, cash and open orders, with the collateral that they bind. */

import { HIGHEST_TICK, LOWEST_TICK, QUANTUM, type RestingOrder, round10, tickToPrice } from './ladder-book.js';

interface MakerOrder extends Pick<RestingOrder, 'side' | 'tick'> {
  readonly kind: 'place';
  readonly id: string;
  readonly shares: number;
}

export type MakerAction = MakerOrder | { readonly kind: 'cancel'; readonly id: string };

/** An action against the rules: the simulation ends. */
export class ForbiddenAction extends Error {}

interface OwnOrder extends RestingOrder {
  readonly id: string;
  /** YES shares held for an ask; the rest of it is sold uncovered. */
  covered: number;
}

/** Tolerance for missing collateral. */
const ENOUGH = 1e-9;

const boundCash = ({ side, tick, remaining, covered }: OwnOrder): number =>
  side === 'bid' ? tickToPrice(tick) * remaining : (1 - tickToPrice(tick)) * (remaining - covered);

export class Account {
  cash: number;
  yes = 0;
  no = 0;
  orders: readonly OwnOrder[] = [];

  constructor(cash: number) {
    this.cash = cash;
  }

  /** Cash that no open order binds. */
  get freeCash(): number {
    const bound = this.orders.reduce((sum, order) => sum + boundCash(order), 0);
    return round10(this.cash - round10(bound));
  }

  /** YES shares that no ask holds. */
  get freeYes(): number {
    const covered = this.orders.reduce((sum, order) => sum + order.covered, 0);
    return round10(Math.max(0, this.yes - covered));
  }

  /** Binds the collateral of a new order; throws `ForbiddenAction` where the rules forbid it. */
  open({ id, side, tick, shares }: MakerOrder): RestingOrder {
    if (this.orders.some((order) => order.id === id)) throw new ForbiddenAction(`the id ${id} is in use`);
    if (!Number.isInteger(tick) || tick < LOWEST_TICK || tick > HIGHEST_TICK)
      throw new ForbiddenAction(`there is no tick ${tick}`);
    if (!(shares >= QUANTUM)) throw new ForbiddenAction(`${shares} shares are too few`);
    const covered = side === 'ask' ? Math.min(this.freeYes, shares) : 0;
    const order = { id, side, tick, remaining: shares, covered };
    const needed = boundCash(order);
    if (needed > this.freeCash + ENOUGH) throw new ForbiddenAction(`it needs ${needed}, ${this.freeCash} is free`);
    this.orders = [...this.orders, order];
    return order;
  }

  /** Removes the order; throws `ForbiddenAction` for an unknown one. */
  close(id: string): RestingOrder {
    const order = this.#find(id);
    this.orders = this.orders.filter((other) => other !== order);
    return order;
  }

  #find(id: string): OwnOrder {
    const order = this.orders.find((one) => one.id === id);
    if (order === undefined) throw new ForbiddenAction(`there is no order ${id}`);
    return order;
  }

  /** Books traded shares at the order's price; its remaining shares are already reduced. */
  applyFill(id: string, shares: number): void {
    const order = this.#find(id);
    const price = tickToPrice(order.tick);
    if (order.side === 'bid') {
      this.cash = round10(this.cash - price * shares);
      this.yes = round10(this.yes + shares);
    } else {
      const sold = Math.min(shares, order.covered);
      const uncovered = shares - sold;
      order.covered = round10(order.covered - sold);
      this.yes = round10(this.yes - sold);
      this.no = round10(this.no + uncovered);
      this.cash = round10(this.cash + price * sold - (1 - price) * uncovered);
    }
    if (order.remaining <= 0) this.close(id);
  }

  /** Value of the account if YES pays this much. */
  worth(probability: number): number {
    return this.cash + this.yes * probability + this.no * (1 - probability);
  }
}
