/** One process of the trader, built like the daemon except for clock and network; it can be killed and restarted. */

import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Scope } from '../../src/shared/protocol/endpoints.js';
import { Pacing } from '../../src/shell/client/pacing.js';
import { makeSigner, type SigningPolicy } from '../../src/shell/wallet/draft-signer.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import { Trader } from '../../src/trader/engine/trader.js';
import type { IntentSigner } from '../../src/trader/executor/contract.js';
import { Executor } from '../../src/trader/executor/executor.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { LedgerFile } from './ledger-file.js';
import { type Setting, STANDARD, traderSettings } from './setting.js';
import { Touched } from './touched.js';

/** Processes every beat completely, whether needed or not. */
export class RestlessTrader extends Trader {
  override quietUntilMs(nowMs: number): number {
    return nowMs;
  }
}

const asItIs = (signer: IntentSigner) => signer;

/** Thrown inside a step to end the process there. */
export class Killed extends Error {}

/** A wallet's address, and its key for `node:crypto`. */
export interface Keys {
  readonly address: string;
  readonly key: KeyObject;
}

export interface ProcessOptions {
  readonly path: string;
  readonly runId: string;
  readonly keys: Keys;
  readonly nowMs: number;
  readonly setting?: Setting;
  /** Wraps the signer, to record its answers. */
  readonly heard?: ((signer: IntentSigner) => IntentSigner) | undefined;
  readonly kind?: typeof Trader;
  /** Random part of the client's own waits, from 0 to 1. Default: always the middle. */
  readonly chance?: () => number;
}

export class TraderProcess {
  readonly runId: string;
  readonly ledger: Ledger;
  /** The ledger as other programs read it. */
  readonly file: LedgerFile;
  readonly touched = new Touched();
  readonly executor: Executor;
  readonly trader: Trader;
  /** The client's pacing for the venue's budget. */
  readonly pacings: Readonly<Record<Scope, Pacing>>;
  /** Signed requests without a known outcome. */
  pending = 0;
  /** Makes the process end at the next signature: the drafts are stored, the signatures are not. */
  diesSigning = false;

  constructor(options: ProcessOptions) {
    const { path, runId, keys, nowMs, setting = STANDARD, heard = asItIs, kind: Kind = Trader } = options;
    const { chance = () => 0.5 } = options;
    this.runId = runId;
    this.ledger = openLedger(path, { pid: process.pid, startedMs: nowMs });
    try {
      this.touched.listen(this.ledger);
      const settings = traderSettings(runId, setting);
      const { configHash, polling, profile } = settings;
      const policy: SigningPolicy = {
        ...profile,
        allowBlindSigning: false,
        loadDraft: (intentId) => this.ledger.storedDraft(intentId),
      };
      this.executor = new Executor(this.ledger, heard(this.#mortal(signerOf(keys, policy))), profile, {
        runId,
        configHash,
        ownPollMs: polling.ownIntervalMs,
      });
      this.trader = new Kind(settings, this.ledger, this.executor, nowMs);
      this.file = new LedgerFile(path);
    } catch (error) {
      this.ledger.close();
      throw error;
    }
    const { public_per_minute, signed_per_minute, bootstrap_per_minute } = setting.profile.rate_limits;
    const pacing = (perMinute: number) => new Pacing(perMinute, Number.POSITIVE_INFINITY, chance);
    this.pacings = {
      public: pacing(public_per_minute),
      signed: pacing(signed_per_minute),
      bootstrap: pacing(bootstrap_per_minute),
    };
  }

  close(): void {
    this.file.close();
    this.ledger.close();
  }

  #mortal(signer: IntentSigner): IntentSigner {
    return {
      sign: (intentId) => {
        if (this.diesSigning) throw new Killed();
        return signer.sign(intentId);
      },
    };
  }
}

/** Prefix of the 32 bytes of an ed25519 secret key in its PKCS #8 encoding (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function keysOf(seed: Uint8Array): Keys {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return { address: new Wallet(seed).address, key };
}

/** The wallet's own signer, with the signatures of `node:crypto`: the same bytes as the wallet's, eight times as fast. */
export const signerOf = ({ address, key }: Keys, policy: SigningPolicy): IntentSigner =>
  makeSigner(policy, address, (bytes) => sign(null, bytes, key).toString('hex'));
