/** What ended positions have brought, as running sums by account and market: no list of them is ever gone through. */

export class RealizedPnl {
  readonly #byAccount = new Map<number, Map<number, number>>();

  add(account: number, market: number, pnl: number): void {
    let sums = this.#byAccount.get(account);
    if (sums === undefined) {
      sums = new Map();
      this.#byAccount.set(account, sums);
    }
    sums.set(market, (sums.get(market) ?? 0) + pnl);
  }

  /** Of all markets, or of those given. */
  of(account: number, markets?: Iterable<number>): number {
    const sums = this.#byAccount.get(account);
    if (sums === undefined) return 0;
    let total = 0;
    for (const market of markets ?? sums.keys()) total += sums.get(market) ?? 0;
    return total;
  }

  /** `[account, market, pnl]` each. */
  dump(): readonly (readonly [number, number, number])[] {
    return [...this.#byAccount].flatMap(([account, sums]) =>
      [...sums].map(([market, pnl]) => [account, market, pnl] as const),
    );
  }

  load(dump: readonly (readonly [number, number, number])[]): void {
    for (const [account, market, pnl] of dump) this.add(account, market, pnl);
  }
}
