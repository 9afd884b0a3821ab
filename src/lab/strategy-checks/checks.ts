/** Rules for every strategy in every market, each as one check with one sentence. */

import { formatDecimal, ONE, ZERO } from '../../shared/base/micros.js';
import { quantile } from '../../shared/statistics/moments.js';
import type { MarketView } from '../../trader/market/view.js';
import { checkQuotes } from '../../trader/strategy/check.js';
import { MAX_STATE_BYTES, type QuoteLevel, type Quotes } from '../../trader/strategy/contract.js';
import { readParams } from '../../trader/strategy/read-params.js';
import {
  type CheckResult,
  type MarketQuotes,
  makeTrialQuoter,
  nameShown,
  type ShownMarkets,
  type ShownSubject,
  type TrialQuoter,
  type TriedStrategy,
} from './generated-market.js';

/** Taken away during a call, by path from the global object: with these, equal views would not give equal quotes. */
const TRAPPED = [
  'Date',
  'performance.now',
  'Math.random',
  'crypto.getRandomValues',
  'crypto.randomUUID',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
] as const;

/** Thrown inside of the strategy that reached for it. */
class TrappedCall extends Error {
  constructor(what: string) {
    super(`used ${what}; a strategy has the view's nowMs and nothing else that changes`);
  }
}

/** Makes a call during which everything above throws. Returns the first used name, also if the strategy caught it, or null. */
function callTrapped(call: () => void): string | null {
  let reached: string | null = null;
  const restore = TRAPPED.map((path) =>
    takeAway(path, () => {
      reached ??= path;
      throw new TrappedCall(path);
    }),
  );
  try {
    call();
  } catch (error) {
    if (!(error instanceof TrappedCall)) throw error;
  } finally {
    for (const putBack of restore) putBack();
  }
  return reached;
}

