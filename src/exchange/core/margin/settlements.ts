/**
 * Settlements: what an ended position owes its user. Created the moment the position is flat or its market is settled;
 * time moves it on, `landing_ms` a step, but for the claim:
 *
 *     created -> settlement_pending -> claimable -(claim)-> claim_pending -> done
 *
 * The money is the account's with `done`; then the position is claimed. A position with nothing left goes the same way and
 * brings 0: the interface knows no other end.
 */

import type { Result, Wire } from '../contract.js';
import { type CoreContext, landsMs } from '../core-context.js';
import { invalid, ok } from '../fault.js';
import { Records } from '../records/records.js';
import { marginMarket } from './margin-context.js';
import type { PositionRecord, SettlementRecord } from './records.js';
import { settlementRow } from './rows.js';

/** Results of ended positions as running sums by account and market: no list is ever walked. */
export class RealizedPnl {
  readonly #byAccount = new Map<number, Map<number, number>>();

  add(account: number, market: number, pnl: number): void {
    let sums = this.#byAccount.get(account);
    if (sums === undefined) {
      sums = new Map();
      this.#byAccount.set(account, sums);
    }
    sums.set(market, (sums.get(market) ?? 0) + pnl);
  }

  /** In all markets, or in the given ones. */
  of(account: number, markets?: Iterable<number>): number {
    const sums = this.#byAccount.get(account);
    if (sums === undefined) return 0;
    let total = 0;
    for (const market of markets ?? sums.keys()) total += sums.get(market) ?? 0;
    return total;
  }

  /** `[account, market, pnl]` each. */
  dump(): readonly (readonly [number, number, number])[] {
    return [...this.#byAccount].flatMap(([account, sums]) =>
      [...sums].map(([market, pnl]) => [account, market, pnl] as const),
    );
  }

  load(dump: readonly (readonly [number, number, number])[]): void {
    for (const [account, market, pnl] of dump) this.add(account, market, pnl);
  }
}

/** Creates settlements, advances them with time, and pays claims. */
export class Settlements extends Records<SettlementRecord, Wire<'settlementRow'>> {
  readonly #realized: RealizedPnl;

  /** `positionOf`: the position of a settlement. */
  constructor(
    context: CoreContext,
    realized: RealizedPnl,
    positionOf: (settlement: SettlementRecord) => PositionRecord,
  ) {
    super(context, {
      recordKind: 'settlement',
      facets: ({ market, state, isYes }) => ({ market, state, isYes, side: null }),
      toRow: (record) => settlementRow(context, record, positionOf(record)),
    });
    this.#realized = realized;
  }

  create(position: PositionRecord, payout: number): void {
    const { account, market, isYes, leverage, userLiquidity, openingFee } = position;
    const record: SettlementRecord = {
      id: this.nextId(),
      pubkey: position.pubkey,
      position: position.id,
      account,
      market,
      isYes,
      leverage,
      userLiquidity,
      payout,
      totalPnl: payout - userLiquidity - openingFee,
      createdMs: this.context.nowMs,
      state: 'created',
    };
    this.keep(record);
    this.#realized.add(account, market, record.totalPnl);
    this.#putStep(record);
  }

  #putStep(record: SettlementRecord): void {
    this.context.timers.put(landsMs(this.context), 'settlement', record.id);
  }

  /** The due step. Returns the position's id when its settlement ends with it, else null. */
  step(id: number): number | null {
    const record = this.requireLive(id);
    if (record.state === 'claim_pending') return this.#pay(record);
    if (record.state === 'created') this.#putStep(record);
    record.state = record.state === 'created' ? 'settlement_pending' : 'claimable';
    return null;
  }

  #pay(record: SettlementRecord): number {
    marginMarket(this.context, record.market).pool.held -= record.payout;
    this.context.funds.add(record.account, record.payout);
    record.state = 'done';
    this.finish(record);
    return record.position;
  }

  claim(record: SettlementRecord): Result<SettlementRecord> {
    if (record.state !== 'claimable') return invalid('pubkey', `The settlement is ${record.state}, not claimable.`);
    record.state = 'claim_pending';
    this.#putStep(record);
    return ok(record);
  }
}
