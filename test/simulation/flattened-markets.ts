/** Flattened markets: until a resume only sales of held shares may go there, none after a pause, cancel-all or kill. */

import type { OperatorCommand } from '../../src/shared/protocol/seam.js';
import type { StoredIntent } from './ledger-file.js';

export class FlattenedMarkets {
  readonly #may = new Map<string, 'sell' | 'do nothing'>();

  /** A command was accepted. */
  commanded(command: OperatorCommand): void {
    switch (command.kind) {
      case 'flatten-market':
        this.#may.set(command.marketConditionId, 'sell');
        return;
      // Flattens everything, which includes these markets.
      case 'flatten':
        return this.#setAll('sell');
      case 'pause':
      case 'cancel-all':
      case 'kill':
        return this.#setAll('do nothing');
    }
  }

  /** A command may have been accepted. */
  lifted(command: OperatorCommand): void {
    if (command.kind === 'resume') this.#may.clear();
    if (command.kind === 'resume-market') this.#may.delete(command.marketConditionId);
  }

  /** The error of an order whose submit is sent; null if none. */
  objection({ id, market, strategy }: StoredIntent): string | null {
    const may = this.#may.get(market);
    if (may === undefined || (may === 'sell' && strategy === 'flatten')) return null;
    return `order ${id} of ${strategy} left for market ${market}, which was flattened and may ${may}`;
  }

  has(conditionId: string): boolean {
    return this.#may.has(conditionId);
  }

  #setAll(may: 'sell' | 'do nothing'): void {
    for (const id of this.#may.keys()) this.#may.set(id, may);
  }
}
