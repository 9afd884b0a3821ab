/** Lists how much of each risk limit is used, and the profit or loss in each scenario of market resolutions. */

import { add, formatDecimal, type Micros, minMicros, parseDecimal, sub, ZERO } from '../../../shared/base/micros.js';
import type { AccountStatus, MarketStatus } from '../../../shared/protocol/trader-status.js';
import type { LedgerReader } from '../../../trader/ledger/contract.js';
import { computePart, type LedgerConnection, makeTitleLookup, moneyText } from '../ledger-lists.js';
import type { ShownState } from '../trader-state.js';
import { readHoldings, readMarks, type ValuedHolding } from './money-view.js';

type MarketHolding = ValuedHolding & { readonly market: string };

/** Lists the holdings’ result in each scenario, without open orders. Events and scenarios are sorted worst first. */
export function listScenarios(trader: ShownState, ledger: LedgerReader) {
  const title = makeTitleLookup(trader, ledger);
  const events = new Map<string, MarketHolding[]>();
  for (const [market, held] of readHoldings(ledger, readMarks(trader.markets.values()))) {
    const event = trader.markets.get(market)?.eventId ?? ledger.market(market)?.eventConditionId ?? market;
    events.set(event, [...(events.get(event) ?? []), { ...held, market }]);
  }
  return [...events.values()]
    .map((held) => eventScenarios(held, title))
    .sort((a, b) => Number(a[0]?.result) - Number(b[0]?.result))
    .flat()
    .slice(0, MOST_ROWS);
}

function eventScenarios(held: readonly MarketHolding[], title: (market: string) => string) {
  const cost = held.reduce((sum, one) => add(sum, one.cost), ZERO);
  // Value of the holdings at marks; null while a mark is missing.
  const value = held.reduce<Micros | null>(
    (sum, one) => (sum === null || one.unrealised === null ? null : add(sum, add(one.cost, one.unrealised))),
    ZERO,
  );
  const event = held.map(({ market }) => title(market)).join(' · ');
  const describe = (scenario: string, pays: (holding: MarketHolding) => Micros) => {
    const paid = held.reduce((sum, one) => add(sum, pays(one)), ZERO);
    const fromNow = value === null ? '' : formatDecimal(sub(paid, value));
    return { event, scenario, result: formatDecimal(sub(paid, cost)), from_now: fromNow };
  };
  const isAlone = held.length === 1;
  const found = [
    ...held.map((yes) =>
      describe(isAlone ? 'YES' : `only ${title(yes.market)}: YES`, (one) => (one === yes ? one.yes : one.no)),
    ),
    describe(isAlone ? 'NO' : 'no market: YES', ({ no }) => no),
    ...(isAlone ? [] : [describe('each market at its worst outcome', ({ yes, no }) => minMicros(yes, no))]),
  ];
  return found.sort((a, b) => Number(a.result) - Number(b.result));
}

/** Figures of the trader's last message; `timeMs` is the trader's clock in the message, Unix ms. */
type LimitFacts = AccountStatus & Readonly<{ markets: readonly MarketStatus[]; timeMs: number }>;

const most = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((largest, row) => Math.max(largest, of(row)), 0);

type Limit = readonly [words: string, unit: string];

const LIMITS: Readonly<Record<string, Limit>> = {
  max_loss_day: ['loss since the start of the UTC day', 'currency'],
  max_drawdown: ['loss since the highest equity', 'currency'],
  max_total_cost: ['loss if all orders fill and all markets resolve against us', 'currency'],
  max_event_loss: ['largest loss of one event at its worst outcome', 'currency'],
  max_event_position_shares: ['largest net shares of one event, if the worst orders fill', 'shares'],
  max_position_shares: ['largest net shares held in one market', 'shares'],
  max_core_sets: ['largest number of complete sets held in one market', 'sets'],
  max_open_orders: ['orders that rest, are in flight or in an unknown state', 'orders'],
  max_actions_per_second: ['orders and cancels begun in the last second', 'actions'],
  max_actions_per_minute: ['orders and cancels begun in the last minute', 'actions'],
  max_fills: ['number of fills within the last fills_window_s', 'fills'],
  fills_window_s: ['time span over which max_fills counts fills', 's'],
  max_book_age_ms: ['age of the oldest quoted book', 'ms'],
  max_order_shares: ['shares of one order', 'shares'],
  max_order_notional: ['price × amount of one order', 'currency'],
  price_collar_fair: ['largest distance of an order beyond our fair value', 'price'],
  price_collar_book: ['largest distance of an order beyond the best opposite price', 'price'],
  min_time_since_jump_ms: ['pause after a price jump', 'ms'],
  min_time_to_resolution_s: ['time before the resolution in which no new order is sent', 's'],
  widen_at_loss: ['fraction of a loss limit at which quotes widen', 'of the limit'],
  reduce_at_loss: ['fraction of a loss limit at which only reducing orders are sent', 'of the limit'],
  widen_distance: ['distance of widened quotes from the fair value', 'price'],
};

