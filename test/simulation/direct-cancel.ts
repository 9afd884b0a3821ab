/**
 * The daemon's reaction to a broken ledger: it cancels all resting orders in rounds, with only the key, and ends. As
 * `daemon/direct-cancel.ts`, call by call, but on virtual time, without await.
 */

import type { DataOf } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../src/shared/protocol/states.js';
import type { StoredDraft } from '../../src/shell/wallet/draft-signer.js';
import type { IntentSigner } from '../../src/trader/executor/contract.js';
import type { Invariants } from './invariants.js';
import type { Network } from './network.js';
import type { Setting } from './setting.js';
import { type Keys, signerOf } from './trader-process.js';

const ROUNDS = 3;

export interface DirectCancelOptions {
  readonly network: Network;
  readonly invariants: Invariants;
  readonly setting: Setting;
  readonly keys: Keys;
  /** Called when it has finished. */
  readonly done: () => void;
}

export function cancelDirectly(options: DirectCancelOptions, round = 1): void {
  if (round > ROUNDS) return options.done();
  const query = { status: [...RESTING_STATUSES], limit: 100, cursor: undefined };
  const call: AnyCall = { endpoint: 'orders.list', params: {}, query, body: undefined };
  options.network.send(call, ({ outcome }) => {
    // The endpoint determines the type of its data.
    const rows = outcome.kind === 'answered' ? (outcome.data as DataOf<'orders.list'>) : null;
    if (rows === null || rows.length === 0) return options.done();
    let left = rows.length;
    for (const row of rows) {
      cancelOne(row, options, () => {
        left--;
        if (left === 0) cancelDirectly(options, round + 1);
      });
    }
  });
}

function cancelOne({ pubkey, market }: DataOf<'orders.list'>[number], options: DirectCancelOptions, end: () => void) {
  const { network, invariants } = options;
  const params = { pubkey: pubkey ?? '' };
  network.send({ endpoint: 'orders.cancel', params, query: {}, body: undefined }, ({ outcome }) => {
    if (outcome.kind !== 'answered') return end();
    const { message } = outcome.data as DataOf<'orders.cancel'>;
    const signed = signerFor({ ...params, message, market: market.condition_id }, options).sign(params.pubkey);
    if (!signed.ok) return end();
    const { signature } = signed;
    invariants.directly(signature);
    network.send({ endpoint: 'orders.cancelSubmit', params, query: {}, body: { signature } }, end);
  });
}

function signerFor(
  { pubkey, message, market }: { pubkey: string; message: string; market: string },
  { keys, setting }: DirectCancelOptions,
): IntentSigner {
  const stored: StoredDraft = {
    intentId: pubkey,
    marketConditionId: market,
    draftPubkey: pubkey,
    message,
    terms: { action: 'cancel-order', orderPubkey: pubkey },
  };
  return signerOf(keys, { ...setting.profile, allowBlindSigning: false, loadDraft: () => stored });
}
