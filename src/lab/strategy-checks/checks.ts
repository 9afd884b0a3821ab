import { must } from '../../shared/base/errors.js';
import { formatDecimal, ONE, ZERO } from '../../shared/base/micros.js';
import { quantile } from '../../shared/statistics/moments.js';
import type { MarketView } from '../../trader/market/view.js';
import { checkEventQuotes, checkQuotes } from '../../trader/strategy/check.js';
import {
  type EventKind,
  type EventQuoter,
  MAX_STATE_BYTES,
  type QuoteLevel,
  type Quoter,
  type Quotes,
} from '../../trader/strategy/contract.js';
import { readParams } from '../../trader/strategy/read-params.js';
import type { ShownMarkets, ShownSubject, TriedStrategy } from './shown-markets.js';

type MarketQuotes = Readonly<{ quotes: Quotes; view: MarketView }>;

/** `look` throws the strategy's errors. It throws TypeError for missing quotes and for quotes of an unknown market. */
function makeTrialQuoter({ strategy, params }: TriedStrategy, shown: ShownSubject, saved?: unknown) {
  if (strategy.scope === 'event') {
    if (!('event' in shown)) throw new TypeError(`${strategy.name} quotes events, but was called for a market`);
    const quoter: EventQuoter<EventKind> = strategy.create(params, shown.event, saved);
    return {
      look(at: number): readonly MarketQuotes[] {
        const { view, events } = must(shown.looks[at], 'a look');
        for (const { event, conditionId } of events) quoter.observe?.(event, conditionId);
        const said = quoter.quote(view);
        const wrong = checkEventQuotes(said, view);
        if (wrong !== null) throw new TypeError(wrong);
        return view.markets.map(({ view: of }) => ({ quotes: said[of.market.conditionId] as Quotes, view: of }));
      },
      save: () => quoter.save?.(),
    };
  }
  if ('event' in shown) throw new TypeError(`${strategy.name} quotes markets, but was called for an event`);
  const quoter: Quoter<EventKind> = strategy.create(params, shown.facts, saved);
  return {
    look(at: number): readonly MarketQuotes[] {
      const { view, events } = must(shown.looks[at], 'a look');
      for (const event of events) quoter.observe?.(event);
      return [{ quotes: quoter.quote(view), view }];
    },
    save: () => quoter.save?.(),
  };
}

const nameShown = (shown: ShownSubject) => ('event' in shown ? shown.event.eventConditionId : shown.facts.conditionId);

/** Globals that throw during a strategy's call, because quotes that depend on a global are not reproducible. */
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

class TrappedCall extends Error {}