/** Returns the used amount of each limit in its unit (micros for units in `DECIMAL`); none for limits of one order. */
const USES: Readonly<Record<string, (told: LimitFacts) => number>> = {
  max_loss_day: ({ losses }) => losses.dayLossMicros,
  max_drawdown: ({ losses }) => losses.drawdownMicros,
  max_total_cost: ({ risk }) => risk.totalLossMicros,
  max_event_loss: ({ risk }) => most(risk.events, ({ lossMicros }) => lossMicros),
  max_event_position_shares: ({ risk }) => most(risk.events, ({ positionMicros }) => positionMicros),
  max_position_shares: ({ markets }) => most(markets, (one) => Math.abs(one.yesMicros - one.noMicros)),
  max_core_sets: ({ markets }) => most(markets, (one) => Math.min(one.yesMicros, one.noMicros)),
  max_open_orders: ({ openOrders }) => openOrders,
  max_actions_per_second: ({ risk }) => risk.pace.lastSecond,
  max_actions_per_minute: ({ risk }) => risk.pace.lastMinute,
  max_fills: ({ risk }) => risk.fillsInWindow,
  max_book_age_ms: ({ markets, timeMs }) =>
    most(markets, ({ orders, bookSeenMs: seen }) => (orders.length > 0 && seen !== null ? timeMs - seen : 0)),
};

const MOST_ROWS = 200;
const DECIMAL = ['currency', 'shares', 'price', 'of the limit', 'sets'];

export function riskView(trader: ShownState, ledger: Pick<LedgerConnection, 'read'>) {
  const { account, hello, markets, frameMs } = trader;
  if (account === null || hello === null) return null;
  const all = [...markets.values()];
  const { risk } = hello.config;
  const told: LimitFacts = { ...account, markets: all, timeMs: frameMs ?? 0 };
  return {
    limits: Object.entries(LIMITS).map(([name, row]) => limitRow(name, row, told, readSetting(risk, name))),
    events: fullestFirst(eventRows(told, readSetting(risk, 'max_event_loss'))),
    markets: fullestFirst(
      all
        .filter(({ yesMicros: yes, noMicros: no, orders }) => yes !== 0 || no !== 0 || orders.length > 0)
        .map(marketRow),
    ),
    scenarios: ledger.read((open) => listScenarios(trader, open)) ?? [],
  };
}

function limitRow(name: string, [words, unit]: Limit, told: LimitFacts, limit: string) {
  const used = USES[name]?.(told) ?? null;
  const size = DECIMAL.includes(unit) ? parseDecimal(limit) : Number(limit);
  const refused = told.markets.flatMap(({ refusals }) => refusals.filter((refusal) => refusal.name === name));
  return {
    name,
    words,
    unit,
    limit,
    used: used === null ? '' : DECIMAL.includes(unit) ? formatDecimal(used as Micros) : String(Math.round(used)), // The cast is safe: whole micros.
    // `size` is null, 0 or NaN if a trader of another version does not report the limit.
    share: used === null ? null : computePart(Math.max(0, used), size),
    refusals: refused.reduce((sum, { count }) => sum + count, 0),
    newest: refused.at(-1)?.text ?? '',
  };
}

function readSetting(section: unknown, name: string): string {
  if (typeof section !== 'object' || section === null) return '';
  return String(new Map<string, unknown>(Object.entries(section)).get(name) ?? '');
}

const eventRows = ({ risk, markets }: LimitFacts, limit: string) =>
  risk.events.map(({ eventKey: id, positionMicros: position, lossMicros: loss }) => {
    const within = markets.filter((market) => (market.eventId ?? market.conditionId) === id);
    return {
      id,
      title: within.map((market) => market.title).join(' · '),
      markets: within.length,
      position: moneyText(position),
      loss: moneyText(loss),
      share: computePart(Math.max(0, loss), parseDecimal(limit)),
    };
  });

function marketRow(market: MarketStatus) {
  const net = market.yesMicros - market.noMicros;
  return {
    id: market.conditionId,
    title: market.title,
    net: moneyText(net),
    limit: moneyText(market.maxPositionMicros),
    share: computePart(Math.abs(net), market.maxPositionMicros),
    mark: moneyText(market.markMicros),
  };
}

const fullestFirst = <Row extends { readonly share: number | null }>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (b.share ?? 0) - (a.share ?? 0)).slice(0, MOST_ROWS);
