/**
 * Console, guardian and others that read a trader's telemetry. While a trader whose ledger failed cancels its orders they
 * connect again and again. The publisher is the daemon's; each greeting reads the ledger, as any figure of it may.
 */

import type { ProcessStatus } from '../../src/shared/protocol/trader-status.js';
import { type LineReader, TelemetryPublisher } from '../../src/shell/control/telemetry/publisher.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';

/** Takes everything, and is gone when the trader hangs up. */
class Reader implements LineReader {
  readonly writableLength = 0;
  #onClose = (): void => undefined;

  write(): void {
    // Nothing is kept.
  }

  once(_: 'close', onClose: () => void): void {
    this.#onClose = onClose;
  }

  end(): void {
    this.#onClose();
  }

  destroy(): void {
    this.#onClose();
  }
}

export class Readers {
  readonly #publisher: TelemetryPublisher;

  constructor(ledger: Ledger, nowMs: () => number) {
    const unused = () => {
      throw new Error('no step is told here');
    };
    this.#publisher = new TelemetryPublisher(
      {
        // The publisher hands it on as it is.
        process: () => ({ run: ledger.runs(1)[0]?.id }) as ProcessStatus,
        account: unused,
        markets: unused,
        mode: unused,
        onFailure: () => undefined,
      },
      { steadyMs: nowMs, nowMs },
    );
  }

  /** One more is connected, or refused. What this throws, a handler of the daemon's socket would throw. */
  connect(): void {
    this.#publisher.subscribe(new Reader());
  }

  /** As the daemon does it when its ledger has failed. */
  lose(): void {
    this.#publisher.close('the ledger failed', false);
  }
}
