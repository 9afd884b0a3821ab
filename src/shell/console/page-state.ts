/** What the page shows, from what the trader last told and what its ledger says. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import type { MarketFigures } from '../control/telemetry/lines.js';
import type { PageState } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';
import type { PageLists } from './ledger-lists.js';
import type { TraderState } from './trader-state.js';

export interface PageFacts {
  readonly trader: TraderState;
  readonly lists: PageLists;
  readonly venue: string;
  readonly guardian: string;
}

export function pageStateOf({ trader, lists, venue, guardian }: PageFacts): PageState {
  const { hello, account } = trader;
  return {
    ...modeOf(trader),
    answers: trader.isCurrent,
    heard: trader.frameMs,
    guardian,
    silent: account?.silent ?? false,
    now: nowMs(),
    started: hello?.started ?? 0,
    pid: hello?.pid ?? 0,
    version: hello?.version ?? '',
    venue,
    base_url: hello?.base_url ?? '',
    config_hash: hello?.config_hash ?? '',
    cash: moneyText(account?.cash_micros ?? null),
    result: moneyText(account?.result_micros ?? null),
    open_orders: account?.open_orders ?? 0,
    unknown_orders: account?.unknown_orders ?? 0,
    fill_count: account?.fills ?? 0,
    budget: (account?.budgets ?? []).map(({ scope, limit, left }) => ({ scope, limit, remaining: left })),
    agreement: account?.agreement ?? null,
    markets: Array.from(trader.markets.values(), marketRow),
    ...lists,
  };
}

/** A trader that has said nothing for seconds hangs, or is gone: what it was at is old. */
function modeOf(trader: TraderState): Pick<PageState, 'mode' | 'reason'> {
  const { account, bye, lost, silentMs } = trader;
  if (bye !== null) return { mode: bye.proven ? 'stopped' : 'ending', reason: bye.reason };
  if (trader.isCurrent && account !== null) return { mode: account.mode, reason: account.reason };
  if (silentMs === null || (lost === null && account === null)) return { mode: 'starting', reason: lost ?? '' };
  const since = `${Math.round(silentMs / 1000)} s`;
  return { mode: 'not answering', reason: lost === null ? `nothing was heard for ${since}` : `${lost}, for ${since}` };
}

const moneyText = (value: number | null): string => (value === null ? '' : formatDecimal(value as Micros)); // a trader writes whole millionths

function priceText(value: number | null): string | null {
  return value === null ? null : moneyText(value);
}

function marketRow(market: MarketFigures): PageState['markets'][number] {
  const best = (side: 'bid' | 'ask') => {
    const prices = market.orders.filter((order) => order.side === side).map(({ price_micros: price }) => price);
    if (prices.length === 0) return null;
    return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
  };
  return {
    id: market.id,
    title: market.title,
    state: market.state,
    bid: priceText(best('bid')),
    ask: priceText(best('ask')),
    fair: priceText(market.fair_micros),
    yes: moneyText(market.yes_micros),
    no: moneyText(market.no_micros),
    open_orders: market.orders.length,
  };
}
