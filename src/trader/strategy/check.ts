/** Checks a strategy's quotes for invalid values, before the risk checks. */

import { isMultiple, type Micros, ONE } from '../../shared/base/micros.js';
import type { BookSide, MarketFacts, MarketView, WholeEventView } from '../market/view.js';
import { MAX_LEVELS, type QuoteLevel, type Quotes } from './contract.js';

/** Returns null for valid quotes, else the first error as text. JavaScript strategies may return any type. */
export function checkQuotes(quotes: Quotes, view: MarketView): string | null {
  if (typeof quotes !== 'object' || quotes === null) return `quotes must be an object, got ${show(quotes)}`;
  if (!Array.isArray(quotes.bids) || !Array.isArray(quotes.asks)) return 'bids and asks must be arrays';
  const wrongOption = checkOptional(quotes);
  if (wrongOption !== null) return wrongOption;
  if (typeof quotes.note !== 'string') return `note must be text, got ${show(quotes.note)}`;
  const { fairMicros, bids, asks, keepWithinTicks, keepWithinSizeFraction, factors } = quotes;
  if (fairMicros === null) {
    if (bids.length + asks.length > 0) return 'fairMicros must not be null when bids or asks have levels';
  } else if (!Number.isSafeInteger(fairMicros)) {
    return `fairMicros must be an integer of millionths, got ${show(fairMicros)}`;
  } else if (fairMicros <= 0 || fairMicros >= ONE) return `fairMicros must lie in (0, 1000000), got ${fairMicros}`;
  if (!Number.isInteger(keepWithinTicks) || keepWithinTicks < 0)
    return `keepWithinTicks must be a whole number of ticks, 0 or more, got ${show(keepWithinTicks)}`;
  if (!Number.isFinite(keepWithinSizeFraction) || keepWithinSizeFraction < 0 || keepWithinSizeFraction > 1)
    return `keepWithinSizeFraction must lie in [0, 1], got ${show(keepWithinSizeFraction)}`;
  if (typeof factors !== 'object' || factors === null) return `factors must be an object, got ${show(factors)}`;
  for (const name of Object.keys(factors))
    if (!Number.isFinite(factors[name])) return `factor ${name} must be a finite number, got ${show(factors[name])}`;
  const wrong = checkLadder(bids, 'bid', view.market) ?? checkLadder(asks, 'ask', view.market);
  if (wrong !== null) return wrong;
  const [bid, ask] = [bids[0]?.priceMicros, asks[0]?.priceMicros];
  if (bid === undefined || ask === undefined || bid < ask) return null;
  return `own quotes cross: best bid ${bid} is not below best ask ${ask}`;
}

/** Checks the quotes of a whole event, one entry per market of the view. Returns the first error as text, or null. */
export function checkEventQuotes(quotes: Readonly<Record<string, Quotes>>, { markets }: WholeEventView): string | null {
  if (typeof quotes !== 'object' || quotes === null || Array.isArray(quotes))
    return `quotes must be an object that holds quotes by condition id, got ${show(quotes)}`;
  const shown = new Set(markets.map(({ view }) => view.market.conditionId));
  const foreign = Object.keys(quotes).find((id) => !shown.has(id));
  if (foreign !== undefined)
    return `the strategy returned quotes for ${foreign}, which is not one of the markets in the view: ${[...shown].join(', ')}`;
  for (const { view } of markets) {
    const { conditionId } = view.market;
    if (!Object.hasOwn(quotes, conditionId))
      return `no quotes for ${conditionId}: every market in the view needs quotes`;
    // The check with `hasOwn` above ensures that the entry exists.
    const wrong = checkQuotes(quotes[conditionId] as Quotes, view);
    if (wrong !== null) return `${conditionId}: ${wrong}`;
  }
  return null;
}

/** Checks the fields that a strategy may leave out. */
function checkOptional({ againMs, postOnly, exact, sets, edge }: Quotes): string | null {
  if (againMs !== undefined && !Number.isFinite(againMs)) return `againMs must be a time in ms, got ${show(againMs)}`;
  if (!isFlag(postOnly)) return `postOnly must be true or false, got ${show(postOnly)}`;
  if (!isFlag(exact)) return `exact must be true or false, got ${show(exact)}`;
  if (sets !== undefined) {
    if (typeof sets !== 'object' || sets === null) return `sets must be an object, got ${show(sets)}`;
    const { coreSharesMicros, merge } = sets;
    if (!Number.isSafeInteger(coreSharesMicros) || coreSharesMicros < 0)
      return `sets.coreSharesMicros must be a whole number of millionths, 0 or more, got ${show(coreSharesMicros)}`;
    if (merge !== 'auto' && merge !== 'never') return `sets.merge must be 'auto' or 'never', got ${show(merge)}`;
  }
  if (edge === undefined) return null;
  if (typeof edge !== 'object' || edge === null) return `edge must be an object, got ${show(edge)}`;
  for (const side of ['bid', 'ask'] as const)
    if (!Number.isFinite(edge[side]) || Math.abs(edge[side]) > 1)
      return `edge.${side} must lie in [-1, 1], in currency per share, got ${show(edge[side])}`;
  return null;
}

function checkLadder(levels: readonly QuoteLevel[], side: BookSide, market: MarketFacts): string | null {
  if (levels.length > MAX_LEVELS) return `at most ${MAX_LEVELS} levels per side, but got ${levels.length} ${side}s`;
  const { tickMicros, minPriceMicros, maxPriceMicros, lotMicros, minAmountMicros, maxAmountMicros } = market;
  for (const [index, level] of levels.entries()) {
    const name = `${side} ${index + 1}`;
    if (typeof level !== 'object' || level === null) return `${name}: the level must be an object, got ${show(level)}`;
    const { priceMicros, amountMicros, isProbe } = level;
    if (!isFlag(isProbe)) return `${name}: isProbe must be true or false, got ${show(isProbe)}`;
    const wrong =
      checkGrid('priceMicros', priceMicros, tickMicros, minPriceMicros, maxPriceMicros) ??
      // The quote may become an order of NO shares, so 1 - price must also be valid.
      checkGrid('1 - priceMicros', ONE - priceMicros, tickMicros, minPriceMicros, maxPriceMicros) ??
      checkGrid('amountMicros', amountMicros, lotMicros, minAmountMicros, maxAmountMicros);
    if (wrong !== null) return `${name}: ${wrong}`;
    const better = levels[index - 1];
    if (better === undefined) continue;
    if (side === 'bid' ? better.priceMicros <= priceMicros : better.priceMicros >= priceMicros)
      return `${name}: price ${priceMicros} must be ${side === 'bid' ? 'below' : 'above'} the previous level`;
  }
  return null;
}

function checkGrid(name: string, value: number, step: Micros, min: Micros, max: Micros): string | null {
  if (!Number.isSafeInteger(value)) return `${name} must be an integer of millionths, got ${show(value)}`;
  // The cast is right, because the check above ensures a safe integer.
  if (!isMultiple(value as Micros, step)) return `${name} ${value} is not a multiple of ${step}`;
  return value >= min && value <= max && value > 0 ? null : `${name} ${value} is outside [${min}, ${max}]`;
}

const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean';

const show = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));