function takeAway(path: string, refuse: () => never): () => void {
  const [name = '', member] = path.split('.');
  const holder: unknown = member === undefined ? globalThis : Reflect.get(globalThis, name);
  const key = member ?? name;
  if (typeof holder !== 'object' || holder === null) return () => undefined;
  const own = Object.getOwnPropertyDescriptor(holder, key);
  const value: unknown = Reflect.get(holder, key);
  if (typeof value !== 'function') return () => undefined;
  // A proxy instead of a function: it covers both `Date.now` and `new Date`.
  const trapped = new Proxy(value, { apply: refuse, construct: refuse, get: refuse });
  Object.defineProperty(holder, key, { value: trapped, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(holder, key);
    else Object.defineProperty(holder, key, own);
  };
}

/** Maximum time of one call in a hundred, ms; with longer calls, steps with many markets fall behind their polls. */
const MOST_MS = 5;
/** Age of a book that no longer describes the market, ms. */
const OLD_MS = 600_000;
/** Fraction of observations in which a market and its mirror may differ: floats round ties one way. */
const MIRROR_TOLERANCE = 0.01;

/** Milliseconds of any clock, to time calls. */
export type Stopwatch = () => number;

/** Returns the number of observations, or why it cannot be applied; throws `Failed`. */
type Check = (tried: TriedStrategy, shown: ShownMarkets, stopwatch: Stopwatch) => string | Skipped;

/** Checks in order of interest. A throwing strategy fails the checks that call it. */
const CHECKS: Readonly<Record<string, Check>> = {
  'its parameters have defaults, units and help'({ strategy }) {
    const specs = Object.entries(strategy.params);
    for (const [name, { help }] of specs) if (help.trim().length < 3) throw new Failed(`${name}: help says nothing`);
    const { problems } = readParams(strategy, {});
    const [first] = problems;
    if (first !== undefined) throw new Failed(`its defaults are refused: ${JSON.stringify(first)}`);
    return `${specs.length} parameters`;
  },

  'it never throws'(tried, shown) {
    let quoted = 0;
    const looks = playAll(tried, shown, (quotes) => {
      if (Array.isArray(quotes?.bids) && quotes.bids.length + quotes.asks.length > 0) quoted += 1;
    });
    if (quoted === 0) throw new Failed(`it quoted at none of ${looks} looks, so nothing else is shown`);
    return `${looks} looks at ${shown.markets.length} markets, quotes at ${quoted}`;
  },

  'it reaches for no clock, timer, chance or network'(tried, { markets }) {
    for (const market of markets) {
      let quoter: TrialQuoter | null = null;
      const call = (what: string, run: () => void) => {
        const reached = callTrapped(run);
        if (reached !== null) throw new Failed(`${what}() used ${reached}, in ${nameShown(market)}`);
      };
      call('create', () => {
        quoter = makeTrialQuoter(tried, market);
      });
      for (const look of market.looks.keys()) call('observe() or quote', () => quoter?.look(look));
    }
    return 'none was used';
  },

  'it changes nothing that it is shown'(tried, { markets }) {
    for (const market of markets) {
      const before = JSON.stringify(market);
      collectAnswers(tried, market);
      if (JSON.stringify(market) !== before) throw new Failed(`it changed a view of ${nameShown(market)}`);
    }
    return 'every view is as it was';
  },

  'the same views give the same quotes'(tried, { markets }) {
    for (const market of markets) {
      const [first, second] = [collectQuotes(tried, market), collectQuotes(tried, market)];
      const differs = first.findIndex((quotes, index) => JSON.stringify(quotes) !== JSON.stringify(second[index]));
      if (differs >= 0) throw new Failed(`a second instance quotes otherwise, ${describePlace(market, differs)}`);
    }
    return 'two instances agree at every look';
  },

  /** Shows two markets alternately, and each market alone: instances must be independent. */
  'each market has its own instance'(tried, { markets }) {
    if (markets.length < 2) return { because: 'wants two of them' };
    for (let index = 1; index < markets.length; index += 2) {
      const pair = [markets[index - 1], markets[index]].filter((market) => market !== undefined);
      const alone = pair.map((market) => collectQuotes(tried, market));
      const quoters = pair.map((market) => makeTrialQuoter(tried, market));
      const longest = Math.max(...pair.map(({ looks }) => looks.length));
      for (let look = 0; look < longest; look++) {
        for (const [which, market] of pair.entries()) {
          const quoter = quoters[which];
          if (quoter === undefined || market.looks[look] === undefined) continue;
          if (JSON.stringify(listQuotes(quoter.look(look))) !== JSON.stringify(alone[which]?.[look]))
            throw new Failed(`data of another market moved its quotes, ${describePlace(market, look)}`);
        }
      }
    }
    return 'markets by turns and alone give the same';
  },

  /** Created again from its saved state, through JSON as in the ledger. */
  'restored from its saved state at any look it continues unchanged'(tried, { markets }) {
    if (tried.strategy.state === undefined) return { because: 'it declares no state, and starts empty each time' };
    const sizes: number[] = [];
    for (const market of markets) {
      const unbroken = collectQuotes(tried, market);
      let quoter = makeTrialQuoter(tried, market);
      for (const look of market.looks.keys()) {
        if (look % RESTART_EVERY === RESTART_EVERY - 1) {
          const text = JSON.stringify(quoter.save()) ?? '';
          const bytes = Buffer.byteLength(text);
          if (bytes === 0 || bytes > MAX_STATE_BYTES)
            throw new Failed(`save() gave ${bytes} bytes, at most ${MAX_STATE_BYTES}, ${describePlace(market, look)}`);
          sizes.push(bytes);
          quoter = makeTrialQuoter(tried, market, JSON.parse(text));
        }
        if (JSON.stringify(listQuotes(quoter.look(look))) !== JSON.stringify(unbroken[look]))
          throw new Failed(`after a restart it quotes otherwise, ${describePlace(market, look)}`);
      }
    }
    return `${sizes.length} restarts, at most ${Math.max(0, ...sizes)} bytes saved`;
  },

  'its quotes are on the grid and within the limits of orders'(tried, shown) {
    const looks = playAll(tried, shown, (quotes, view, place) => {
      const wrong = checkQuotes(quotes, view);
      if (wrong !== null) throw new Failed(`${wrong}, ${place}`);
    });
    return `${looks} looks`;
  },

  'its quotes say why, in words and figures'(tried, shown) {
    let figures = 0;
    playAll(tried, shown, ({ note, factors, bids, asks }, _, place) => {
      if (typeof note !== 'string' || note.trim() === '') throw new Failed(`the note is empty, ${place}`);
      if (bids.length + asks.length > 0) figures = Math.max(figures, Object.keys(factors).length);
    });
    if (figures === 0) throw new Failed('factors are empty wherever it quotes');
    return `up to ${figures} figures beside each note`;
  },

  'it never crosses the orders of others'(tried, shown) {
    if (tried.strategy.takes === true) return { because: 'it declares that it takes, to get out of a position' };
    const looks = playAll(tried, shown, ({ bids, asks }, { others }, place) => {
      const [bid, ask] = [others.bids[0]?.priceMicros ?? ZERO, others.asks[0]?.priceMicros ?? ONE];
      const meets = bids.find(({ priceMicros }) => priceMicros >= ask) ?? asks.find((it) => it.priceMicros <= bid);
      if (meets === undefined) return;
      const book = `${formatDecimal(bid)} to ${formatDecimal(ask)}`;
      throw new Failed(`${formatDecimal(meets.priceMicros)} would trade in a book of ${book}, ${place}`);
    });
    return `${looks} looks`;
  },

  'possible fills on one side stay within the position limit'(tried, shown) {
    const looks = playAll(tried, shown, ({ bids, asks }, { inventory }, place) => {
      const { netMicros, maxPositionMicros: most } = inventory;
      const worst = Math.max(
        bids.length > 0 ? netMicros + sumAmounts(bids) : 0,
        asks.length > 0 ? sumAmounts(asks) - netMicros : 0,
      );
      if (worst > most) throw new Failed(`${worst / ONE} shares where ${most / ONE} are the limit, ${place}`);
    });
    return `${looks} looks`;
  },

  'in mode reduce only it never adds'(tried, shown) {
    let asked = 0;
    playAll(tried, shown, ({ bids, asks }, { inventory: { netMicros }, stance }, place) => {
      if (stance !== 'reduce-only') return;
      asked += 1;
      if (sumAmounts(bids) > Math.max(0, -netMicros))
        throw new Failed(`it bids for more than it is short of, ${place}`);
      if (sumAmounts(asks) > Math.max(0, netMicros)) throw new Failed(`it offers more than it holds, ${place}`);
    });
    return `${asked} looks`;
  },

  /** Checks times when only a full position prevents quotes; long and short positions separately. */
  'at the limit it still quotes the side that reduces'(tried, shown) {
    const at = { long: { looks: 0, alive: 0 }, short: { looks: 0, alive: 0 } };
    playAll(tried, shown, (quotes, view) => {
      const { netMicros, maxPositionMicros } = view.inventory;
      if (Math.abs(netMicros) < maxPositionMicros || !isSound(view) || view.stance !== 'normal') return;
      const counted = netMicros > 0 ? at.long : at.short;
      counted.looks += 1;
      if ((netMicros > 0 ? quotes.asks : quotes.bids).length > 0) counted.alive += 1;
    });
    const looks = at.long.looks + at.short.looks;
    if (looks === 0) return { because: 'no look was at the limit' };
    for (const [which, counted] of Object.entries(at)) {
      if (counted.looks > 0 && counted.alive === 0)
        throw new Failed(`at none of ${counted.looks} looks with a full ${which} position did it offer to reduce`);
    }
    return `at ${at.long.alive + at.short.alive} of ${looks} looks at the limit`;
  },

  'it is silent on books that are old, crossed or stuck'(tried, shown) {
    let unsound = 0;
    playAll(tried, shown, ({ bids, asks }, view, place) => {
      const { bookAgeMs, crossed, frozen } = view.health;
      const why = bookAgeMs > OLD_MS ? `a book ${bookAgeMs / 1000} s old` : crossed ? 'a crossed book' : 'a stuck book';
      if (bookAgeMs <= OLD_MS && !crossed && !frozen) return;
      unsound += 1;
      if (bids.length + asks.length > 0) throw new Failed(`it quotes on ${why}, ${place}`);
    });
    return unsound === 0 ? { because: 'no such book was shown' } : `${unsound} such looks`;
  },

  'with YES and NO exchanged it quotes the mirror'(tried, { markets, mirrored }) {
    if (mirrored === null) return { because: 'its view has no mirror' };
    const seen = { looks: 0, differ: 0, first: '' };
    for (const [index, market] of markets.entries()) {
      const other = mirrored[index];
      // Fees on the traded value differ between a market and its mirror, and so do quotes.
      if (other === undefined || !isFree(market)) continue;
      const [plain, turned] = [collectAnswers(tried, market), collectAnswers(tried, other)];
      for (const [look, answers] of plain.entries()) {
        const twins = turned[look] ?? [];
        seen.looks += 1;
        if (answers.every((answer, of) => isMirror(answer, twins[of]))) continue;
        seen.differ += 1;
        if (seen.first === '') seen.first = describePlace(market, look);
      }
    }
    if (seen.looks === 0) return { because: 'wants a market without fees' };
    if (seen.differ > seen.looks * MIRROR_TOLERANCE)
      throw new Failed(`${seen.differ} of ${seen.looks} looks differ, the first ${seen.first}`);
    return `${seen.looks - seen.differ} of ${seen.looks} looks`;
  },

  [`99 of 100 calls take less than ${MOST_MS} ms`](tried, { markets }, stopwatch) {
    const times: number[] = [];
    for (const market of markets) {
      const quoter = makeTrialQuoter(tried, market);
      for (const look of market.looks.keys()) {
        const from = stopwatch();
        quoter.look(look);
        times.push(stopwatch() - from);
      }
    }
    const p99 = quantile(times, 0.99) ?? 0;
    if (p99 > MOST_MS) throw new Failed(`p99 is ${p99.toFixed(2)} ms`);
    return `p99 ${p99.toFixed(3)} ms, longest ${Math.max(...times).toFixed(2)} ms`;
  },
};

/** Runs every check of the table and returns the results. */
export const checkStrategy = (
  tried: TriedStrategy,
  shown: ShownMarkets,
  stopwatch: Stopwatch,
): readonly CheckResult[] =>
  Object.entries(CHECKS).map(([name, check]) => judge(name, () => check(tried, shown, stopwatch)));

/** Thrown by a check that the strategy fails. */
class Failed extends Error {}

/** Returned by a check that cannot be applied. */
interface Skipped {
  readonly because: string;
}

function judge(name: string, check: () => string | Skipped): CheckResult {
  try {
    const said = check();
    return typeof said === 'string'
      ? { name, verdict: 'ok', text: said }
      : { name, verdict: 'not asked', text: said.because };
  } catch (error) {
    const text = error instanceof Failed ? error.message : `threw ${String(error)}`;
    return { name, verdict: 'failed', text };
  }
}

/** Observations between two restarts: unlike any period of the generated markets. */
const RESTART_EVERY = 7;

const sumAmounts = (levels: readonly QuoteLevel[]): number =>
  levels.reduce((sum, { amountMicros }) => sum + amountMicros, 0);

const isSound = ({ health, others }: MarketView): boolean =>
  health.bookAgeMs < 60_000 &&
  !health.crossed &&
  !health.locked &&
  !health.frozen &&
  others.bids.length > 0 &&
  others.asks.length > 0;

const isFree = (shown: ShownSubject): boolean =>
  'event' in shown ? shown.isFree : shown.facts.makerFeeRateMicros === 0;

/** Compares prices to a tick and sizes to a hundredth: floats are not symmetrical. */
function isMirror({ quotes, view }: MarketQuotes, turned: MarketQuotes | undefined): boolean {
  if (turned === undefined) return true;
  const twin = turned.quotes;
  const { tickMicros } = view.market;
  const fits = (levels: readonly QuoteLevel[], others: readonly QuoteLevel[]) =>
    levels.length === others.length &&
    levels.every(({ priceMicros, amountMicros }, index) => {
      const other = others[index];
      if (other === undefined || Math.abs(ONE - other.priceMicros - priceMicros) > tickMicros) return false;
      return Math.abs(other.amountMicros - amountMicros) <= amountMicros / 100;
    });
  return fits(quotes.bids, twin.asks) && fits(quotes.asks, twin.bids);
}

const describePlace = (shown: ShownSubject, look: number): string => `at look ${look + 1} of ${nameShown(shown)}`;

const listQuotes = (answers: readonly MarketQuotes[]): readonly Quotes[] => answers.map(({ quotes }) => quotes);

/** Collects the answers, look by look. */
function collectAnswers(tried: TriedStrategy, market: ShownSubject): readonly (readonly MarketQuotes[])[] {
  const quoter = makeTrialQuoter(tried, market);
  return Array.from(market.looks.keys(), (look) => quoter.look(look));
}

const collectQuotes = (tried: TriedStrategy, market: ShownSubject): readonly (readonly Quotes[])[] =>
  collectAnswers(tried, market).map(listQuotes);

/** Returns the number of observations. */
function playAll(
  tried: TriedStrategy,
  { markets }: ShownMarkets,
  look: (quotes: Quotes, view: MarketView, place: string) => void,
): number {
  for (const market of markets) {
    const quoter = makeTrialQuoter(tried, market);
    for (const index of market.looks.keys())
      for (const { quotes, view } of quoter.look(index)) look(quotes, view, describePlace(market, index));
  }
  return markets.reduce((sum, { looks }) => sum + looks.length, 0);
}
