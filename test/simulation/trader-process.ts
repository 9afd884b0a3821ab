/** One process of the trader, as the daemon builds it but for clock and network; it can be killed and started again. */

import { SlidingWindow } from '../../src/client/sliding-window.js';
import { Trader } from '../../src/engine/trader.js';
import type { DraftSigner } from '../../src/executor/contract.js';
import { Executor } from '../../src/executor/executor.js';
import type { Ledger } from '../../src/ledger/contract.js';
import { openLedger } from '../../src/ledger/ledger.js';
import type { Scope } from '../../src/protocol/endpoints.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { PROFILE, traderSettings } from './setting.js';

/** Takes every beat in full, whether there is something to do or not. */
export class RestlessTrader extends Trader {
  override quietUntilMs(nowMs: number): number {
    return nowMs;
  }
}

const asItIs = (signer: DraftSigner) => signer;

/** Thrown inside a step to end the process there. */
export class Killed extends Error {}

export class TraderProcess {
  readonly runId: string;
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly trader: Trader;
  /** The client's own count of what leaves. */
  readonly windows: Readonly<Record<Scope, SlidingWindow>>;
  /** Signed requests whose outcome is not known. */
  pending = 0;
  /** Set to die at the next signature: the drafts are stored, the signatures are not. */
  diesSigning = false;

  /** @param heard passes the signer on, to whoever keeps a diary of what it answers */
  constructor(path: string, runId: string, wallet: Wallet, nowMs: number, heard = asItIs, Kind = Trader) {
    this.runId = runId;
    this.ledger = openLedger(path, { pid: process.pid, startedMs: nowMs });
    try {
      const signer = wallet.draftSigner({
        serviceName: PROFILE.service_name,
        draftMessage: PROFILE.draft_message,
        allowBlindSigning: false,
        loadDraft: (intentId) => this.ledger.storedDraft(intentId),
      });
      const settings = traderSettings(runId);
      const { configHash, polling } = settings;
      this.executor = new Executor(this.ledger, heard(this.#mortal(signer)), PROFILE, {
        runId,
        configHash,
        ownPollMs: polling.ownIntervalMs,
      });
      this.trader = new Kind(settings, this.ledger, this.executor, nowMs);
    } catch (error) {
      this.ledger.close();
      throw error;
    }
    const { public_per_minute, signed_per_minute, bootstrap_per_minute } = PROFILE.rate_limits;
    this.windows = {
      public: new SlidingWindow(public_per_minute),
      signed: new SlidingWindow(signed_per_minute),
      bootstrap: new SlidingWindow(bootstrap_per_minute),
    };
  }

  #mortal(signer: DraftSigner): DraftSigner {
    return {
      sign: (intentId) => {
        if (this.diesSigning) throw new Killed();
        return signer.sign(intentId);
      },
    };
  }
}
