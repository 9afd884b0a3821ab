/**
 * Markets that an operator has had flattened, each by itself: until it is resumed nothing leaves for it but sales of what is held,
 * and not even these once somebody has said pause, cancel-all or kill after it.
 */

import type { OperatorCommand } from '../../src/shared/protocol/seam.js';
import type { StoredIntent } from './ledger-file.js';

export class FlattenedMarkets {
  readonly #may = new Map<string, 'sell' | 'do nothing'>();

  /** A command has been taken in, and was not refused. */
  commanded(command: OperatorCommand): void {
    switch (command.kind) {
      case 'flatten-market':
        this.#may.set(command.marketConditionId, 'sell');
        return;
      // Of everything, which sells there too.
      case 'flatten':
        return this.#setAll('sell');
      case 'pause':
      case 'cancel-all':
      case 'kill':
        return this.#setAll('do nothing');
    }
  }

  /** A command may have been taken in. */
  lifted(command: OperatorCommand): void {
    if (command.kind === 'resume') this.#may.clear();
    if (command.kind === 'resume-market') this.#may.delete(command.marketConditionId);
  }

  /** Of an order whose submit leaves: what is wrong with that; null when nothing is. */
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
