/** Quotes of a strategy for hand-written books. */

import { TwinbookError } from '../../shared/base/errors.js';
import { ONE } from '../../shared/base/micros.js';
import type { Scenario, ScenarioFile, WrittenLevels, WrittenQuotes } from '../../shell/config/scenario-file.js';
import type { QuoteLevel } from '../../trader/strategy/contract.js';
import {
  askedBy,
  type Beside,
  type CheckResult,
  type Look,
  type MarketQuotes,
  makeTrialQuoter,
  type RowOfBook,
  type ShownSubject,
  type TriedStrategy,
} from './generated-market.js';
import { showEvent, showMarket } from './shown-markets.js';

/**
 * The strategy's quotes in each scenario, in order: for its market, then for others of its event. Each scenario has its
 * own instance. Throws `usage` when a strategy of single markets is given others.
 */
export function quoteScenarios(tried: TriedStrategy, file: ScenarioFile): readonly (readonly WrittenQuotes[])[] {
  return file.scenarios.map((scenario) => {
    const shown = showScenario(tried, file, scenario);
    const quoter = makeTrialQuoter(tried, shown);
    let answers: readonly MarketQuotes[] = [];
    for (const look of shown.looks.keys()) answers = quoter.ask(look);
    return answers.map(({ quotes: { bids, asks } }) => ({ bids: write(bids), asks: write(asks) }));
  });
}

function showScenario(tried: TriedStrategy, { tick, outcomes }: ScenarioFile, scenario: Scenario): ShownSubject {
  const { strategy } = tried;
  const ticks = Math.round(1 / tick);
  const endMs = (scenario.seconds_left + scenario.book_age_s) * 1000;
  const { name, others } = scenario;
  if (strategy.scope !== 'event') {
    if (others.length === 0)
      return showMarket(name, { ticks, isFree: true }, makeLooks(scenario, scenario, ticks), endMs, askedBy(tried));
    const text = `scenario "${name}" has other markets of its event, and ${strategy.name} quotes each market alone`;
    throw new TwinbookError('usage', text, 'Remove `others`, or try a strategy whose scope is event.');
  }
  if (scenario.feed !== undefined) {
    const text = `scenario "${name}" has a feed, and ${strategy.name} quotes whole events, which are shown without`;
    throw new TwinbookError('usage', text, 'Remove `feed`, or try a strategy whose scope is market.');
  }
  const [first = [], ...more] = [scenario, ...others].map((market) => makeLooks(scenario, market, ticks));
  const looks = first.map((look, index) => [look, ...more.flatMap((other) => other[index] ?? [])]);
  return showEvent(name, outcomes ?? null, { ticks, isFree: true }, looks, endMs);
}

/** Whether the quotes of each scenario are the wanted ones. */
export function judgeScenarios(
  file: ScenarioFile,
  said: readonly (readonly WrittenQuotes[])[],
): readonly CheckResult[] {
  return file.scenarios.map((scenario, index) => {
    const { name } = scenario;
    const quotes = said[index] ?? [];
    const markets = [scenario, ...scenario.others];
    const shown = showAll(quotes);
    if (markets.every((market) => market.quotes === undefined))
      return { name, verdict: 'not asked', text: `no quotes are written down; it says ${shown}` };
    // A market without written quotes accepts any.
    const wanted = showAll(markets.map((market, at) => market.quotes ?? quotes[at] ?? NOTHING));
    const isSame = wanted === shown;
    return { name, verdict: isSame ? 'ok' : 'failed', text: isSame ? shown : `${shown}, wanted ${wanted}` };
  });
}

const NOTHING: WrittenQuotes = { bids: [], asks: [] };

/** A book of a scenario, of the market itself or of another in its event. */
type WrittenMarket = Pick<Scenario, 'bids' | 'asks' | 'holds'>;

function makeLooks(
  { stance, book_age_s: ageS, feed }: Scenario,
  { bids, asks, holds }: WrittenMarket,
  ticks: number,
): readonly Look[] {
  const rows = (levels: WrittenLevels) =>
    levels.map(([price, shares]): RowOfBook => [Math.round(price * ticks), shares]);
  const first: Look = {
    afterMs: 0,
    book: { bids: rows(bids), asks: rows(asks) },
    trade: null,
    fill: null,
    netShares: holds,
    stance,
    ...(feed === undefined ? {} : { beside: { told: tell(feed), other: null } }),
  };
  return ageS === 0 ? [first] : [first, { ...first, afterMs: ageS * 1000, book: null }];
}

/** As in generated markets: a price, or a range around it. */
function tell(feed: NonNullable<Scenario['feed']>): Beside['told'] {
  const said = { sd: feed.sd, ageMs: feed.age_s * 1000 };
  if ('p' in feed) return { p: feed.p, half: null, ...said };
  return { p: (feed.bid + feed.ask) / 2, half: (feed.ask - feed.bid) / 2, ...said };
}

const write = (levels: readonly QuoteLevel[]): WrittenLevels =>
  levels.map(({ priceMicros, amountMicros }) => [priceMicros / ONE, amountMicros / ONE]);

const showAll = (quotes: readonly WrittenQuotes[]): string => quotes.map(show).join('; ');

const show = ({ bids, asks }: WrittenQuotes): string => `bids ${showSide(bids)}, asks ${showSide(asks)}`;

const showSide = (levels: WrittenLevels): string =>
  levels.length === 0 ? 'none' : levels.map(([price, shares]) => `${shares} at ${price}`).join(' and ');
