/**
 * Sessions that look like real ones, from a seed: prices that walk, quotes around them that lean against the inventory,
 * fills that are followed by adverse moves, merges, settlements. The record is true to its own contract, so that a
 * report of it adds up; what it says about markets is invented.
 */

import {
  type AccountSeries,
  type ConversionRecord,
  type FillRecord,
  MARKOUT_HORIZONS_MS,
  MAX_SAMPLES,
  type MarketSession,
  type SessionRecord,
} from '../../../src/lab/session/contract.js';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { tradeNotional } from '../../../src/trader/ledger/rounding.js';

const ONE = 1_000_000;
const STEP_MS = 15_000;
const FROM_MS = Date.UTC(2026, 2, 14, 9);

export interface SessionPlan {
  readonly seed: number;
  readonly markets: number;
  readonly hours: number;
  /** Chance that a quote at the market is filled within 15 s. */
  readonly fillChance: number;
  /** How much more often quotes are filled that the market is about to run over; 0 for pure noise. */
  readonly toxicity: number;
  readonly fillModel: string | null;
  readonly capital: number;
  readonly hasGaps: boolean;
}

export const PLAN: SessionPlan = {
  seed: 7,
  markets: 20,
  hours: 24,
  fillChance: 0.004,
  toxicity: 1,
  fillModel: 'power:3',
  capital: 5_000,
  hasGaps: true,
};

/** One market while it is being invented. */
interface Played {
  readonly session: MarketSession;
  readonly equityChange: readonly number[];
  readonly locked: readonly number[];
  readonly cashMicros: number;
}

export function makeSession(changes: Partial<SessionPlan> = {}): SessionRecord {
  const plan = { ...PLAN, ...changes };
  const steps = Math.max(1, Math.round((plan.hours * 3_600_000) / STEP_MS));
  const played = Array.from({ length: plan.markets }, (_, index) => playMarket(plan, index, steps));
  const capitalMicros = plan.capital * ONE;
  const equity = Array.from({ length: steps }, (_, step) =>
    played.reduce((total, market) => total + (market.equityChange[step] ?? 0), capitalMicros),
  );
  const orders = played.reduce((total, { session }) => total + session.quoting.ordersPlaced, 0);
  return {
    format: 1,
    kind: 'backtest',
    title: 'log-odds-maker on four elections and a cup final',
    fromMs: FROM_MS,
    toMs: FROM_MS + steps * STEP_MS,
    capitalMicros,
    endCashMicros: played.reduce((total, { cashMicros }) => total + cashMicros, capitalMicros),
    markets: played.map(({ session }) => session),
    account: accountOf(played, equity, steps),
    maxDrawdownMicros: drawdown(equity),
    requests: {
      public: { limitPerMinute: 120, count: Math.round(plan.hours * 60 * 104), peakPerMinute: 120, throttled: 0 },
      signed: { limitPerMinute: 300, count: orders * 4, peakPerMinute: 187, throttled: 0 },
      byEndpoint: [
        ['markets.book', Math.round(plan.hours * 60 * 80)],
        ['markets.trades', Math.round(plan.hours * 60 * 24)],
        ['orders.draft', orders],
        ['orders.submit', orders],
        ['orders.cancel-draft', orders],
        ['orders.list', Math.round(orders / 2)],
      ],
      unsent: plan.markets > 50 ? 341 : 12,
    },
    halts: [],
    refusals: [
      { by: 'guard', name: 'news jump', count: 214 },
      { by: 'risk', name: 'market_position', count: 96 },
      { by: 'guard', name: 'book too thin', count: 41 },
      { by: 'exchange', name: 'insufficient-funds', count: 3 },
    ],
    notices: [{ timeMs: FROM_MS, severity: 'info', text: '2 markets opened after the recording began.' }],
    assumptions: {
      version: '0.1.0',
      configHash: '3f9ad1c07be2',
      seed: plan.seed,
      fillModel: plan.fillModel,
      postsOnly: plan.fillModel === null ? null : plan.fillModel.startsWith('posts-only'),
      latency: 'recorded:x1 (median 143 ms there and back)',
      data: [`${plan.markets} markets, ${plan.hours} h, invented from seed ${plan.seed}`],
      remarks: ['The recorded market does not react to our orders.'],
    },
  };
}

