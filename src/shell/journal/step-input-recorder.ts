/** Records a step's inputs other than its observation: strategies that ran out of time, and signatures. */

import type { BoundedCall } from '../../trader/engine/settings.js';
import type { DraftSigner } from '../../trader/executor/contract.js';
import { CallTimedOut } from '../runtime/bounded-call.js';
import type { Signed, Step } from './contract.js';

export class StepInputRecorder {
  #calls = 0;
  #timedOut: number[] = [];
  #signed: Signed[] = [];

  /** The same bounded call; interrupted calls are recorded. */
  boundedCall(inner: BoundedCall): BoundedCall {
    return (call) => {
      const number = this.#calls++;
      try {
        return inner(call);
      } catch (error) {
        if (error instanceof CallTimedOut) this.#timedOut.push(number);
        throw error;
      }
    };
  }

  /** The same signer; its results are recorded. */
  signer(inner: DraftSigner): DraftSigner {
    return {
      sign: (intentId) => {
        const answer = inner.sign(intentId);
        this.#signed.push({ intentId, answer });
        return answer;
      },
    };
  }

  /** Inputs since the last call. */
  take(): Pick<Step, 'timedOut' | 'signed'> {
    const heard = { timedOut: this.#timedOut, signed: this.#signed };
    this.#calls = 0;
    if (heard.timedOut.length > 0) this.#timedOut = [];
    if (heard.signed.length > 0) this.#signed = [];
    return heard;
  }
}
