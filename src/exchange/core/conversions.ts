import { must } from '../../shared/base/errors.js';
import { ONE, parseDecimal } from '../../shared/base/micros.js';
import type { ServiceErrorSlug } from '../../shared/protocol/errors.js';
import { type MarketOutcome, settledValue, VOID_OUTCOME } from '../../shared/protocol/outcome.js';
import { type ConversionState, isSettledMarket, type RedeemState } from '../../shared/protocol/states.js';
import { badSignature, invalid, ok, type Result, refuse, type Wire } from './contract.js';
import { type CoreContext, landsMs, openDraft, seconds } from './core-context.js';
import type { Market } from './market.js';
import { asMicros, text, timesDown } from './money.js';
import type { RecordOfAccount } from './records/archive.js';
import { Records } from './records/records.js';

/** A redeem turns shares of one settled market into currency. Amounts in micros. */
export interface Redeem extends RecordOfAccount {
  readonly message: string;
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
      toRow: (record) => {
        const funds = text(record.funds);
        return {
          pubkey: record.pubkey,
          market_condition_id: context.catalog.market(record.market).card.conditionId,
          state: record.state,
          funds,
          onchain_funds: record.state === 'completed' ? funds : '0',
          yes_shares: text(record.yes),
          no_shares: text(record.no),
          message: record.message,
          created: seconds(record.createdMs),
        };
      },
    });
  }

  /**
   * Drafts a redeem of all unlocked shares, and locks them until the draft is submitted or expires. A second request
   * returns the same draft. Checks, in order: signing service, market known, market settled, unlocked shares.
   */
  draft(account: number, conditionId: string): Result<Wire<'draft'>> {
    const context = this.context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = context.catalog.requireMarket(conditionId);
    if (!named.ok) return named;
    const market = named.value;
    if (!isSettledMarket(market.state))
      return invalid('market_condition_id', 'The market is not resolved or canceled.');
    for (const { market: index, pubkey, message } of this.listLive(account))
      if (index === market.index) return ok({ pubkey, message });
    market.shares.ensureAccount(account);
    const yes = market.shares.available(account, true);
    const no = market.shares.available(account, false);
    if (yes === 0 && no === 0) return invalid('market_condition_id', 'No shares of this market to redeem.');
    const id = this.nextId();
    const terms = { action: 'redeem-shares', yes: asMicros(yes), no: asMicros(no) } as const;
    const { pubkey, message } = openDraft(context, 'redeem', id, account, market, terms);
    this.keep({
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
    });
    market.shares.lock(account, true, yes);
    market.shares.lock(account, false, no);
    return ok({ pubkey, message });
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
}

/** Payout: 1 per winning share; a canceled market pays v per YES and 1 - v per NO share, v = 0.5 if unset. */
export const payout = (outcome: MarketOutcome | null, yes: number, no: number): number =>
  settledValue(outcome ?? VOID_OUTCOME, yes, no);

/** Direction of a conversion. A merge turns complete sets into currency, a split turns currency into sets. */
type SetConversion = 'merge' | 'split';

/** A merge or split of complete sets. */
export interface Conversion extends RecordOfAccount {
  readonly kind: SetConversion;
  readonly message: string;
  readonly market: number;
  /** Number of complete sets to convert, in micros. */
  readonly amount: number;
  readonly createdMs: number;
  state: ConversionState;
}

/** Runs merges and splits from draft to landing, and holds the shares or currency that they lock. */
export class Conversions {
  readonly #context: CoreContext;
  /** Merges and splits share one id counter. */
  readonly records: Readonly<Record<SetConversion, Records<Conversion, Wire<'conversionRow'>>>>;
  #lastId = 0;
  readonly #open = new Map<string, Conversion>();

  constructor(context: CoreContext) {
    this.#context = context;
    const toRow = (record: Conversion): Wire<'conversionRow'> => {
      const amount = text(record.amount);
      return {
        pubkey: record.pubkey,
        message: record.message,
        market_condition_id: context.catalog.market(record.market).card.conditionId,
        state: record.state,
        amount,
        onchain_amount: record.state === 'done' ? amount : null,
        created: seconds(record.createdMs),
      };
    };
    const open = (recordKind: SetConversion) =>
      new Records(context, {
        recordKind,
        facets: ({ market, state }: Conversion) => ({ market, state, isYes: null, side: null }),
        toRow,
      });
    this.records = { merge: open('merge'), split: open('split') };
  }