/** The three models that a backtest shows unless told otherwise. */
export const makeBracket = (changes: Partial<SessionPlan> = {}): readonly SessionRecord[] => [
  makeSession({ ...changes, fillChance: 0.0015, toxicity: 3.2, fillModel: 'risk-averse' }),
  makeSession({ ...changes, fillModel: 'power:3' }),
  makeSession({ ...changes, fillChance: 0.007, toxicity: 0.1, fillModel: 'optimistic' }),
];

const TOPICS = [
  'the incumbent wins',
  'turnout is above 60 %',
  'the home side scores first',
  'rain before noon',
  'the bill passes',
];
const EVENTS = ['Spring election', 'Cup final', 'Weather', 'Parliament', 'Championship'];

function playMarket(plan: SessionPlan, index: number, steps: number): Played {
  // The market is the same under every fill model; only what we do in it differs.
  const walk = Random.fromSeed(plan.seed, `walk-${index}`);
  const random = Random.fromSeed(plan.seed, `fills-${index}-${plan.fillModel}`);
  const mids = midsOf(walk, steps);
  const tick = 10_000;
  const hand = new Hand(`order-${index}`);
  const lastStep = Math.floor(steps * (0.6 + 0.4 * walk.uniform()));
  const outcome = walk.uniform() < (mids[lastStep - 1] ?? 0) / ONE;
  const isKnown = !walk.chance(0.15);
  const isRedeemed = isKnown && lastStep < steps - 4;
  const rows: Row[] = [];
  const equityChange: number[] = [];
  const locked: number[] = [];
  for (let step = 0; step < steps; step++) {
    const isOpen = step < lastStep;
    const mid = mids[Math.min(step, lastStep - 1)] ?? ONE / 2;
    const row = isOpen ? quote(mid, tick, hand.net, random) : CLOSED;
    const timeMs = FROM_MS + step * STEP_MS;
    if (isOpen) trade(hand, row, { plan, random, mids, step, lastStep, timeMs, mid });
    if (isRedeemed && step === lastStep + 3) hand.redeem(timeMs, mid, outcome);
    rows.push({ ...row, inventory: hand.net });
    const price = isKnown && step > lastStep + 2 ? (outcome ? ONE : 0) : mid;
    equityChange.push(hand.cash + hand.worth(price));
    locked.push(hand.cost + (row.ourBid ?? 0) * 40 + (row.ourAsk === null ? 0 : (ONE - row.ourAsk) * 40));
  }
  const openForMs = lastStep * STEP_MS;
  const quoted = rows.filter(({ ourBid, ourAsk }) => ourBid !== null || ourAsk !== null).length * STEP_MS;
  const twoSidedMs = rows.filter(({ ourBid, ourAsk }) => ourBid !== null && ourAsk !== null).length * STEP_MS;
  const ordersPlaced = Math.round(lastStep / 6);
  const session: MarketSession = {
    conditionId: `market-${index}-${plan.seed}`,
    title: `Will it be so that ${TOPICS[index % TOPICS.length]}, part ${index + 1}?`,
    eventTitle: `${EVENTS[Math.floor(index / 2) % EVENTS.length]} ${Math.floor(index / 2 / EVENTS.length) + 1}`,
    category: index % 2 === 0 ? 'politics' : 'sports',
    tickMicros: tick,
    openMs: FROM_MS,
    closeMs: FROM_MS + openForMs,
    outcome: isKnown ? outcome : null,
    makerFeeRateMicros: 0,
    series: seriesOf(rows),
    fills: hand.fills,
    conversions: hand.conversions,
    stoodCrossed: [],
    endYesMicros: hand.yes,
    endNoMicros: hand.no,
    endMarkMicros: mids[lastStep - 1] ?? null,
    quoting: {
      openForMs,
      twoSidedMs,
      oneSidedMs: quoted - twoSidedMs,
      haltedMs: 0,
      ordersPlaced,
      ordersCanceled: Math.max(0, ordersPlaced - hand.fills.length),
      postedMicros: ordersPlaced * 40 * ONE + hand.fills.reduce((total, fill) => total + fill.amountMicros, 0),
      joinedBehindMicros: ordersPlaced * Math.round((150 + 400 * random.uniform()) * ONE),
    },
    coverage: {
      spanMs: openForMs,
      gapMs: plan.hasGaps && index % 5 === 0 ? 93_000 : 0,
      gaps: plan.hasGaps && index % 5 === 0 ? 2 : 0,
      events: lastStep * 40,
      trades: Math.round(lastStep * 0.7),
      skipped: plan.hasGaps && index === 3 ? 17 : 0,
    },
  };
  return { session, equityChange, locked, cashMicros: hand.cash };
}

