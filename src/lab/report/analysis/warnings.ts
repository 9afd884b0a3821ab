/** What must be known before a figure is believed. A session with nothing in it says so here, in words. */

import { utcText } from '../../../shared/base/utc-text.js';
import type { MarketSession, Refusal, SessionRecord } from '../../session/contract.js';
import {
  count,
  exactGain,
  formatDuration,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
} from '../figures.js';
import { nameModel } from './bracket.js';
import type { Analysis, Warning, WarningLevel } from './contract.js';
import { FEW_EVENTS } from './events.js';
import type { MarketResult } from './split.js';

export type Figures = Omit<Analysis, 'warnings'>;

/** A check says its sentence, or null when there is nothing to say. */
type Check = readonly [WarningLevel, name: string, say: (figures: Figures, record: SessionRecord) => string | null];

const CHECKS: readonly Check[] = [
  ['wrong', 'unexplained', warnUnexplained],
  [
    'caution',
    'no_markets',
    ({ coverage }) => (coverage.markets > 0 ? null : 'No market was in this session: there is nothing to report.'),
  ],
  ['caution', 'not_played', notPlayed],
  ['caution', 'halted', warnHalted],
  ['caution', 'held_back', heldBack],
  ['caution', 'free_of_fees', freeOfFees],
  ['caution', 'no_orders', noOrders],
  ['caution', 'no_fills', noFills],
  ['caution', 'held_at_cost', heldAtCost],
  ['caution', 'held_without_outcome', heldWithoutOutcome],
  ['caution', 'undivided', warnUndivided],
  ['caution', 'gaps', gaps],
  ['caution', 'skipped', warnSkipped],
  ['caution', 'requests_unsent', warnUnsent],
  ['caution', 'throttled', warnThrottled],
  ['caution', 'fills_never_noticed', neverNoticed],
  ['caution', 'few_events', fewEvents],
  ['note', 'without_outcome', withoutOutcome],
  ['note', 'without_recording', withoutRecording],
];

export function listWarnings(
  figures: Figures,
  record: SessionRecord,
  results: readonly MarketResult[],
): readonly Warning[] {
  const found = CHECKS.flatMap(([level, name, say]): Warning[] => {
    const text = say(figures, record);
    return text === null ? [] : [{ level, name, text }];
  });
  const all = [...misplacedShares(record.markets, results), ...found, ...listNotices(record)];
  return LEVELS.flatMap((level) => all.filter((warning) => warning.level === level));
}

const LEVELS: readonly WarningLevel[] = ['wrong', 'caution', 'note'];

function warnUnexplained({ equity, result }: Figures): string | null {
  const difference = equity.resultMicros - result.resultMicros;
  if (difference === 0) return null;
  return `The parts of the result add up to ${exactGain(result.resultMicros)}, but the equity changed by ${exactGain(equity.resultMicros)}: ${exactGain(difference)} is not explained. Do not trust this report.`;
}

function misplacedShares(markets: readonly MarketSession[], results: readonly MarketResult[]): readonly Warning[] {
  const wrong = markets.flatMap((market, index): Warning[] => {
    const result = results[index];
    if (result === undefined) return [];
    if (result.yesMicros === market.endYesMicros && result.noMicros === market.endNoMicros) return [];
    const left = `${formatShares(result.yesMicros)} YES and ${formatShares(result.noMicros)} NO`;
    const said = `${formatShares(market.endYesMicros)} YES and ${formatShares(market.endNoMicros)} NO`;
    const text = `Fills and conversions of “${market.title}” leave ${left}, the session says ${said}. Do not trust its figures.`;
    return [{ level: 'wrong', name: 'misplaced_shares', text }];
  });
  return atMost(LISTED_MARKETS, wrong, 'such market');
}

/** One sentence for each market would bury everything else. */
const LISTED_MARKETS = 5;

function atMost(limit: number, warnings: readonly Warning[], what: string): readonly Warning[] {
  const [first, more] = [warnings[0], warnings.length - limit];
  if (first === undefined || more <= 0) return warnings;
  return [...warnings.slice(0, limit), { ...first, text: `… and ${formatQuantity(more, `more ${what}`)}.` }];
}