/** Runs `call` while the globals in `TRAPPED` throw. Returns the first global that `call` used, or null. */
function callTrapped(call: () => void): string | null {
  let reached: string | null = null;
  const restore = TRAPPED.map((path) =>
    takeAway(path, () => {
      reached ??= path;
      throw new TrappedCall(`the strategy used ${path}; the only clock of a strategy is the view's nowMs`);
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
  const trapped = new Proxy(value, { apply: refuse, construct: refuse, get: refuse });
  Object.defineProperty(holder, key, { value: trapped, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(holder, key);
    else Object.defineProperty(holder, key, own);
  };
}

/** Maximum 99th percentile of a call's duration, ms. Longer calls delay the polls of a trader with many markets. */
const MOST_MS = 5;
/** Maximum age of a book on which a strategy may quote, ms. */
const OLD_MS = 600_000;
/** Maximum fraction of views whose quotes may differ after a swap of YES and NO: rounding is not symmetrical. */
const MIRROR_TOLERANCE = 0.01;

/** Returns the result of a passed check, such as `40 views`, or `Skipped`. Throws `Failed`. `stopwatch` returns ms. */
type StrategyCheck = (tried: TriedStrategy, shown: ShownMarkets, stopwatch: () => number) => string | Skipped;

/** All checks of a strategy, in report order. A check that calls the strategy fails if the strategy throws. */
const CHECKS: Readonly<Record<string, StrategyCheck>> = {
  'parameters have defaults, units and help texts'({ strategy }) {
    const specs = Object.entries(strategy.params);
    for (const [name, { help }] of specs) if (help.trim().length < 3) throw new Failed(`${name} has no help text`);
    const [first] = readParams(strategy, {}).problems;
    if (first !== undefined) throw new Failed(`the default parameters are invalid: ${JSON.stringify(first)}`);
    return `${specs.length} parameters`;
  },

  'the strategy never throws'(tried, shown) {
    let quoted = 0;
    const looks = playAll(tried, shown, (quotes) => {
      if (Array.isArray(quotes?.bids) && quotes.bids.length + quotes.asks.length > 0) quoted += 1;
    });
    if (quoted === 0) throw new Failed(`no quotes in any of ${looks} views, so the other checks show nothing`);
    return `${looks} views of ${shown.markets.length} markets, with quotes in ${quoted}`;
  },

  'the strategy uses no clock, timer, randomness or network'(tried, { markets }) {
    for (const market of markets) {
      let quoter: ReturnType<typeof makeTrialQuoter> | null = null;
      const call = (what: string, run: () => void) => {
        const reached = callTrapped(run);
        if (reached !== null) throw new Failed(`${what}() used ${reached}, in ${nameShown(market)}`);
      };
      call('create', () => {
        quoter = makeTrialQuoter(tried, market);
      });
      for (const look of market.looks.keys()) call('observe() or quote', () => quoter?.look(look));
    }
    return 'no clock, timer, randomness or network was used';
  },

  'the strategy does not change its views'(tried, { markets }) {
    for (const market of markets) {
      const before = JSON.stringify(market);
      collectAnswers(tried, market);
      if (JSON.stringify(market) !== before) throw new Failed(`the strategy changed a view of ${nameShown(market)}`);
    }
    return 'every view is unchanged';
  },

  'the same views give the same quotes'(tried, { markets }) {
    for (const market of markets) {
      const [first, second] = [collectQuotes(tried, market), collectQuotes(tried, market)];
      const differs = first.findIndex((quotes, index) => !isSame(quotes, second[index]));
      if (differs >= 0) throw new Failed(`a second instance gave different quotes, ${describePlace(market, differs)}`);
    }
    return 'two instances gave the same quotes in every view';
  },

  'quotes of a market do not depend on other markets'(tried, { markets }) {
    if (markets.length < 2) return { because: 'the check needs two markets' };
    for (let index = 1; index < markets.length; index += 2) {
      const pair = [markets[index - 1], markets[index]].filter((market) => market !== undefined);
      const alone = pair.map((market) => collectQuotes(tried, market));
      const quoters = pair.map((market) => makeTrialQuoter(tried, market));
      const longest = Math.max(...pair.map(({ looks }) => looks.length));
      for (let look = 0; look < longest; look++) {
        for (const [which, market] of pair.entries()) {
          const quoter = quoters[which];
          if (quoter === undefined || market.looks[look] === undefined) continue;
          if (!isSame(listQuotes(quoter.look(look)), alone[which]?.[look]))
            throw new Failed(`data of another market changed the market's quotes, ${describePlace(market, look)}`);
        }
      }
    }
    return 'a second market does not change the quotes of the first market';
  },

  'a quoter restored from saved state continues unchanged'(tried, { markets }) {
    if (tried.strategy.state === undefined) return { because: 'the strategy declares no state' };
    const sizes: number[] = [];
    for (const market of markets) {
      const unbroken = collectQuotes(tried, market);
      let quoter = makeTrialQuoter(tried, market);
      for (const look of market.looks.keys()) {
        if (look % RESTART_EVERY === RESTART_EVERY - 1) {
          const text = JSON.stringify(quoter.save()) ?? '';
          const bytes = Buffer.byteLength(text);
          const place = describePlace(market, look);
          if (bytes === 0 || bytes > MAX_STATE_BYTES)
            throw new Failed(`save() returned ${bytes} bytes, the maximum is ${MAX_STATE_BYTES}, ${place}`);
          sizes.push(bytes);
          quoter = makeTrialQuoter(tried, market, JSON.parse(text));
        }
        if (!isSame(listQuotes(quoter.look(look)), unbroken[look]))
          throw new Failed(`the quotes differ after a restart, ${describePlace(market, look)}`);
      }
    }
    return `${sizes.length} restarts, at most ${Math.max(0, ...sizes)} bytes saved`;
  },

  "quotes are on the market's grid and within its limits"(tried, shown) {
    const looks = playAll(tried, shown, (quotes, view, place) => {
      const wrong = checkQuotes(quotes, view);
      if (wrong !== null) throw new Failed(`${wrong}, ${place}`);
    });
    return `${looks} views`;
  },

  'quotes have a note and factors that explain them'(tried, shown) {
    let figures = 0;
    playAll(tried, shown, ({ note, factors, bids, asks }, _, place) => {
      if (typeof note !== 'string' || note.trim() === '') throw new Failed(`the note is empty, ${place}`);
      if (bids.length + asks.length > 0) figures = Math.max(figures, Object.keys(factors).length);
    });
    if (figures === 0) throw new Failed('factors are empty in every view with quotes');
    return `quotes have a note and up to ${figures} factors`;
  },

  "quotes never cross others' orders"(tried, shown) {
    if (tried.strategy.takes === true)
      return { because: "the strategy declares that it takes others' orders to close a position" };
    const looks = playAll(tried, shown, ({ bids, asks }, { others }, place) => {
      const [bid, ask] = [others.bids[0]?.priceMicros ?? ZERO, others.asks[0]?.priceMicros ?? ONE];
      const meets = bids.find(({ priceMicros }) => priceMicros >= ask) ?? asks.find((it) => it.priceMicros <= bid);
      if (meets === undefined) return;
      const book = `${formatDecimal(bid)} to ${formatDecimal(ask)}`;
      throw new Failed(`a quote at ${formatDecimal(meets.priceMicros)} trades at once: the book is ${book}, ${place}`);
    });
    return `${looks} views`;
  },

  'possible fills on one side stay within the position limit'(tried, shown) {
    const looks = playAll(tried, shown, ({ bids, asks }, { inventory }, place) => {
      const { netMicros, maxPositionMicros: most } = inventory;
      const worst = Math.max(
        bids.length > 0 ? netMicros + sumAmounts(bids) : 0,
        asks.length > 0 ? sumAmounts(asks) - netMicros : 0,
      );
      if (worst > most)
        throw new Failed(`a position of ${worst / ONE} shares is possible, but the limit is ${most / ONE}, ${place}`);
    });
    return `${looks} views`;
  },

  'in reduce-only mode quotes never add to the position'(tried, shown) {
    let asked = 0;
    playAll(tried, shown, ({ bids, asks }, { inventory: { netMicros }, stance }, place) => {
      if (stance !== 'reduce-only') return;
      asked += 1;
      if (sumAmounts(bids) > Math.max(0, -netMicros))
        throw new Failed(`the quotes bid for more shares than the short position, ${place}`);
      if (sumAmounts(asks) > Math.max(0, netMicros))
        throw new Failed(`the quotes offer more shares than the long position, ${place}`);
    });
    return `${asked} views`;
  },

  'at the position limit the reducing side is still quoted'(tried, shown) {
    const at = { long: { looks: 0, alive: 0 }, short: { looks: 0, alive: 0 } };
    playAll(tried, shown, (quotes, view) => {
      const { netMicros, maxPositionMicros } = view.inventory;
      if (Math.abs(netMicros) < maxPositionMicros || !isSound(view) || view.stance !== 'normal') return;
      const counted = netMicros > 0 ? at.long : at.short;
      counted.looks += 1;
      if ((netMicros > 0 ? quotes.asks : quotes.bids).length > 0) counted.alive += 1;
    });
    const looks = at.long.looks + at.short.looks;
    if (looks === 0) return { because: 'no view was at the position limit' };
    for (const [which, { looks: all, alive }] of Object.entries(at)) {
      const what = `views at the ${which} position limit`;
      if (all > 0 && alive === 0) throw new Failed(`the reducing side was quoted in none of ${all} ${what}`);
    }
    return `the reducing side was quoted in ${at.long.alive + at.short.alive} of ${looks} views at the limit`;
  },

  'there are no quotes on old, crossed or frozen books'(tried, shown) {
    let unsound = 0;
    playAll(tried, shown, ({ bids, asks }, view, place) => {
      const { bookAgeMs, crossed, frozen } = view.health;
      const why =
        bookAgeMs > OLD_MS ? `a book ${bookAgeMs / 1000} s old` : crossed ? 'a crossed book' : 'a frozen book';
      if (bookAgeMs <= OLD_MS && !crossed && !frozen) return;
      unsound += 1;
      if (bids.length + asks.length > 0) throw new Failed(`the strategy quotes on ${why}, ${place}`);
    });
    return unsound === 0 ? { because: 'no book was old, crossed or frozen' } : `no quotes on ${unsound} unusable books`;
  },

  'if YES and NO are swapped, the quotes are mirrored'(tried, { markets, mirrored }) {
    if (mirrored === null) return { because: 'YES and NO cannot be swapped in a view of an event' };
    const seen = { looks: 0, differ: 0, first: '' };
    for (const [index, market] of markets.entries()) {
      const other = mirrored[index];
      // Fees depend on the price, so a swap of YES and NO changes the quotes of a market with fees.
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
    if (seen.looks === 0) return { because: 'the check needs a market without fees' };
    if (seen.differ > seen.looks * MIRROR_TOLERANCE)
      throw new Failed(`quotes of ${seen.differ} of ${seen.looks} views are not mirrored; the first is ${seen.first}`);
    return `the quotes are mirrored in ${seen.looks - seen.differ} of ${seen.looks} views`;
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
    if (p99 > MOST_MS) throw new Failed(`the 99th percentile of a strategy call's duration is ${p99.toFixed(2)} ms`);
    return `99th percentile ${p99.toFixed(3)} ms, longest call ${Math.max(...times).toFixed(2)} ms`;
  },
};

export const checkStrategy = (...input: Parameters<StrategyCheck>): readonly CheckResult[] =>
  Object.entries(CHECKS).map(([name, check]) => judge(name, () => check(...input)));

class Failed extends Error {}

type Skipped = Readonly<{ because: string }>;

/** `text`: result of a passed check, first error of a failed check, or reason why the check was `not asked`. */
type CheckResult = ReturnType<typeof judge>;

function judge(name: string, check: () => string | Skipped) {
  try {
    const result = check();
    return typeof result === 'string'
      ? ({ name, verdict: 'ok', text: result } as const)
      : ({ name, verdict: 'not asked', text: result.because } as const);
  } catch (error) {
    const text = error instanceof Failed ? error.message : `threw ${String(error)}`;
    return { name, verdict: 'failed', text } as const;
  }
}

/** Number of views after which the check restores the strategy from its saved state. */
const RESTART_EVERY = 7;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const sumAmounts = (levels: readonly QuoteLevel[]) => levels.reduce((sum, { amountMicros }) => sum + amountMicros, 0);

const isSound = ({ health: { bookAgeMs, crossed, locked, frozen }, others: { bids, asks } }: MarketView): boolean =>
  bookAgeMs < 60_000 && !crossed && !locked && !frozen && bids.length > 0 && asks.length > 0;

const isFree = (shown: ShownSubject) => ('event' in shown ? shown.isFree : shown.facts.makerFeeRateMicros === 0);

/** Returns true if `turned` mirrors the quotes, up to one tick and 1 % of each size (rounding is not symmetrical). */
function isMirror({ quotes, view }: MarketQuotes, turned: MarketQuotes | undefined): boolean {
  if (turned === undefined) return true;
  const twin = turned.quotes;
  const fits = (levels: readonly QuoteLevel[], others: readonly QuoteLevel[]) =>
    levels.length === others.length &&
    levels.every(({ priceMicros, amountMicros }, index) => {
      const other = others[index];
      if (other === undefined || Math.abs(ONE - other.priceMicros - priceMicros) > view.market.tickMicros) return false;
      return Math.abs(other.amountMicros - amountMicros) <= amountMicros / 100;
    });
  return fits(quotes.bids, twin.asks) && fits(quotes.asks, twin.bids);
}

const describePlace = (shown: ShownSubject, look: number): string => `in view ${look + 1} of ${nameShown(shown)}`;

const listQuotes = (answers: readonly MarketQuotes[]): readonly Quotes[] => answers.map(({ quotes }) => quotes);

function collectAnswers(tried: TriedStrategy, market: ShownSubject): readonly (readonly MarketQuotes[])[] {
  const quoter = makeTrialQuoter(tried, market);
  return Array.from(market.looks.keys(), (look) => quoter.look(look));
}

const collectQuotes = (tried: TriedStrategy, market: ShownSubject): readonly (readonly Quotes[])[] =>
  collectAnswers(tried, market).map(listQuotes);

/** Calls `look` with the strategy's quotes of each market in each observation. Returns the number of observations. */
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
