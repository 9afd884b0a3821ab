/** Makes the page's data about all traders, one trader and one market, from ledgers and the traders' messages. */

import type { Role } from '../../shared/protocol/operator-commands.js';
import {
  type AccountStatus,
  describeQuoting,
  type MarketStatus,
  type ProcessStatus,
} from '../../shared/protocol/trader-status.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import type { TraderConfig } from '../config/config.js';
import { ALERT_SEVERITIES } from '../config/schema.js';
import { NO_TRADER } from '../control/control-client.js';
import { nowMs } from '../runtime/clock.js';
import { listActions, listMarketActions, STOPPED_MODES } from './actions.js';
import { groupRefusals, type LedgerConnection, moneyText } from './ledger-lists.js';
import type { Reports } from './own-commands.js';
import type { AlertStore, History } from './store.js';
import type { ShownState } from './trader-state.js';
import type { ResultBook } from './views/money-view.js';
import { describeEnd, type Watch } from './watch.js';

interface PageSources extends Pick<ShownParts, 'trader' | 'name' | 'ledger' | 'guardian'> {
  readonly config: { readonly venue: { readonly name: string } };
  readonly history: Pick<History, 'newestMs'>;
  readonly watch: Pick<Watch, 'count'>;
}

/** Makes one trader's row in the list of traders. Counts are null before the trader's first message. */
export function makeTraderRow({ trader, name, guardian, watch, ledger, history }: PageSources) {
  const { account } = trader;
  const markets = [...trader.markets.values()];
  return {
    name,
    ...judgeMode(trader),
    answers: trader.isCurrent,
    heard: trader.frameMs ?? history.newestMs(),
    guardian: guardian.status(),
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

export interface ServedTraders {
  readonly now: number;
  readonly role: Role;
  readonly actions: ReturnType<typeof listActions>;
  readonly traders: readonly ReturnType<typeof makeTraderRow>[];
}

const priceText = (value: number | null): string | null => (value === null ? null : moneyText(value));

/** Minimum age at which a book counts as old, ms; the only criterion if the trader reports no poll interval. */
const USUAL_AGE_MS = 10_000;
/** Number of poll intervals without a new book after which a book counts as old. */
const LOOKS = 3;

/** Minimum and maximum number of decimals of a shown price: a cent has 2, the finest tick of any venue has 4. */
const [FEWEST_PLACES, MOST_PLACES] = [2, 4];

/** Returns the number of decimals of the market's tick, derived from the known prices. */
function tickPlaces({ bestBidMicros, bestAskMicros, orders, bids = [], asks = [] }: MarketStatus): number {
  const known = [bestBidMicros, bestAskMicros, ...orders.map(({ priceMicros: price }) => price)];
  const levels = [...bids, ...asks].map(([price]) => price);
  const places = [...known, ...levels].map((price) => moneyText(price).split('.')[1]?.length ?? 0);
  return Math.min(MOST_PLACES, Math.max(FEWEST_PLACES, ...places));
}

/** `stopped`: mode of a trader that does not quote or answer, else null. `paused`: ids of singly paused markets. */
type TraderFacts = Readonly<{ nowMs: number; stopped: string | null; paused: readonly string[] }>;

export function marketRow(market: MarketStatus, { nowMs, stopped }: TraderFacts) {
  const { bookSeenMs: seen, worth } = market;
  const usualAgeMs = Math.max(USUAL_AGE_MS, LOOKS * 1000 * (worth?.value.lookEveryS ?? 0));
  return {
    places: tickPlaces(market),
    is_old: seen === null || nowMs - seen > usualAgeMs,
    id: market.conditionId,
    title: market.title,
    state: stopped ?? describeQuoting(market),
    bid: priceText(market.bidMicros),
    ask: priceText(market.askMicros),
    fair: priceText(market.fairMicros),
    yes: moneyText(market.yesMicros),
    no: moneyText(market.noMicros),
    net: moneyText(market.yesMicros - market.noMicros),
    open_orders: market.orders.length,
    best_bid: priceText(market.bestBidMicros),
    best_ask: priceText(market.bestAskMicros),
    book_seen: seen,
  };
}

const isHolding = ({ yesMicros, noMicros }: MarketStatus): boolean => yesMicros !== noMicros;

export const marketDetail = (market: MarketStatus, facts: TraderFacts) => ({
  ...marketRow(market, facts),
  actions: listMarketActions(facts.paused.includes(market.conditionId), isHolding(market), facts.stopped !== null),
  strategy: market.strategies.join(', '),
  resolves: market.resolvesMs,
  ladder: makeLadder(market),
  factors: Object.entries(market.factors).map(([name, value]) => ({ name, value })),
  refusals: groupRefusals(market.refusals),
  tape:
    market.trades?.map(([time, price, amount, taker]) => {
      return { time, price: moneyText(price), amount: moneyText(amount), taker };
    }) ?? null,
});

/** Returns the ladder's rows, highest price first; the fair value has its own row. */
function makeLadder({ bids = [], asks = [], orders, fairMicros: fair }: MarketStatus) {
  const fairRow = { price: moneyText(fair), side: 'fair' as const, others: '', ours: '', ahead: '' };
  // The sort keeps the order of rows with the same price: asks are above bids.
  return [...sideRows('ask', asks, orders), ...(fair === null ? [] : [fairRow]), ...sideRows('bid', bids, orders)].sort(
    (a, b) => Number(b.price) - Number(a.price),
  );
}

/** Returns a row per price. `ahead`: upper estimate of others' shares ahead of our first order at this price. */
function sideRows(side: 'bid' | 'ask', levels: NonNullable<MarketStatus['bids']>, orders: MarketStatus['orders']) {
  const others = new Map(levels);
  const own = orders.filter((order) => order.side === side);
  const prices = new Set([...others.keys(), ...own.map(({ priceMicros: price }) => price)]);
  return Array.from(prices, (micros) => {
    const here = own.filter(({ priceMicros: price }) => price === micros);
    const ours = here.reduce((sum, { remainingMicros: left }) => sum + left, 0);
    return {
      price: moneyText(micros),
      side,
      others: moneyText(others.get(micros) ?? null),
      ours: ours === 0 ? '' : moneyText(ours),
      ahead: moneyText(here[0]?.queueAheadMicros ?? null),
    };
  });
}

/** The console's data about one trader; each view, list and metric uses only the parts it needs. */
export interface ShownParts {
  /** Trader's name, unique within a console. */
  readonly name: string;
  readonly config: TraderConfig;
  /** Reads the guardian's file. `isGuarded`: whether a guardian can cancel the orders; null if none is needed. */
  readonly guardian: { readonly status: () => string; readonly isGuarded: () => boolean | null };
  readonly trader: ShownState;
  readonly ledger: LedgerConnection;
  readonly history: History;
  readonly book: ResultBook;
  readonly watch: Watch;
  readonly alerts: AlertStore;
  readonly reports: Reports;
}

/** Makes the page's state of one trader. @param market shown with details; null for none */
export function makePageState({ trader, name, ledger, config, guardian, watch }: PageSources, market: string | null) {
  const { hello, account } = trader;
  const markets = [...trader.markets.values()];
  const timeMs = nowMs();
  const judged = judgeMode(trader);
  const wanted = trader.markets.get(market ?? '');
  const facts: TraderFacts = {
    nowMs: timeMs,
    stopped: !trader.isCurrent || STOPPED_MODES.includes(judged.mode) ? judged.mode : null,
    paused: account?.pausedMarkets.map(({ conditionId }) => conditionId) ?? [],
  };
  return {
    trader: name,
    ...judged,
    /** Start of the present mode, trader's clock, Unix ms; null if the mode began before this console. */
    mode_since: trader.isCurrent ? trader.modeSinceMs : null,
    /** If false, the trader does not answer, and its figures in all following fields are old. */
    answers: trader.isCurrent,
    /** The trader's clock in its last message, Unix ms; null before the first message. */
    heard: trader.frameMs,
    guardian: guardian.status(),
    silent: account?.silent ?? false,
    now: timeMs,
    started: hello?.startedMs ?? 0,
    pid: hello?.pid ?? 0,
    version: hello?.version ?? '',
    venue: config.venue.name,
    base_url: hello?.baseUrl ?? '',
    config_hash: hello?.configHash ?? '',
    way_back: account?.wayBack ?? '',
    actions: listActions({ mode: judged.mode, answers: trader.isCurrent, wayBack: account?.wayBack ?? '' }),
    /** Time when reads of the exchange proved that no order rests after the newest stop, Unix ms; null before. */
    proven: account?.proven === true ? account.provenMs : null,
    alerts: countAlerts(watch),
    brake: account?.health.brake ?? 0,
    losses: account === null || hello === null ? [] : listLosses(account, hello),
    cash: moneyText(account?.cashMicros ?? null),
    result: moneyText(account?.resultMicros ?? null),
    /** Result of the UTC day `result_day_of`, currency; empty while a held share has no price. */
    result_day: account?.resultMicros === null ? '' : moneyText(account?.days?.current.resultMicros ?? null),
    result_day_of: account?.days?.current.day ?? '',
    open_orders: account?.openOrders ?? null,
    unknown_orders: account?.unknownOrders ?? null,
    fill_count: account?.fills ?? null,
    budget: Object.entries(account?.budgets ?? {}).map(([scope, { limit, available }]) => ({
      scope,
      limit,
      remaining: Math.max(0, available),
    })),
    agreement: account === null ? null : describeAgreement(account),
    markets: markets.map((market) => marketRow(market, facts)),
    market: wanted === undefined ? null : marketDetail(wanted, facts),
    ...ledger.lists(),
    // A ledger that failed still lists the orders of which the trader has proven that none rests.
    ...(trader.hasFailed && trader.bye?.proven === true ? { resting_orders: 0, orders: [] } : {}),
  };
}

export type PageState = ReturnType<typeof makePageState>;
export type ServedState = PageState & Readonly<{ role: Role; traders: readonly string[] }>;

/** Returns the mode to show: the trader's last mode, or `not answering` after 5 s without a frame. */
export function judgeMode(trader: ShownState): { readonly mode: string; readonly reason: string } {
  const { account, bye, isCurrent, isWithTrader, lost, silentMs } = trader;
  const end = lost?.startsWith(NO_TRADER) && bye?.proven === false ? describeEnd(trader) : null;
  if (end !== null) return { mode: 'not running', reason: end };
  if (bye !== null) return { mode: bye.proven ? 'stopped' : 'ending', reason: bye.reason };
  if (isCurrent) return { mode: account?.mode ?? 'starting', reason: account?.reason ?? '' };
  if (silentMs === null) return { mode: isWithTrader ? 'starting' : 'not running', reason: lost ?? '' };
  const since = `${Math.round(silentMs / 1000)} s`;
  return { mode: 'not answering', reason: lost === null ? `no message for ${since}` : `${lost}, for ${since}` };
}

/** Describes the newest complete comparison of ledger and exchange; null before the first comparison. */
function describeAgreement({ reconciled, accepted }: AccountStatus) {
  if (reconciled === null) return null;
  const { comparedMs, differences } = reconciled;
  return {
    compared: comparedMs,
    differences: differences.map((one) => `${one.what} ${one.subject}: ledger ${one.ledger}, exchange ${one.exchange}`),
    text: agreementText(differences.length, accepted),
    accepted: accepted.length,
  };
}

/** Lists the loss limits, each with the present loss; a negative loss is a gain. */
const listLosses = ({ losses }: AccountStatus, { limits: { maxLossDayMicros, maxDrawdownMicros } }: ProcessStatus) => [
  { name: 'today', loss: moneyText(losses.dayLossMicros), limit: moneyText(maxLossDayMicros) },
  { name: 'from the highest equity', loss: moneyText(losses.drawdownMicros), limit: moneyText(maxDrawdownMicros) },
];

const countAlerts = (watch: Pick<Watch, 'count'>): number =>
  ALERT_SEVERITIES.reduce((sum, severity) => sum + watch.count(severity), 0);
