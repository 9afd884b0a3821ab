/** Margin as calls of the core: the subsystem that knows the rules decides, and its record becomes the row of the answer. */

import { ONE } from '../../../shared/base/micros.js';
import { isSettledMarket } from '../../../shared/protocol/states.js';
import type { CoreContext } from '../core-context.js';
import { invalid, ok, refuse } from '../fault.js';
import { detailRow } from '../records/market-rows.js';
import type { WireDetail } from '../records/wire-rows.js';
import type { AccountSlot, Result } from '../types.js';
import type * as contract from './contract.js';
import type { Margin } from './margin.js';
import { cancelledRequestRow, requestRow, tpSlRow } from './rows.js';

/** The calls of the core that change leveraged positions, once time has passed to their moment. */
export class MarginCalls {
  readonly #margin: Margin;

  constructor(margin: Margin) {
    this.#margin = margin;
  }

  setReferencePrice(conditionId: string, price: number): Result<WireDetail> {
    const { context } = this.#margin;
    const market = context.catalog.byId(conditionId);
    if (market === null) return refuse('not_found');
    if (market.margin === null) return invalid('condition_id', 'This market does not trade on margin.');
    if (!Number.isSafeInteger(price) || price <= 0 || price >= ONE)
      return invalid('price', 'Must lie between 0 and 1.');
    if (isSettledMarket(market.state)) return invalid('price', `The market is ${market.state} for good.`);
    this.#margin.moveReference(market, price);
    return ok(detailRow(context.catalog, market));
  }

  draftRequest(account: AccountSlot, terms: contract.MarginTerms): Result<contract.WireRequest> {
    return this.#map(this.#margin.requests.draft(account, terms), requestRow);
  }

  submitRequest(account: AccountSlot, pubkey: string, signatureValid: boolean): Result<contract.WireRequest> {
    return this.#map(this.#margin.requests.submit(account, pubkey, signatureValid), requestRow);
  }

  cancelRequest(account: AccountSlot, pubkey: string): Result<contract.WireCancelledRequest> {
    return this.#map(this.#margin.requests.cancel(account, pubkey), cancelledRequestRow);
  }

  closePosition(account: AccountSlot, pubkey: string, price: number | null): Result<contract.WireClose> {
    return this.#map(this.#margin.positions.close(account, pubkey, price), (_, { position, closeType }) => ({
      close_type: closeType,
      position_pubkey: position.pubkey,
      is_closed: position.end !== null,
    }));
  }

  setTpSl(account: AccountSlot, pubkey: string, change: contract.TpSlChange): Result<contract.WireTpSl> {
    return this.#map(this.#margin.positions.setTpSl(account, pubkey, change), (_, tpSl) => tpSlRow(tpSl));
  }

  deleteTpSl(account: AccountSlot, pubkey: string): Result<contract.WireTpSl> {
    return this.#map(this.#margin.positions.deleteTpSl(account, pubkey), (_, tpSl) => tpSlRow(tpSl));
  }

  /** A position that is known but has no settlement yet is open: named as what is wrong, not as not found. */
  claimSettlement(account: AccountSlot, positionPubkey: string): Result<contract.WireClaim> {
    const { settlements, positions } = this.#margin;
    const settlement = settlements.find(account, positionPubkey);
    if (settlement === null) {
      if (positions.records.find(account, positionPubkey) === null) return refuse('not_found');
      return invalid('pubkey', 'The position is open: there is nothing to claim.');
    }
    return this.#map(settlements.claim(settlement), (_, { pubkey, state }) => ({ position_pubkey: pubkey, state }));
  }

  #map<T, U>(result: Result<T>, row: (context: CoreContext, value: T) => U): Result<U> {
    return result.ok ? ok(row(this.#margin.context, result.value)) : result;
  }
}
