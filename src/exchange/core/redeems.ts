/** Redeems: shares of a settled market become currency in one step once signed. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { type MarketOutcome, settledValue, VOID_OUTCOME } from '../../shared/protocol/outcome.js';
import { isSettledMarket, type RedeemState } from '../../shared/protocol/states.js';
import type { Page, PageQuery, Result, Wire } from './contract.js';
import { type CoreContext, draftExpiryMs, draftText, seconds } from './core-context.js';
import { badSignature, invalid, ok, refuse } from './fault.js';
import type { Market } from './market.js';
import { asMicros } from './money.js';
import { makeName } from './names.js';
import { askedMarket, NO_ROWS, Records } from './records/records.js';

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
export class Redeems {
  readonly #context: CoreContext;
  readonly #records: Records<Redeem>;
  #lastId = 0;

  constructor(context: CoreContext) {
    this.#context = context;
    this.#records = new Records(context.archive, {
      recordKind: 'redeem',
      facets: ({ market, state }) => ({ market, state, isYes: null, side: null }),
    });
  }

  /**
   * Takes all shares that are not locked; they stay locked until the draft is signed or expires. Asked again meanwhile it
   * answers that draft: whoever lost the first answer must not wait for its end. Checks in this order: signing service →
   * market known → settled → (an own draft is answered) → free shares there.
   */
  draft(account: number, conditionId: string): Result<Wire<'draft'>> {
    const context = this.#context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = context.catalog.requireMarket(conditionId);
    if (!named.ok) return named;
    const market = named.value;
    if (!isSettledMarket(market.state))
      return invalid('market_condition_id', 'The market is not resolved or canceled.');
    for (const { market: index, pubkey, message } of this.#records.listLive(account)) {
      if (index === market.index) return ok({ pubkey, message });
    }
    market.shares.ensureAccount(account);
    const yes = market.shares.available(account, true);
    const no = market.shares.available(account, false);
    if (yes === 0 && no === 0) return invalid('market_condition_id', 'No shares of this market to redeem.');
    return ok(this.#start(account, market, yes, no));
  }

  #start(account: number, market: Market, yes: number, no: number): Wire<'draft'> {
    const context = this.#context;
    this.#lastId += 1;
    const id = this.#lastId;
    const pubkey = makeName(context.settings.seed, 'redeem', id);
    const expiresMs = draftExpiryMs(context);
    const terms = { action: 'redeem-shares', yes: asMicros(yes), no: asMicros(no) } as const;
    const record: Redeem = {
      id,
      pubkey,
      message: draftText(context, account, market, pubkey, expiresMs, terms),
      account,
      market: market.index,
      yes,
      no,
      funds: payout(market.outcome, yes, no),
      createdMs: context.nowMs,
      state: 'waiting_to_sign',
    };
    this.#records.keep(record);
    market.shares.lock(account, true, yes);
    market.shares.lock(account, false, no);
    context.timers.put(expiresMs, 'redeem', id);
    return { pubkey, message: record.message };
  }

  #end(record: Redeem, market: Market, state: RedeemState): void {
    record.state = state;
    market.shares.lock(record.account, true, -record.yes);
    market.shares.lock(record.account, false, -record.no);
    this.#records.finish(record);
  }

  expire(id: number): void {
    const record = this.#records.live(id);
    if (record?.state === 'waiting_to_sign') this.#end(record, this.#context.catalog.market(record.market), 'expired');
  }

  submit(account: number, pubkey: string, signatureValid: boolean): Result<Wire<'redeemRow'>> {
    const record = this.#records.find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.state === 'expired') return refuse('program_call_has_expired');
    if (record.state !== 'waiting_to_sign') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const market = this.#context.catalog.market(record.market);
    this.#end(record, market, 'completed');
    market.shares.redeem(account, record.yes, record.no, record.funds);
    market.collateral -= record.funds;
    this.#context.funds.add(account, record.funds);
    return ok(this.#row(record));
  }

  row(account: number, pubkey: string): Wire<'redeemRow'> | null {
    const record = this.#records.find(account, pubkey);
    return record === null ? null : this.#row(record);
  }

  findMessage(account: number, pubkey: string): string | null {
    return this.#records.find(account, pubkey)?.message ?? null;
  }

  page(account: number, query: PageQuery<'redeems.list'>): Page<Wire<'redeemRow'>> {
    const market = askedMarket(this.#context.catalog, query.market_condition_id);
    if (market === null) return NO_ROWS;
    const { limit, beforeId } = query;
    const states = query.state === undefined ? undefined : [query.state];
    return this.#records.page({ account, market, states, limit, beforeId }, (record) => this.#row(record));
  }

  #row(record: Redeem): Wire<'redeemRow'> {
    const funds = formatDecimal(asMicros(record.funds));
    return {
      pubkey: record.pubkey,
      market_condition_id: this.#context.catalog.market(record.market).card.conditionId,
      state: record.state,
      funds,
      onchain_funds: record.state === 'completed' ? funds : '0',
      yes_shares: formatDecimal(asMicros(record.yes)),
      no_shares: formatDecimal(asMicros(record.no)),
      message: record.message,
      created: seconds(record.createdMs),
    };
  }

  dump() {
    return { lastId: this.#lastId, records: this.#records.dump((record) => ({ ...record })) };
  }

  load({ lastId, records }: ReturnType<Redeems['dump']>): void {
    this.#lastId = lastId;
    this.#records.load(
      records.map((record) => ({ ...record })),
      lastId,
    );
    for (const { market, account } of records) this.#context.catalog.market(market).shares.ensureAccount(account);
  }
}

/** A resolved market pays 1 per winning share, a canceled one half per share unless its outcome says otherwise. */
export const payout = (outcome: MarketOutcome | null, yes: number, no: number): number =>
  settledValue(outcome ?? VOID_OUTCOME, yes, no);
