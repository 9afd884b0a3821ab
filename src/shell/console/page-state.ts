/** What the page shows, from what the trader last told and what its ledger says. */

import type { BookedFill } from '../../trader/ledger/contract.js';
import type { AccountFigures, HelloLine } from '../control/telemetry/lines.js';
import type { PageState } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';
import type { PageLists } from './ledger-lists.js';
import { marketDetail, marketRow, moneyText } from './page-market.js';
import type { TraderState } from './trader-state.js';

export interface PageFacts {
  readonly trader: TraderState;
  readonly lists: PageLists;
  readonly name: string;
  readonly venue: string;
  readonly guardian: string;
  /** Alerts that are open. */
  readonly alerts: number;
  /** The market that is wanted from close by; null for none. */
  readonly market: string | null;
  /** Our newest fills there, to be found again among its public trades. */
  readonly fills: readonly BookedFill[];
}

export function makePageState({ trader, name, lists, venue, guardian, alerts, market, fills }: PageFacts): PageState {
  const { hello, account } = trader;
  const wanted = trader.markets.get(market ?? '');
  return {
    trader: name,
    ...judgeMode(trader),
    mode_since: trader.isCurrent ? trader.modeSinceMs : null,
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
    way_back: account?.way_back ?? '',
    alerts,
    health: account === null ? null : makeHealth(account),
    losses: account === null || hello === null ? [] : listLosses(account, hello),
    cash: moneyText(account?.cash_micros ?? null),
    result: moneyText(account?.result_micros ?? null),
    open_orders: account?.open_orders ?? 0,
    unknown_orders: account?.unknown_orders ?? 0,
    fill_count: account?.fills ?? 0,
    budget: (account?.budgets ?? []).map(({ scope, limit, left }) => ({ scope, limit, remaining: left })),
    agreement: account?.agreement ?? null,
    markets: Array.from(trader.markets.values(), marketRow),
    market: wanted === undefined ? null : marketDetail(wanted, fills),
    ...lists,
  };
}

/** A trader that has said nothing for seconds hangs, or is gone: what it was at is old. */
export function judgeMode(trader: TraderState): Pick<PageState, 'mode' | 'reason'> {
  const { account, bye, lost, silentMs } = trader;
  if (bye !== null) return { mode: bye.proven ? 'stopped' : 'ending', reason: bye.reason };
  if (trader.isCurrent && account !== null) return { mode: account.mode, reason: account.reason };
  if (silentMs === null || (lost === null && account === null)) return { mode: 'starting', reason: lost ?? '' };
  const since = `${Math.round(silentMs / 1000)} s`;
  return { mode: 'not answering', reason: lost === null ? `nothing was heard for ${since}` : `${lost}, for ${since}` };
}

const BYTES_PER_MB = 1_000_000;

function makeHealth({ health }: AccountFigures): PageState['health'] {
  const { step_p50_ms, step_p99_ms, beat_late_p99_ms, memory_bytes, brake } = health;
  return { step_p50_ms, step_p99_ms, beat_late_p99_ms, memory_mb: Math.round(memory_bytes / BYTES_PER_MB), brake };
}

const listLosses = (account: AccountFigures, { limits }: HelloLine): PageState['losses'] => [
  { name: 'of this day', loss: moneyText(account.loss_day_micros), limit: moneyText(limits.max_loss_day_micros) },
  { name: 'from the top', loss: moneyText(account.drawdown_micros), limit: moneyText(limits.max_drawdown_micros) },
];
