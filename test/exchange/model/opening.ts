/** State before the first call of a sequence: four markets and six accounts, in the exchange and in the model. */

import type { MarketSpec } from '../../../src/exchange/core/contract.js';
import type { Command } from '../../../src/exchange/core/core.js';
import { must } from '../../../src/shared/base/errors.js';
import { POLYMARKET } from '../core/margin/desk.js';
import { m, settings as usual, wallet } from '../core/venue.js';
import { GRIDS, type Grid } from './calls.js';
import { ONE, type PlainRules, type PlainState } from './plain-state.js';

export const settings = { ...usual, startingFunds: m(50) };

/** Accounts with wallets; account 0 is the exchange's, the last two are internal. */
export const WALLETS = [1, 2, 3] as const;
/** An account with unlimited funds. */
export const CROWD = 4;
export const MAKER = 5;
/** Ids by market. */
export const IDS = ['first', 'second', 'pool', 'margin-book'] as const;

const MAKER_FUNDS = m(8);
const POOL: MarketSpec['config'] = { ...POLYMARKET, max_leverage_yes: '5', closing_fee: '0.01' };

type Do = (method: Command[1], ...args: readonly unknown[]) => unknown;

export function openWorld(run: Do, plain: PlainState, grids: readonly [Grid, Grid]): void {
  for (const [index, grid] of grids.entries()) openBook(run, plain, must(IDS[index], 'a name'), grid, false);
  run('markets.create', { condition_id: 'pool', config: POOL });
  addMarket(plain, 'pool', null, true);
  openBook(run, plain, 'margin-book', must(GRIDS[0], 'a grid'), true);
  openAccounts(run, plain);
}

function openBook(run: Do, plain: PlainState, id: string, grid: Grid, hasMargin: boolean): void {
  const least = m(grid.least / ONE);
  run('markets.create', {
    condition_id: id,
    margin_enabled: hasMargin,
    config: {
      kind: 'orderbook',
      price_precision: grid.price,
      amount_precision: grid.amount,
      funds_precision: grid.funds,
      maker_fee_rate: grid.maker,
      taker_fee_rate: grid.taker,
      min_price: m('0.02'),
      max_price: m('0.98'),
      min_amount: least,
      max_amount: m(1000),
      min_funds: least,
      max_funds: m(1000),
    },
  });
  const step = (precision: number) => 10 ** (6 - precision);
  const sizes = { tick: step(grid.price), lot: step(grid.amount), fundsStep: step(grid.funds) };
  const range = [grid.least, 1_000_000_000] as const;
  const limits = { price: [20_000, 980_000], amount: range, funds: range } as const;
  addMarket(plain, id, { ...sizes, ...limits, makerRate: grid.maker, takerRate: grid.taker }, hasMargin);
}

function addMarket(plain: PlainState, id: string, rules: PlainRules | null, hasMargin: boolean): void {
  plain.markets.push({
    id,
    rules,
    hasMargin,
    state: 'open',
    paused: false,
    unbacked: false,
    outcome: null,
    collateral: 0,
    volume: 0,
    trades: [],
  });
}

function openAccounts(run: Do, plain: PlainState): void {
  const add = (owner: string | null, unlimited: boolean, funds: number) => {
    plain.accounts.push({ wallet: owner, unlimited, custodial: false, funds, yes: [], no: [] });
    plain.deposited += funds;
  };
  add(null, true, 0);
  for (const number of WALLETS) {
    const nonce = `nonce ${number}`;
    run('identity.challenge', wallet(number), nonce);
    const message = `Create SVC API credential | Wallet: ${wallet(number)} | Nonce: ${nonce}`;
    run('identity.createKey', { wallet_address: wallet(number), message, nonce }, true, `key ${number}`, 'secret');
    add(wallet(number), false, settings.startingFunds);
  }
  run('identity.openInternal', 'crowd', { unlimited: true });
  add(null, true, 0);
  run('identity.openInternal', 'maker', { unlimited: false, funds: MAKER_FUNDS });
  add(null, false, MAKER_FUNDS);
}
