/** Redeems: shares of a settled market become currency, in one step once they are signed. */

import { formatDecimal } from '../../base/decimal.js';
import { must } from '../../base/errors.js';
import { isSettledMarket, type RedeemState } from '../../protocol/states.js';
import type { Page, RedeemQuery, Result, WireDraft, WireRedeem } from './contract.js';
import { badSignature, done, invalid, refuse } from './fault.js';
import { draftExpiryMs, draftText, type Ground, seconds } from './ground.js';
import type { Market } from './market.js';
import { asMicros } from './money.js';
import { nameOf } from './names.js';
import { pageOf } from './pages.js';

interface Redeem {
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

export class Redeems {
  readonly #ground: Ground;
  readonly #records: Redeem[] = [];
  readonly #byPubkey = new Map<string, number>();
  readonly #byAccount = new Map<number, number[]>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Takes all shares that are not locked; they stay locked until the draft is signed or expires. */
  draft(account: number, conditionId: string): Result<WireDraft> {
    const ground = this.#ground;
    if (!ground.signingAvailable) return refuse('gringotts_unavailable');
    const named = ground.catalog.named(conditionId);
    if (!named.ok) return named;
    const market = named.value;
    if (!isSettledMarket(market.state))
      return invalid('market_condition_id', 'The market is not resolved or canceled.');
    market.shares.reserve(account);
    const yes = market.shares.available(account, true);
    const no = market.shares.available(account, false);
    if (yes === 0 && no === 0) return invalid('market_condition_id', 'No shares of this market to redeem.');
    return done(this.#start(account, market, yes, no));
  }

  #start(account: number, market: Market, yes: number, no: number): WireDraft {
    const ground = this.#ground;
    const id = this.#records.length + 1;
    const pubkey = nameOf(ground.settings.seed, 'redeem', id);
    const expiresMs = draftExpiryMs(ground);
    const terms = { action: 'redeem-shares', yes: asMicros(yes), no: asMicros(no) } as const;
    const record: Redeem = {
      id,
      pubkey,
      message: draftText(ground, account, market, pubkey, expiresMs, terms),
      account,
      market: market.index,
      yes,
      no,
      funds: payout(market.outcomeIsYes, yes, no),
      createdMs: ground.nowMs,
      state: 'waiting_to_sign',
    };
    this.#keep(record);
    market.shares.lock(account, true, yes);
    market.shares.lock(account, false, no);
    ground.due.put(expiresMs, 'redeem', id);
    return { pubkey, message: record.message };
  }

  #keep(record: Redeem): void {
    this.#records.push(record);
    this.#byPubkey.set(record.pubkey, record.id);
    this.#idsOf(record.account).push(record.id);
  }

  #idsOf(account: number): number[] {
    const ids = this.#byAccount.get(account) ?? [];
    this.#byAccount.set(account, ids);
    return ids;
  }

  #end(record: Redeem, market: Market, state: RedeemState): void {
    record.state = state;
    market.shares.lock(record.account, true, -record.yes);
    market.shares.lock(record.account, false, -record.no);
  }

  expire(id: number): void {
    const record = this.#record(id);
    if (record.state === 'waiting_to_sign') this.#end(record, this.#ground.catalog.market(record.market), 'expired');
  }

  submit(account: number, pubkey: string, signatureValid: boolean): Result<WireRedeem> {
    const record = this.#find(account, pubkey);
    if (record === null) return refuse('not_found');
    if (record.state === 'expired') return refuse('program_call_has_expired');
    if (record.state !== 'waiting_to_sign') return refuse('invalid_program_call_status');
    if (!signatureValid) return badSignature();
    const market = this.#ground.catalog.market(record.market);
    this.#end(record, market, 'completed');
    market.shares.give(account, true, record.yes);
    market.shares.give(account, false, record.no);
    market.collateral -= record.funds;
    this.#ground.funds.add(account, record.funds);
    return done(this.#row(record));
  }

  #record(id: number): Redeem {
    return must(this.#records[id - 1], `redeem ${id}`);
  }

  #find(account: number, pubkey: string): Redeem | null {
    const id = this.#byPubkey.get(pubkey);
    if (id === undefined) return null;
    const record = this.#record(id);
    return record.account === account ? record : null;
  }

  row(account: number, pubkey: string): WireRedeem | null {
    const record = this.#find(account, pubkey);
    return record === null ? null : this.#row(record);
  }

  messageOf(account: number, pubkey: string): string | null {
    return this.#find(account, pubkey)?.message ?? null;
  }

  page(account: number, query: RedeemQuery): Page<WireRedeem> {
    const { state, marketConditionId } = query;
    const market = marketConditionId === undefined ? null : this.#ground.catalog.byId(marketConditionId);
    if (marketConditionId !== undefined && market === null) return { rows: [], nextBeforeId: null };
    return pageOf(
      this.#idsOf(account),
      query,
      (id) => this.#record(id),
      (record) =>
        (state === undefined || record.state === state) && (market === null || record.market === market.index),
      (record) => this.#row(record),
    );
  }

  #row(record: Redeem): WireRedeem {
    const funds = formatDecimal(asMicros(record.funds));
    return {
      pubkey: record.pubkey,
      market_condition_id: this.#ground.catalog.market(record.market).card.conditionId,
      state: record.state,
      funds,
      onchain_funds: record.state === 'completed' ? funds : null,
      yes_shares: formatDecimal(asMicros(record.yes)),
      no_shares: formatDecimal(asMicros(record.no)),
      message: record.message,
      created: seconds(record.createdMs),
    };
  }

  dump(): readonly Redeem[] {
    return this.#records.map((record) => ({ ...record }));
  }

  load(dump: readonly Redeem[]): void {
    for (const record of dump) this.#keep({ ...record });
  }
}

/** A resolved market pays 1 for the winning share, a canceled one (null) a half for each; half a millionth is not paid. */
export function payout(outcomeIsYes: boolean | null, yes: number, no: number): number {
  if (outcomeIsYes === null) return Math.floor((yes + no) / 2);
  return outcomeIsYes ? yes : no;
}
