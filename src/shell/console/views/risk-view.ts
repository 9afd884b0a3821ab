/** Every limit with its use: in total, by event and by market. */

import { formatDecimal, type Micros, parseDecimal } from '../../../shared/base/micros.js';
import type { MarketStatus } from '../../../shared/protocol/trader-status.js';
import type { LedgerConnection } from '../ledger-lists.js';
import { moneyText } from '../page-market.js';
import type { TraderState } from '../trader-state.js';
import { LIMIT_USES, type LimitFacts, type LimitUse } from './risk-limits.js';
import { listScenarios } from './scenarios.js';
import { computePart } from './texts.js';

const MOST_ROWS = 200;
/** Units whose settings are decimal strings. */
const DECIMAL: readonly LimitUse['unit'][] = ['currency', 'shares', 'price', 'part', 'sets'];

/** Null before the trader's first message. */
export function riskView(trader: TraderState, ledger: Pick<LedgerConnection, 'read'>) {
  const { account, hello, markets, frameMs } = trader;
  if (account === null || hello === null) return null;
  const all = [...markets.values()];
  const told: LimitFacts = { account, markets: all, timeMs: frameMs ?? 0 };
  const { config } = hello;
  return {
    limits: LIMIT_USES.map((use) => limitRow(use, told, config)),
    events: eventRows(told, readSetting(config['risk'], 'max_event_loss')),
    markets: all
      .filter(({ yesMicros: yes, noMicros: no, orders }) => yes !== 0 || no !== 0 || orders.length > 0)
      .map(marketRow)
      .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
      .slice(0, MOST_ROWS),
    scenarios: ledger.read((open) => listScenarios(trader, open)) ?? [],
  };
}

export type RiskView = NonNullable<ReturnType<typeof riskView>>;

function limitRow(use: LimitUse, told: LimitFacts, config: Readonly<Record<string, unknown>>) {
  const { name, words, unit } = use;
  const limit = readSetting(config['risk'], name);
  const used = use.measureUse?.(told) ?? null;
  const refused = told.markets.flatMap(({ refusals }) => refusals.filter((refusal) => refusal.name === name));
  const size = parseSize(use, limit);
  return {
    name,
    words,
    unit,
    limit,
    used: used === null ? '' : DECIMAL.includes(unit) ? formatDecimal(used as Micros) : String(Math.round(used)), // whole as the trader sent it
    share: used === null || size === null ? null : computePart(Math.max(0, used), size),
    refusals: refused.reduce((sum, { count }) => sum + count, 0),
    newest: refused.at(-1)?.text ?? '',
    tighter: describeTighter(config['strategies'], name, limit),
  };
}

/** Null when the trader's version does not report it. */
function parseSize({ unit }: LimitUse, limit: string): number | null {
  const size = DECIMAL.includes(unit) ? parseDecimal(limit) : Number(limit);
  return size === null || limit === '' || Number.isNaN(size) ? null : size;
}

/** Empty when unknown. */
function readSetting(section: unknown, name: string): string {
  if (typeof section !== 'object' || section === null) return '';
  const value = new Map<string, unknown>(Object.entries(section)).get(name);
  return value === undefined || value === null ? '' : String(value);
}

/** `maker 100, grid 50` for strategies whose own limit differs from the trader's. */
function describeTighter(strategies: unknown, name: string, limit: string): string {
  if (!Array.isArray(strategies)) return '';
  const own = strategies.flatMap((strategy: unknown) => {
    if (typeof strategy !== 'object' || strategy === null || !('risk' in strategy)) return [];
    const value = readSetting(strategy.risk, name);
    return value === '' || value === limit ? [] : `${readSetting(strategy, 'name')} ${value}`;
  });
  return own.join(', ');
}

function eventRows({ account, markets }: LimitFacts, limit: string) {
  const size = parseDecimal(limit);
  return account.risk.events
    .map(({ eventKey: id, positionMicros: position, lossMicros: loss }) => {
      const within = markets.filter((market) => (market.eventId ?? market.conditionId) === id);
      return {
        id,
        title: within.map((market) => market.title).join(' · '),
        markets: within.length,
        position: moneyText(position),
        loss: moneyText(loss),
        share: size === null ? null : computePart(Math.max(0, loss), size),
      };
    })
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
    .slice(0, MOST_ROWS);
}

function marketRow(market: MarketStatus) {
  const net = market.yesMicros - market.noMicros;
  const limit = market.maxPositionMicros;
  return {
    id: market.conditionId,
    title: market.title,
    net: moneyText(net),
    limit: moneyText(limit),
    share: limit === null ? null : computePart(Math.abs(net), limit),
    mark: moneyText(market.markMicros),
  };
}
