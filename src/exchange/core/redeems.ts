/** Redeems: shares of a settled market become currency in one step once signed. */

import { type MarketOutcome, settledValue, VOID_OUTCOME } from '../../shared/protocol/outcome.js';
import { isSettledMarket, type RedeemState } from '../../shared/protocol/states.js';
import type { Result, Wire } from './contract.js';
import { type CoreContext, openDraft, seconds } from './core-context.js';
import { badSignature, invalid, ok, refuse } from './fault.js';
import type { Market } from './market.js';
import { asMicros, text } from './money.js';
import { Records } from './records/records.js';

/** A redeem: shares of one settled market that become currency; all in micros. */
export interface Redeem {
  readonly id: number;
  readonly pubkey: string;
  readonly message: string;
  readonly account: number;
  readonly market: number;
  readonly yes: number;
  readonly no: number;
  readonly funds: number;
  readonly createdMs: number;
  state: RedeemState;
}

/** Runs redeems from draft to payment, and holds the shares that they lock. */
export class Redeems extends Records<Redeem, Wire<'redeemRow'>> {
  constructor(context: CoreContext) {
    super(context, {
      recordKind: 'redeem',
      facets: ({ market, state }) => ({ market, state, isYes: null, side: null }),
      toRow: (record) => redeemRow(record, context.catalog.market(record.market)),
    });
  }

  /**
   * Takes all shares that are not locked; they stay locked until the draft is signed or expires. Asked again meanwhile it
   * answers that draft: whoever lost the first answer must not wait for its end. Checks in this order: signing service →
   * market known → settled → (an own draft is answered) → free shares there.
   */
  draft(account: number, conditionId: string): Result<Wire<'draft'>> {
    const context = this.context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = context.catalog.requireMarket(conditionId);
    if (!named.ok) return named;
    const market = named.value;
    if (!isSettledMarket(market.state))
      return invalid('market_condition_id', 'The market is not resolved or canceled.');
    for (const { market: index, pubkey, message } of this.listLive(account)) {
      if (index === market.index) return ok({ pubkey, message });
    }
    market.shares.ensureAccount(account);
    const yes = market.shares.available(account, true);
    const no = market.shares.available(account, false);
    if (yes === 0 && no === 0) return invalid('market_condition_id', 'No shares of this market to redeem.');
    return ok(this.#start(account, market, yes, no));
  }

  #start(account: number, market: Market, yes: number, no: number): Wire<'draft'> {
    const { context } = this;
    const id = this.nextId();
    const terms = { action: 'redeem-shares', yes: asMicros(yes), no: asMicros(no) } as const;
    const { pubkey, message } = openDraft(context, 'redeem', id, account, market, terms);
    const record: Redeem = {
      id,
      pubkey,
      message,
      account,
      market: market.index,
      yes,
      no,
      funds: payout(market.outcome, yes, no),
      createdMs: context.nowMs,
      state: 'waiting_to_sign',
    };
    this.keep(record);
    market.shares.lock(account, true, yes);
    market.shares.lock(account, false, no);
    return { pubkey, message };
  }

  #end(record: Redeem, market: Market, state: RedeemState): void {
    record.state = state;
    market.shares.lock(record.account, true, -record.yes);
    market.shares.lock(record.account, false, -record.no);
    this.finish(record);
  }

  expire(id: number): void {
    const record = this.live(id);
    if (record?.state === 'waiting_to_sign') this.#end(record, this.context.catalog.market(record.market), 'expired');
  }

  submit(account: number, pubkey: string, signatureValid: boolean): Result<Wire<'redeemRow'>> {
    const record = this.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.state === 'expired') return refuse('program_call_has_expired');
    if (record.state !== 'waiting_to_sign') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const market = this.context.catalog.market(record.market);
    this.#end(record, market, 'completed');
    market.shares.redeem(account, record.yes, record.no, record.funds);
    market.collateral -= record.funds;
    this.context.funds.add(account, record.funds);
    return ok(this.toRow(record));
  }

  override load(dump: ReturnType<Redeems['dump']>): void {
    super.load(dump);
    const { catalog } = this.context;
    for (const { market, account } of dump.records) catalog.market(market).shares.ensureAccount(account);
  }
}

function redeemRow(record: Redeem, market: Market): Wire<'redeemRow'> {
  const funds = text(record.funds);
  return {
    pubkey: record.pubkey,
    market_condition_id: market.card.conditionId,
    state: record.state,
    funds,
    onchain_funds: record.state === 'completed' ? funds : '0',
    yes_shares: text(record.yes),
    no_shares: text(record.no),
    message: record.message,
    created: seconds(record.createdMs),
  };
}

/** A resolved market pays 1 per winning share, a canceled one half per share unless its outcome says otherwise. */
export const payout = (outcome: MarketOutcome | null, yes: number, no: number): number =>
  settledValue(outcome ?? VOID_OUTCOME, yes, no);
