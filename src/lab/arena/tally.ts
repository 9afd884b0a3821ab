/** Figures of one simulation against the truth: edge of the fills, and drawdown of the wealth. */

export class Tally {
  readonly #startWorth: number;
  readonly #round: (value: number) => number;
  #uninformedEdge = 0;
  #informedEdge = 0;
  #fills = 0;
  #shares = 0;
  #highest: number;
  #drawdown = 0;

  /** `round`: of every sum. */
  constructor(startWorth: number, round = (value: number): number => value) {
    this.#startWorth = startWorth;
    this.#highest = startWorth;
    this.#round = round;
  }

  countFill(shares: number, edge: number, isInformed: boolean): void {
    if (isInformed) this.#informedEdge = this.#round(this.#informedEdge + edge);
    else this.#uninformedEdge = this.#round(this.#uninformedEdge + edge);
    this.#fills++;
    this.#shares += shares;
  }

  /** Notes the present wealth at the truth. */
  mark(worth: number): void {
    this.#highest = Math.max(this.#highest, worth);
    this.#drawdown = Math.max(this.#drawdown, this.#highest - worth);
  }

  /** Edge: shares x (true probability - price) over all fills, without the luck of the settlement. */
  edges() {
    return {
      edge: this.#round(this.#uninformedEdge + this.#informedEdge),
      uninformedEdge: this.#uninformedEdge,
      informedEdge: this.#informedEdge,
      fills: this.#fills,
      shares: this.#round(this.#shares),
    };
  }

  /** `wealth`: cash and shares after settlement. Drawdown: its largest fall from its previous maximum, at the truth. */
  gains(wealth: number) {
    return { wealth, result: this.#round(wealth - this.#startWorth), drawdown: this.#drawdown };
  }
}
