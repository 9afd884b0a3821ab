/**
 * Console, guardian and other readers of a trader's telemetry. They reconnect repeatedly while a trader with a failed
 * ledger cancels its orders. The publisher is the daemon's; each greeting reads the ledger, as any figure of it may.
 */

import type { ProcessStatus } from '../../src/shared/protocol/trader-status.js';
import { type LineReader, TelemetryPublisher } from '../../src/shell/control/telemetry.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';

/** Accepts everything, and ends when the trader disconnects it. */
function newReader(): LineReader {
  let onClose = (): void => undefined;
  const once = (_: 'close', close: () => void): void => {
    onClose = close;
  };
  return { writableLength: 0, write: () => undefined, once, end: () => onClose(), destroy: () => onClose() };
}

export class Readers {
  readonly #publisher: TelemetryPublisher;

  constructor(ledger: Ledger, nowMs: () => number) {
    const unused = () => {
      throw new Error('no step is told here');
    };
    this.#publisher = new TelemetryPublisher(
      {
        // The publisher forwards it unchanged.
        process: () => ({ run: ledger.runs(1)[0]?.id }) as ProcessStatus,
        account: unused,
        markets: unused,
        mode: unused,
        onFailure: () => undefined,
      },
      { steadyMs: nowMs, nowMs, cpuMs: nowMs },
    );
  }

  /** Connects one more, or gets rejected. An exception here would be one in the daemon's socket handler. */
  connect(): void {
    this.#publisher.subscribe(newReader());
  }

  /** The daemon's reaction when its ledger has failed. */
  lose(): void {
    this.#publisher.tellEnd('the ledger failed', false);
  }
}