  draft(kind: SetConversion, account: number, conditionId: string, amountText: string): Result<Wire<'draft'>> {
    const context = this.#context;
    if (!context.signingAvailable) return refuse('gringotts_unavailable');
    const named = context.catalog.requireMarket(conditionId);
    if (!named.ok) return named;
    const market = named.value;
    const { orderbook: trading } = market;
    if (context.identity.account(account).custodial) return refuse('custodial_user_trading_not_allowed');
    if (trading === null || market.card.marginEnabled) return refuse('share_conversion_market_not_eligible');
    const amount = parseDecimal(amountText);
    if (amount === null || amount <= 0 || amount % trading.lot !== 0) return refuse('share_conversion_invalid_amount');
    const closed = unavailable(kind, market);
    if (closed !== null) return refuse(closed);
    const unfinished = this.#open.get(openKey(kind, account, market.index));
    if (unfinished !== undefined) {
      const { state, pubkey, message, amount: asked } = unfinished;
      if (state === 'waiting_to_sign' && asked === amount) return ok({ pubkey, message });
      return refuse(`share_${kind}_in_progress`);
    }
    market.shares.ensureAccount(account);
    if (this.#available(kind, account, market) < amount)
      return refuse(kind === 'merge' ? 'share_merge_insufficient_shares' : 'share_split_insufficient_funds');
    return ok(this.#start(kind, account, market, amount));
  }

  #available(kind: SetConversion, account: number, market: Market): number {
    if (kind === 'split') return this.#context.funds.available(account);
    return Math.min(market.shares.available(account, true), market.shares.available(account, false));
  }

  #start(kind: SetConversion, account: number, market: Market, amount: number): Wire<'draft'> {
    const context = this.#context;
    this.#lastId += 1;
    const id = this.#lastId;
    const terms = { action: `${kind}-shares`, amount: asMicros(amount) } as const;
    const { pubkey, message } = openDraft(context, 'conversion', id, account, market, terms);
    const record: Conversion = {
      id,
      kind,
      pubkey,
      message,
      account,
      market: market.index,
      amount,
      createdMs: context.nowMs,
      state: 'waiting_to_sign',
    };
    this.records[kind].keep(record);
    this.#open.set(openKey(kind, account, market.index), record);
    this.#lock(record, market, amount);
    return { pubkey, message };
  }

  #lock(record: Conversion, market: Market, change: number): void {
    if (record.kind === 'split') {
      this.#context.funds.lock(record.account, change);
      return;
    }
    market.shares.lock(record.account, true, change);
    market.shares.lock(record.account, false, change);
  }

  #end(record: Conversion, market: Market, state: ConversionState): void {
    record.state = state;
    this.#lock(record, market, -record.amount);
    this.#open.delete(openKey(record.kind, record.account, record.market));
    this.records[record.kind].finish(record);
  }

  #live(id: number): Conversion | null {
    return this.records.merge.live(id) ?? this.records.split.live(id);
  }

  expire(id: number): void {
    const record = this.#live(id);
    if (record?.state === 'waiting_to_sign') this.#end(record, this.#context.catalog.market(record.market), 'expired');
  }

  /** Submits a draft. Checks existence, expiry, state and signature, in this order; `land` checks the market. */
  submit(kind: SetConversion, account: number, pubkey: string, signatureValid: boolean) {
    const record = this.records[kind].find(account, pubkey);
    if (record === null) return refuse('share_conversion_not_found');
    if (record.state === 'expired') return refuse('program_call_has_expired');
    if (record.state !== 'waiting_to_sign') return refuse('share_conversion_invalid_state');
    if (!signatureValid) return badSignature();
    const context = this.#context;
    record.state = 'in_process';
    context.timers.put(landsMs(context), 'landing', record.id);
    return ok(this.records[kind].toRow(record));
  }

  /** Executes a submitted conversion. If the market now refuses the conversion, it fails and its locks are released. */
  land(id: number): void {
    const record = must(this.#live(id), `conversion ${id} in process`);
    const market = this.#context.catalog.market(record.market);
    const isPossible = unavailable(record.kind, market) === null;
    this.#end(record, market, isPossible ? 'done' : 'failed');
    if (isPossible) this.#convert(record, market);
  }

  #convert({ account, amount, kind }: Conversion, market: Market): void {
    const change = kind === 'split' ? amount : -amount;
    this.#context.funds.add(account, -change);
    market.collateral += change;
    if (kind === 'split') {
      // A split books half of its currency as the cost of each outcome's shares.
      const half = timesDown(ONE / 2, amount);
      market.shares.receive(this.#context.nowMs, account, true, amount, half);
      market.shares.receive(this.#context.nowMs, account, false, amount, amount - half);
    } else {
      market.shares.give(account, true, amount, amount);
      market.shares.give(account, false, amount, 0);
    }
  }

  dump() {
    const { merge, split } = this.records;
    return { lastId: this.#lastId, merges: merge.dump().records, splits: split.dump().records };
  }

  load({ lastId, merges, splits }: ReturnType<Conversions['dump']>): void {
    this.#lastId = lastId;
    for (const [kind, records] of [['merge', merges] as const, ['split', splits] as const]) {
      this.records[kind].load({ lastId, records });
      for (const record of this.records[kind].allLive())
        this.#open.set(openKey(kind, record.account, record.market), record);
    }
  }
}

const openKey = (kind: SetConversion, account: number, market: number): string => `${kind}/${account}/${market}`;

/** Returns why the market refuses conversions of this kind now; null if it accepts them. */
function unavailable(kind: SetConversion, market: Market): ServiceErrorSlug | null {
  if (market.state !== 'open') return 'share_conversion_market_not_open';
  if (market.paused) return 'share_conversion_market_paused';
  return kind === 'merge' && market.unbacked ? 'share_merge_market_has_unbacked_collateral' : null;
}
