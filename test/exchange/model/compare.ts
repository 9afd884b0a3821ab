/** Compares the states of the exchange and of the plain model, and checks conservation. */

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import { bookRow, publicTradePage, statsRow } from '../../../src/exchange/core/records/market-rows.js';
import * as rows from './plain-rows.js';
import type { PlainState } from './plain-state.js';

const same = (what: string, real: unknown, plain: unknown): void => {
  if (!isDeepStrictEqual(real, plain)) expect({ [what]: real }).toEqual({ [what]: plain });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Currency, the collateral of shares, the margin pools and the fees sum to the deposits, to the micro; on every trading
 * market YES, NO and collateral are equal. No account is negative.
 */
export function checkConservation(core: ExchangeCore, accounts: readonly number[], unlimited: readonly number[]): void {
  const { markets } = core.catalog;
  const funds = accounts.map((account) => core.funds.read(account));
  const backing = sum(markets.map((market) => market.collateral));
  const total = sum(funds.map((own) => own.total)) + backing + core.margin.held + core.matching.fees;
  if (total !== core.deposited) expect(total).toBe(core.deposited);
  for (const [index, own] of funds.entries()) {
    const isFree = unlimited.includes(accounts[index] ?? 0);
    if (own.locked < 0 || (!isFree && own.available < 0)) expect({ account: accounts[index], ...own }).toBe('solvent');
  }
  for (const market of markets) {
    const held = accounts.map((account) => market.shares.read(account));
    for (const own of held) {
      const least = Math.min(own.yesLocked, own.yes - own.yesLocked, own.noLocked, own.no - own.noLocked);
      if (least < 0) expect(own).toBe('nothing below zero');
    }
    const [yes, no] = [sum(held.map((own) => own.yes)), sum(held.map((own) => own.no))];
    const seen = { state: market.state, yes, no, backing: market.collateral };
    if (market.state === 'canceled') {
      // Halves of a millionth are not paid out.
      if (2 * seen.backing < yes + no) expect(seen).toBe('backed');
    } else if (market.state === 'resolved') {
      if (seen.backing !== (market.outcome === true ? yes : no)) expect(seen).toBe('backed');
    } else if (yes !== no || yes !== seen.backing) expect(seen).toBe('backed');
  }
}

export function checkSame(core: ExchangeCore, plain: PlainState, accounts: readonly number[]): void {
  same('fees', core.matching.fees, plain.fees);
  same('deposited', core.deposited, plain.deposited);
  for (const account of accounts) {
    checkBalances(core, plain, account);
    checkRecords(core, plain, account);
  }
  for (const market of plain.markets.keys()) checkMarket(core, plain, market);
}

function checkBalances(core: ExchangeCore, plain: PlainState, account: number): void {
  const { total, locked } = core.funds.read(account);
  const funds = { total: plain.account(account).funds, locked: plain.lockedFunds(account) };
  same(`funds of ${account}`, { total, locked }, funds);
  for (const market of plain.markets.keys()) {
    const held = { ...core.catalog.market(market).shares.read(account) };
    same(`shares of ${account} on ${market}`, held, {
      yes: plain.held(account, market, true),
      yesLocked: plain.lockedShares(account, market, true),
      no: plain.held(account, market, false),
      noLocked: plain.lockedShares(account, market, false),
    });
  }
}

/** All lists of an account, newest first, page by page. */
function checkRecords(core: ExchangeCore, plain: PlainState, account: number): void {
  const own = <R>(records: readonly R[], isOwn: (_: R) => boolean, row: (plain: PlainState, record: R) => object) =>
    records
      .filter(isOwn)
      .toReversed()
      .map((record) => row(plain, record));
  const isOwn = (record: { readonly account: number }) => record.account === account;
  const orders = own(plain.orders, (order) => isOwn(order) && order.pubkey !== '', rows.orderRow);
  const realOrders = pages((query) => core.orders.page(account, query));
  same('orders', realOrders, orders);
  const trades = pages((query) => core.orders.trades(account, query)).map(({ pubkey: _, ...row }) => row);
  same(
    'trades',
    trades,
    own(plain.ownTrades, ({ order }) => isOwn(order), rows.ownTradeRow),
  );
  for (const kind of ['merge', 'split'] as const) {
    const conversions = own(plain.conversions, (record) => isOwn(record) && record.kind === kind, rows.conversionRow);
    const real = pages((query) => core.conversions.records[kind].page(account, query));
    same(`${kind}s`, real, conversions);
  }
  const redeems = pages((query) => core.redeems.page(account, query));
  same('redeems', redeems, own(plain.redeems, isOwn, rows.redeemRow));
}

interface Asked {
  readonly limit: number;
  readonly beforeId?: number | undefined;
}

function pages<T>(read: (query: Asked) => { readonly rows: readonly T[]; readonly nextBeforeId: number | null }): T[] {
  const all: T[] = [];
  for (let beforeId: number | undefined; ; ) {
    const page = read({ limit: 30, beforeId });
    all.push(...page.rows);
    if (page.nextBeforeId === null) return all;
    beforeId = page.nextBeforeId;
  }
}

function checkMarket(core: ExchangeCore, plain: PlainState, index: number): void {
  const found = plain.market(index);
  const market = core.catalog.market(index);
  const { state, paused, outcome, collateral } = market;
  const { total_volume } = statsRow(market, core.nowMs);
  const plainFacts = [found.state, found.paused, found.outcome, found.collateral, found.trades.length];
  const facts = [state, paused, outcome, collateral, market.tape.count];
  same(`market ${index}`, [...facts, total_volume], [...plainFacts, rows.decimal(found.volume)]);
  const trades = found.trades.map((trade) => rows.tradeRow(found.id, trade)).reverse();
  const tape = pages((query) => publicTradePage(market, query));
  same(`tape of ${index}`, tape, trades);
  for (const isYes of [true, false]) {
    same(`book of ${index}`, bookRow(market, isYes, 1000), {
      market: found.id,
      is_yes: isYes,
      bid: rows.levels(plain, index, isYes, true),
      ask: rows.levels(plain, index, isYes, false),
    });
  }
}