function notPlayed({ coverage }: Figures, { halts }: SessionRecord): string | null {
  const missing = coverage.markets - coverage.marketsPlayed;
  if (missing === 0) return null;
  const first = halts.find(({ rung }) => rung !== 'widened');
  const reason = first === undefined ? '' : ` (${first.reason})`;
  const what = first?.rung === 'reducing' ? 'let the trader only reduce' : 'halted the trader';
  return `${count(missing)} of ${formatQuantity(coverage.markets, 'market')} were not played: a limit had ${what}${reason}. The result is of the others.`;
}

function warnHalted(_: Figures, { halts }: SessionRecord): string | null {
  const resumed = halts.filter(({ rung, resumedMs }) => rung === 'halted' && resumedMs !== null);
  const [first] = resumed;
  if (first === undefined) return null;
  return `Limits halted the trader ${formatQuantity(resumed.length, 'time')}, first at ${utcText(first.fromMs)} UTC (${first.reason}). It was resumed with the next event or day; live it stays halted until a person resumes it.`;
}

function heldBack(_: Figures, { halts }: SessionRecord): string | null {
  const held = halts.filter(({ rung }) => rung !== 'halted');
  const [first] = held;
  if (first === undefined) return null;
  const reducing = held.filter(({ rung }) => rung === 'reducing').length;
  const lifted = held.some(({ resumedMs }) => resumedMs !== null)
    ? ' It was lifted with the next event or day; live it stays until the loss shrinks or a person resumes it.'
    : '';
  return `A part of a loss limit held the trader back ${formatQuantity(held.length, 'time')}, ${count(reducing)} of them to orders that reduce, first at ${utcText(first.fromMs)} UTC (${first.reason}).${lifted}`;
}

function freeOfFees({ assumptions }: Figures): string | null {
  const { freeMarkets = 0 } = assumptions;
  if (freeMarkets === 0) return null;
  return `The recordings of ${formatQuantity(freeMarkets, 'market')} name no fee and none was given: every trade there is free. Name one with --fees (--fees none says that there is none).`;
}

function noOrders({ coverage, trading, refusals }: Figures): string | null {
  if (coverage.markets === 0 || trading.ordersPlaced > 0 || trading.fills > 0) return null;
  return `Not one order came to rest: a result of 0 here says nothing about the strategy. ${topRefusals(refusals)}`;
}

function noFills({ trading, refusals }: Figures): string | null {
  if (trading.ordersPlaced === 0 || trading.fills > 0) return null;
  return `None of ${formatQuantity(trading.ordersPlaced, 'order')} was filled: the result is 0 because nothing happened, not because gains and losses were equal. ${topRefusals(refusals)}`;
}

/** Refusals named where nothing was traded; all are in the report. */
const TOP_REFUSALS = 5;

function topRefusals(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return 'Nothing was refused.';
  const named = refusals.slice(0, TOP_REFUSALS).map(({ by, name, count: times }) => REFUSED_BY[by](name, times));
  const more =
    refusals.length > TOP_REFUSALS ? `; and ${formatQuantity(refusals.length - TOP_REFUSALS, 'more reason')}` : '';
  return `What stood in the way, most often: ${named.join('; ')}${more}.`;
}

/** A guard is looked at once a minute in each market. */
const REFUSED_BY: Readonly<Record<Refusal['by'], (name: string, times: number) => string>> = {
  risk: (name, times) => `risk limit ${name}, ${formatQuantity(times, 'time')}`,
  guard: (name, times) => `the strategy, “${name}”, at ${formatQuantity(times, 'look')}`,
  exchange: (name, times) => `the exchange, ${name}, ${formatQuantity(times, 'time')}`,
};

function heldAtCost({ equity, markets }: Figures): string | null {
  const held = markets.filter(({ valuedAt }) => valuedAt === 'cost').length;
  if (held === 0) return null;
  return `Shares in ${formatQuantity(held, 'market')} have no price and count at what they cost, ${formatMoney(equity.atCostMicros)}: their gain or loss is not in the result.`;
}

function heldWithoutOutcome({ markets }: Figures): string | null {
  const held = markets.filter(({ valuedAt }) => valuedAt === 'mark');
  if (held.length === 0) return null;
  const value = held.reduce((total, market) => total + market.endValueMicros, 0);
  return `Shares in ${formatQuantity(held.length, 'market')} without an outcome are valued at the last middle, ${formatMoney(value)}: an opinion, not money.`;
}