/** YES middles, one for each step: a walk of the log odds with now and then a jump. */
function midsOf(walk: Random, steps: number): readonly number[] {
  let odds = walk.normal() * 0.9;
  return Array.from({ length: steps }, () => {
    odds += 0.012 * walk.normal() + (walk.chance(0.0006) ? 0.5 * walk.normal() : 0);
    return Math.min(985_000, Math.max(15_000, Math.round(ONE / (1 + Math.exp(-odds)) / 5_000) * 5_000));
  });
}

interface Row {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly ourBid: number | null;
  readonly ourAsk: number | null;
  readonly inventory: number;
}

const CLOSED: Row = { bid: null, ask: null, ourBid: null, ourAsk: null, inventory: 0 };

function quote(mid: number, tick: number, net: number, random: Random): Row {
  const bid = Math.floor((mid - 1) / tick) * tick;
  const ask = Math.ceil((mid + 1) / tick) * tick;
  const lean = Math.round(net / ONE / 120) * tick;
  const within = (price: number): number | null => (price >= tick && price <= ONE - tick ? price : null);
  const isPulled = random.chance(0.03);
  return {
    bid: within(bid),
    ask: within(ask),
    ourBid: isPulled || net > 300 * ONE ? null : within(Math.min(bid, bid - lean)),
    ourAsk: isPulled || net < -300 * ONE ? null : within(Math.max(ask, ask - lean)),
    inventory: 0,
  };
}

interface Scene {
  readonly plan: SessionPlan;
  readonly random: Random;
  readonly mids: readonly number[];
  readonly step: number;
  readonly lastStep: number;
  readonly timeMs: number;
  readonly mid: number;
}

function trade(hand: Hand, row: Row, scene: Scene): void {
  const { plan, random, mids, step, lastStep, mid } = scene;
  const ahead = (mids[Math.min(lastStep - 1, step + 4)] ?? mid) - mid;
  for (const side of ['bid', 'ask'] as const) {
    const price = side === 'bid' ? row.ourBid : row.ourAsk;
    if (price === null) continue;
    const isToxic = side === 'bid' ? ahead < 0 : ahead > 0;
    const isAway = side === 'bid' ? price < (row.bid ?? price) : price > (row.ask ?? price);
    const chance = plan.fillChance * (isToxic ? 1 + 2 * plan.toxicity : 1) * (isAway ? 0.4 : 1);
    if (random.chance(chance)) hand.fill(side, price, scene);
  }
  if (hand.yes >= 20 * ONE && hand.no >= 20 * ONE) hand.merge(scene.timeMs + STEP_MS - 1, mid);
}

/** What we hold in one market. */
class Hand {
  yes = 0;
  no = 0;
  cash = 0;
  cost = 0;
  readonly fills: FillRecord[] = [];
  readonly conversions: ConversionRecord[] = [];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get net(): number {
    return this.yes - this.no;
  }

  worth(mid: number): number {
    return Math.floor((this.yes * mid) / ONE) + Math.floor((this.no * (ONE - mid)) / ONE);
  }

