/** A strategy's quotes for books that a person wrote down. */

import { ONE } from '../../shared/base/micros.js';
import type { Scenario, ScenarioFile, WrittenLevels } from '../../shell/config/scenario-file.js';
import type { QuoteLevel } from '../../trader/strategy/contract.js';
import type { CheckResult, TriedStrategy } from './contract.js';
import { type Look, type RowOfBook, showMarket } from './shown-markets.js';

/** Quotes as a scenario writes them. */
export type WrittenQuotes = NonNullable<Scenario['quotes']>;

/** What the strategy says in each scenario, in their order; each is seen by an instance of its own. */
export function quoteScenarios({ strategy, params }: TriedStrategy, file: ScenarioFile): readonly WrittenQuotes[] {
  const ticks = Math.round(1 / file.tick);
  return file.scenarios.map((scenario) => {
    const { facts, looks } = showMarket(
      scenario.name,
      { ticks, isFree: true },
      makeLooks(scenario, ticks),
      computeEndMs(scenario),
    );
    const quoter = strategy.create(params, facts);
    let quotes: WrittenQuotes = { bids: [], asks: [] };
    for (const { view } of looks) {
      const { bids, asks } = quoter.quote(view);
      quotes = { bids: write(bids), asks: write(asks) };
    }
    return quotes;
  });
}

/** Says of each scenario whether the quotes are those that it wants. */
export function judgeScenarios(file: ScenarioFile, said: readonly WrittenQuotes[]): readonly CheckResult[] {
  return file.scenarios.map(({ name, quotes: wanted }, index) => {
    const quotes = said[index] ?? { bids: [], asks: [] };
    if (wanted === undefined)
      return { name, verdict: 'not asked', text: `no quotes are written down; it says ${show(quotes)}` };
    const isSame = show(wanted) === show(quotes);
    return {
      name,
      verdict: isSame ? 'ok' : 'failed',
      text: isSame ? show(quotes) : `${show(quotes)}, wanted ${show(wanted)}`,
    };
  });
}

function makeLooks({ bids, asks, holds, stance, book_age_s: ageS }: Scenario, ticks: number): readonly Look[] {
  const rows = (levels: WrittenLevels) =>
    levels.map(([price, shares]): RowOfBook => [Math.round(price * ticks), shares]);
  const first: Look = {
    afterMs: 0,
    book: { bids: rows(bids), asks: rows(asks) },
    trade: null,
    fill: null,
    netShares: holds,
    stance,
  };
  return ageS === 0 ? [first] : [first, { ...first, afterMs: ageS * 1000, book: null }];
}

const computeEndMs = ({ seconds_left: leftS, book_age_s: ageS }: Scenario): number => (leftS + ageS) * 1000;

const write = (levels: readonly QuoteLevel[]): WrittenLevels =>
  levels.map(({ priceMicros, amountMicros }) => [priceMicros / ONE, amountMicros / ONE]);

const show = ({ bids, asks }: WrittenQuotes): string => `bids ${showSide(bids)}, asks ${showSide(asks)}`;

const showSide = (levels: WrittenLevels): string =>
  levels.length === 0 ? 'none' : levels.map(([price, shares]) => `${shares} at ${price}`).join(' and ');