function warnUndivided({ result, markets }: Figures): string | null {
  const unknown = markets.filter(
    ({ fills, result: split }) => fills > 0 && (split.spreadMicros === null || split.undividedMicros !== 0),
  );
  if (unknown.length === 0) return null;
  return `The middle is not known for fills in ${formatQuantity(unknown.length, 'market')}: ${formatMoney(result.undividedMicros)} of the result cannot be divided into spread, drift and settlement.`;
}

function gaps({ coverage }: Figures): string | null {
  if (coverage.gaps === 0) return null;
  const missing =
    coverage.coveredShare === null ? '' : ` (${formatPercent(1 - coverage.coveredShare, 2)} of the recorded time)`;
  return `The recording has ${formatQuantity(coverage.gaps, 'gap')}, ${formatDuration(coverage.gapMs)} in all${missing}: what happened in them is not known.`;
}

function warnSkipped({ coverage }: Figures): string | null {
  if (coverage.skipped === 0) return null;
  return `${formatQuantity(coverage.skipped, 'line')} of the recording could not be used and ${coverage.skipped === 1 ? 'was' : 'were'} left out.`;
}

function warnUnsent({ requests }: Figures): string | null {
  if (requests === null || requests.unsent === 0) return null;
  return `${formatQuantity(requests.unsent, 'request')} never left, because the budget had no place before they were useless: quotes came late or not at all.`;
}

function warnThrottled({ requests }: Figures): string | null {
  const refused = (requests?.public.throttled ?? 0) + (requests?.signed.throttled ?? 0);
  return refused === 0
    ? null
    : `The exchange answered ${formatQuantity(refused, 'request')} with 429 (too many requests).`;
}

function neverNoticed({ trading }: Figures): string | null {
  if (trading.neverNoticed === 0) return null;
  return `The trader never came to know of ${formatQuantity(trading.neverNoticed, 'fill')}: they are in the result, but not in what it decided.`;
}

function fewEvents({ byEvent }: Figures): string | null {
  if (byEvent.events === 0 || byEvent.events >= FEW_EVENTS) return null;
  return `There ${byEvent.events === 1 ? 'is 1 independent event' : `are ${count(byEvent.events)} independent events`}: too few to tell skill from luck.`;
}

function withoutOutcome({ coverage }: Figures): string | null {
  if (coverage.marketsWithoutOutcome === 0) return null;
  return `${formatQuantity(coverage.marketsWithoutOutcome, 'market')} of ${count(coverage.markets)} ${coverage.marketsWithoutOutcome === 1 ? 'has' : 'have'} no known outcome.`;
}

function withoutRecording({ coverage, kind }: Figures): string | null {
  if (coverage.marketsWithoutRecording === 0) return null;
  const where = kind === 'live' ? 'there is no recording of' : 'the recording says nothing about its coverage of';
  return `How much of the time was seen is not known: ${where} ${formatQuantity(coverage.marketsWithoutRecording, 'market')}.`;
}

/** More of them would push everything else off the page; all are in the record. */
const NOTICES = 20;

function listNotices({ notices }: SessionRecord): readonly Warning[] {
  const warnings = notices.map(
    ({ severity, text }): Warning => ({ level: severity === 'loud' ? 'caution' : 'note', name: 'notice', text }),
  );
  const loudFirst = LEVELS.flatMap((level) => warnings.filter((warning) => warning.level === level));
  return atMost(NOTICES, loudFirst, 'notice');
}

/** A warning of a bracket, with the models that it is about; none when it is about all of them. */
export interface SharedWarning extends Warning {
  readonly models: readonly string[];
}

/** Each sentence once, most serious first. */
export function sharedWarnings(analyses: readonly Analysis[]): readonly SharedWarning[] {
  const told = new Map<string, { readonly warning: Warning; readonly models: Set<string> }>();
  for (const analysis of analyses)
    for (const warning of analysis.warnings) {
      // Several markets of one session may say the same.
      const entry = told.get(warning.text) ?? { warning, models: new Set<string>() };
      told.set(warning.text, entry);
      entry.models.add(nameModel(analysis));
    }
  const all = [...told.values()].map(({ warning, models }) => ({
    ...warning,
    models: models.size === new Set(analyses.map(nameModel)).size ? [] : [...models],
  }));
  // What several models say in other figures stands together.
  const names = [...new Set(all.map(({ name }) => name))];
  const grouped = names.flatMap((name) => all.filter((warning) => warning.name === name));
  return LEVELS.flatMap((level) => grouped.filter((warning) => warning.level === level));
}