  fill(side: 'bid' | 'ask', price: number, { random, mids, step, lastStep, timeMs, mid }: Scene): void {
    const held = side === 'bid' ? this.no : this.yes;
    const size = (4 + random.below(37)) * ONE + (random.chance(0.3) ? random.below(ONE) : 0);
    // Now and then the other leg is bought in place of selling ours: that is what merges are for.
    const isSale = held > 0 && random.chance(0.6);
    const amount = isSale ? Math.min(size, held) : size;
    const isYes = side === 'bid' ? !isSale : isSale;
    const ownPrice = isYes ? price : ONE - price;
    const notional = tradeNotional(isYes, micros(ownPrice), micros(amount));
    const cash = isSale ? notional : -notional;
    const fee = random.chance(0.1) ? Math.ceil(notional * 0.01) : 0;
    this.cash += cash - fee;
    this.cost = Math.max(0, this.cost - cash);
    if (isYes) this.yes += isSale ? -amount : amount;
    else this.no += isSale ? -amount : amount;
    const at = timeMs + random.below(STEP_MS - 1);
    const midAt = (ms: number): number | null => {
      const index = step + Math.ceil(ms / STEP_MS);
      return index < lastStep ? (mids[index] ?? null) : null;
    };
    this.fills.push({
      timeMs: Math.max(at, this.fills.at(-1)?.timeMs ?? 0),
      seenMs: random.chance(0.002) ? null : at + 400 + random.below(9_000),
      orderPubkey: `${this.#name}-${Math.floor(step / 6)}-${side}`,
      strategy: 'log-odds-maker',
      side,
      isYes,
      isBuy: !isSale,
      priceMicros: price,
      amountMicros: amount,
      cashMicros: cash,
      feeMicros: fee,
      isMaker: fee === 0,
      markMicros: mid,
      marksAfterMicros: MARKOUT_HORIZONS_MS.map(midAt),
      restedMs: fee === 0 ? Math.round(random.exponential(90_000)) : 0,
      joinedBehindMicros: fee === 0 ? Math.round(random.exponential(120 * ONE)) : null,
      atCrossing: false,
    });
  }

  merge(timeMs: number, mid: number): void {
    const sets = Math.min(this.yes, this.no);
    this.#convert({
      kind: 'merge',
      timeMs,
      yesMicros: sets,
      noMicros: sets,
      cashMicros: sets,
      yesCostMicros: null,
      markMicros: mid,
    });
  }

  redeem(timeMs: number, mid: number, outcome: boolean): void {
    if (this.yes === 0 && this.no === 0) return;
    const { yes, no } = this;
    const cashMicros = outcome ? yes : no;
    this.#convert({
      kind: 'redeem',
      timeMs,
      yesMicros: yes,
      noMicros: no,
      cashMicros,
      yesCostMicros: null,
      markMicros: mid,
    });
    this.cost = 0;
  }

  #convert(conversion: ConversionRecord): void {
    this.conversions.push(conversion);
    this.yes -= conversion.yesMicros;
    this.no -= conversion.noMicros;
    this.cash += conversion.cashMicros;
    this.cost = Math.max(0, this.cost - conversion.cashMicros);
  }
}

/** Every so many rows one, so that no more than `MAX_SAMPLES` are left. */
const strideOf = (length: number): number => Math.max(1, Math.ceil(length / MAX_SAMPLES));
const thinned = <T>(values: readonly T[]): readonly T[] =>
  values.filter((_, index) => index % strideOf(values.length) === 0);
const timesOf = (length: number): readonly number[] =>
  thinned(Array.from({ length }, (_, step) => FROM_MS + step * STEP_MS));

function seriesOf(rows: readonly Row[]): MarketSession['series'] {
  const kept = thinned(rows);
  return {
    stepMs: STEP_MS * strideOf(rows.length),
    timeMs: timesOf(rows.length),
    bidMicros: kept.map(({ bid }) => bid),
    askMicros: kept.map(({ ask }) => ask),
    ourBidMicros: kept.map(({ ourBid }) => ourBid),
    ourAskMicros: kept.map(({ ourAsk }) => ourAsk),
    inventoryMicros: kept.map(({ inventory }) => inventory),
  };
}

function accountOf(played: readonly Played[], equity: readonly number[], steps: number): AccountSeries {
  const locked = Array.from({ length: steps }, (_, step) =>
    played.reduce((total, market) => total + Math.round(market.locked[step] ?? 0), 0),
  );
  return {
    stepMs: STEP_MS * strideOf(steps),
    timeMs: timesOf(steps),
    equityMicros: thinned(equity),
    lockedMicros: thinned(locked),
  };
}

function drawdown(equity: readonly number[]): number {
  let [peak, deepest] = [Number.NEGATIVE_INFINITY, 0];
  for (const now of equity) {
    peak = Math.max(peak, now);
    deepest = Math.max(deepest, peak - now);
  }
  return deepest;
}
