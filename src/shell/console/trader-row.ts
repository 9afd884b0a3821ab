/** A trader's row among several, and the sums of those that add up. */

import { add, formatDecimal, parseDecimal, ZERO } from '../../shared/base/micros.js';
import type { Role } from '../../shared/protocol/operator-commands.js';
import { describeQuoting } from '../../shared/protocol/trader-status.js';
import type { PageButton } from './actions.js';
import { moneyText } from './page-market.js';
import { countAlerts, judgeMode } from './page-state.js';
import type { ShownParts } from './shown-parts.js';
import type { History } from './store/history.js';
import { groupOf } from './traders.js';
import type { Watch } from './watch.js';

interface RowParts extends Pick<ShownParts, 'trader' | 'name' | 'config' | 'guardian' | 'ledger'> {
  readonly watch: Pick<Watch, 'count'>;
  readonly history: Pick<History, 'newestMs'>;
}

/** One trader of several in a console; a count is null before its first message. */
export function makeTraderRow({ trader, name, config, guardian, watch, ledger, history }: RowParts) {
  const { account, hello } = trader;
  const { mode, reason } = judgeMode(trader);
  const markets = [...trader.markets.values()];
  return {
    name,
    group: groupOf(config),
    // One without any message that cannot be reached is not starting: it is not running.
    mode: mode === 'starting' && trader.lost !== null ? 'not running' : mode,
    reason,
    answers: trader.isCurrent,
    heard: trader.frameMs ?? history.newestMs(),
    guardian: guardian.status(),
    version: hello?.version ?? '',
    pid: hello?.pid ?? 0,
    cash: moneyText(account?.cashMicros ?? ledger.read((open) => open.cash())),
    result: moneyText(account?.resultMicros ?? null),
    loss_day: moneyText(account?.losses.dayLossMicros ?? null),
    open_orders: account?.openOrders ?? null,
    unknown_orders: account?.unknownOrders ?? null,
    markets: account === null ? null : markets.length,
    quoting: account === null ? null : markets.filter((market) => describeQuoting(market) === 'quoting').length,
    alerts: countAlerts(watch),
    critical: watch.count('critical'),
  };
}

export type TraderRow = ReturnType<typeof makeTraderRow>;

/** All traders, for the page. */
export interface ServedTraders {
  readonly now: number;
  readonly role: Role;
  readonly actions: readonly PageButton[];
  readonly traders: readonly TraderRow[];
  readonly sums: ReturnType<typeof sumTraders>;
}

/** One per group, in the order of the rows: over the traders with a known figure, with their number. */
export function sumTraders(rows: readonly TraderRow[]) {
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

/** Over the `known` traders. */
function sumMoney(texts: readonly string[]) {
  const known = texts.flatMap((text) => (text === '' ? [] : (parseDecimal(text) ?? [])));
  return { sum: known.length === 0 ? '' : formatDecimal(known.reduce(add, ZERO)), known: known.length };
}
