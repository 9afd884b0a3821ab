/** One line for a trader among others, and the sums of those that add up. */

import { formatDecimal, parseDecimal } from '../../shared/base/decimal.js';
import { add, type Micros, ZERO } from '../../shared/base/micros.js';
import type { TraderRow, TraderSum } from '../dashboard/contract.js';
import { moneyText } from './page-market.js';
import { judgeMode } from './page-state.js';
import type { TraderState } from './trader-state.js';

export interface TraderRowFacts {
  readonly trader: TraderState;
  readonly name: string;
  /** Of the traders whose results add up. */
  readonly group: string;
  readonly guardian: string;
  /** Alerts that are open, and those of them that are critical. */
  readonly alerts: number;
  readonly critical: number;
  /** Of the ledger, where the trader has told nothing; null while it cannot be read. */
  readonly cashMicros: () => Micros | null;
  /** When this console or one before it last saw figures of the trader; null when none ever did. */
  readonly lastKnownMs: () => number | null;
}

export function makeTraderRow(facts: TraderRowFacts): TraderRow {
  const { trader, name, group, guardian, alerts, critical } = facts;
  const { account, hello } = trader;
  const { mode, reason } = judgeMode(trader);
  const markets = [...trader.markets.values()];
  return {
    name,
    group,
    // One that was never heard and that nobody can reach does not start: it does not run.
    mode: mode === 'starting' && trader.lost !== null ? 'not running' : mode,
    reason,
    answers: trader.isCurrent,
    heard: trader.frameMs ?? facts.lastKnownMs(),
    guardian,
    version: hello?.version ?? '',
    pid: hello?.pid ?? 0,
    cash: moneyText(account?.cash_micros ?? facts.cashMicros()),
    result: moneyText(account?.result_micros ?? null),
    loss_day: moneyText(account?.loss_day_micros ?? null),
    open_orders: account?.open_orders ?? null,
    unknown_orders: account?.unknown_orders ?? null,
    markets: account === null ? null : markets.length,
    quoting: account === null ? null : markets.filter(({ state }) => state === 'quoting').length,
    alerts,
    critical,
  };
}

/** One for each group, in the order of the rows: over the traders of which a figure is known, with how many those are. */
export function sumTraders(rows: readonly TraderRow[]): readonly TraderSum[] {
  return [...new Set(rows.map(({ group }) => group))].map((group) => {
    const within = rows.filter((row) => row.group === group);
    const count = (of: (row: TraderRow) => number | null) => within.reduce((total, row) => total + (of(row) ?? 0), 0);
    return {
      group,
      traders: within.length,
      answering: within.filter(({ answers }) => answers).length,
      cash: sumMoney(within.map(({ cash }) => cash)),
      result: sumMoney(within.map(({ result }) => result)),
      loss_day: sumMoney(within.map(({ loss_day: loss }) => loss)),
      open_orders: count(({ open_orders: orders }) => orders),
      unknown_orders: count(({ unknown_orders: orders }) => orders),
      alerts: count((row) => row.alerts),
      critical: count((row) => row.critical),
    };
  });
}

function sumMoney(texts: readonly string[]): TraderSum['cash'] {
  const known = texts.flatMap((text) => (text === '' ? [] : (parseDecimal(text) ?? [])));
  return { sum: known.length === 0 ? '' : formatDecimal(known.reduce(add, ZERO)), known: known.length };
}
