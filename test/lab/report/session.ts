/**
 * Seeded sessions similar to real ones: prices that walk, quotes around them that lean against the inventory, fills
 * with adverse moves after them, merges, settlements. A record obeys its contract, so that its report adds up; its
 * markets are invented.
 */

import {
  type ConversionRecord,
  type FillRecord,
  MARKOUT_HORIZONS_MS,
  type SessionRecord,
} from '../../../src/lab/session/contract.js';
import { Holdings, KEEP_NEAREST } from '../../../src/lab/session/holdings.js';
import { AccountSamples, MarketSamples } from '../../../src/lab/session/samples.js';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { tradeNotional } from '../../../src/trader/ledger/postings.js';
import { aConversion, aFill, aMarket, aSession, ONE } from './sessions.js';

type BookTop = Parameters<MarketSamples['take']>[1];

const STEP_MS = 15_000;
const FROM_MS = Date.UTC(2026, 2, 14, 9);
const TICK = 10_000;

const PLAN = {
  seed: 7,
  markets: 20,
  hours: 24,
  /** Chance that a quote at the market is filled within 15 s. */
  fillChance: 0.004,
  /** How much more often quotes are filled that the market is about to pass; 0 for pure noise. */
  toxicity: 1,
  fillModel: 'power:3',
};

type SessionPlan = typeof PLAN;

export function makeSession(changes: Partial<SessionPlan> = {}): SessionRecord {
  const plan = { ...PLAN, ...changes };
  const steps = Math.max(1, Math.round((plan.hours * 3_600_000) / STEP_MS));
  const played = Array.from({ length: plan.markets }, (_, index) => playMarket(plan, index, steps));
  const markets = played.map(({ market }) => market);
  const capitalMicros = 5_000 * ONE;
  const account = new AccountSamples(STEP_MS);
  for (let step = 0; step < steps; step++) {
    const sum = (name: 'equity' | 'locked', from: number): number =>
      played.reduce((total, market) => total + (market[name][step] ?? 0), from);
    account.take(FROM_MS + step * STEP_MS, sum('equity', capitalMicros), () => sum('locked', 0));
  }
  const orders = markets.reduce((total, { quoting }) => total + quoting.ordersPlaced, 0);
  const { assumptions, endCashMicros } = aSession(markets);
  return aSession(markets, {
    title: 'log-odds-maker on four elections and a cup final',
    fromMs: FROM_MS,
    toMs: FROM_MS + steps * STEP_MS,
    capitalMicros,
    endCashMicros: endCashMicros + 4_000 * ONE,
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    requests: {
      public: { limitPerMinute: 120, count: Math.round(plan.hours * 60 * 104), peakPerMinute: 120, throttled: 0 },
      signed: { limitPerMinute: 300, count: orders * 4, peakPerMinute: 187, throttled: 0 },
      byEndpoint: [
        ['markets.book', Math.round(plan.hours * 60 * 80)],
        ['markets.trades', Math.round(plan.hours * 60 * 24)],
        ['orders.submit', orders],
        ['orders.list', Math.round(orders / 2)],
      ],
      unsent: 12,
    },
    refusals: [
      { by: 'guard', name: 'news jump', count: 214 },
      { by: 'risk', name: 'market_position', count: 96 },
      { by: 'exchange', name: 'insufficient-funds', count: 3 },
    ],
    notices: [{ timeMs: FROM_MS, severity: 'info', text: '2 markets opened after the recording began.' }],
    assumptions: { ...assumptions, seed: plan.seed, fillModel: plan.fillModel },
  });
}

/** The three default models of a backtest. */
export const makeBracket = (changes: Partial<SessionPlan> = {}): readonly SessionRecord[] => [
  makeSession({ ...changes, fillChance: 0.0015, toxicity: 3.2, fillModel: 'risk-averse' }),
  makeSession({ ...changes, fillModel: 'power:3' }),
  makeSession({ ...changes, fillChance: 0.007, toxicity: 0.1, fillModel: 'optimistic' }),
];

const TOPICS = ['the incumbent wins', 'turnout is above 60 %', 'the home side scores first', 'rain before noon'];
const EVENTS = ['Spring election', 'Cup final', 'Weather', 'Parliament', 'Championship'];

function playMarket(plan: SessionPlan, index: number, steps: number) {
  // The market is equal under every fill model; only our trades differ.
  const walk = Random.fromSeed(plan.seed, `walk-${index}`);
  const random = Random.fromSeed(plan.seed, `fills-${index}-${plan.fillModel}`);
  const mids = midsOf(walk, steps);
  const lastStep = Math.floor(steps * (0.6 + 0.4 * walk.uniform()));
  const outcome = walk.uniform() < (mids[lastStep - 1] ?? 0) / ONE;
  const isKnown = !walk.chance(0.15);
  const samples = new MarketSamples(STEP_MS);
  const hand = newHand(`order-${index}`, mids.slice(0, lastStep), random);
  const equity: number[] = [];
  const locked: number[] = [];
  for (let step = 0; step < steps; step++) {
    const mid = mids[Math.min(step, lastStep - 1)] ?? ONE / 2;
    const timeMs = FROM_MS + step * STEP_MS;
    const top = step < lastStep ? quote(mid, hand.held.netMicros, random) : null;
    if (top !== null) {
      hand.trade(plan, top, step);
      samples.take(timeMs, top, hand.held.netMicros);
    }
    if (isKnown && step === lastStep + 3) hand.redeem(timeMs, mid, outcome);
    const price = isKnown && step > lastStep + 2 ? (outcome ? ONE : 0) : mid;
    equity.push(hand.held.cashMicros + (hand.held.worthMicros(price) ?? 0));
    locked.push(Math.round(hand.held.costMicros + (top?.ourBidMicros ?? 0) * 40));
  }
  const ordersPlaced = Math.round(lastStep / 6);
  const hasGaps = index % 5 === 0;
  const market = aMarket({
    conditionId: `market-${index}-${plan.seed}`,
    title: `Will it be so that ${TOPICS[index % TOPICS.length]}, part ${index + 1}?`,
    eventTitle: `${EVENTS[Math.floor(index / 2) % EVENTS.length]} ${Math.floor(index / 2 / EVENTS.length) + 1}`,
    outcome: isKnown ? outcome : null,
    series: samples.series,
    fills: hand.fills,
    conversions: hand.conversions,
    endYesMicros: hand.held.yesMicros,
    endNoMicros: hand.held.noMicros,
    endMarkMicros: mids[lastStep - 1] ?? null,
    quoting: {
      ...samples.quotedMs,
      haltedMs: 0,
      ordersPlaced,
      ordersCanceled: Math.max(0, ordersPlaced - hand.fills.length),
      postedMicros: ordersPlaced * 40 * ONE + hand.fills.reduce((total, fill) => total + fill.amountMicros, 0),
      joinedBehindMicros: ordersPlaced * Math.round((150 + 400 * random.uniform()) * ONE),
    },
    coverage: {
      spanMs: lastStep * STEP_MS,
      gapMs: hasGaps ? 93_000 : 0,
      gaps: hasGaps ? 2 : 0,
      events: lastStep * 40,
      trades: Math.round(lastStep * 0.7),
      skipped: index === 3 ? 17 : 0,
    },
  });
  return { market, equity, locked };
}

/** YES middles, one for each step: a walk of the log odds with now and then a jump. */
function midsOf(walk: Random, steps: number): readonly number[] {
  let odds = walk.normal() * 0.9;
  return Array.from({ length: steps }, () => {
    odds += 0.012 * walk.normal() + (walk.chance(0.0006) ? 0.5 * walk.normal() : 0);
    return Math.min(985_000, Math.max(15_000, Math.round(ONE / (1 + Math.exp(-odds)) / 5_000) * 5_000));
  });
}

function quote(mid: number, net: number, random: Random): BookTop {
  const bid = Math.floor((mid - 1) / TICK) * TICK;
  const ask = Math.ceil((mid + 1) / TICK) * TICK;
  const lean = Math.round(net / ONE / 120) * TICK;
  const within = (price: number): number | null => (price >= TICK && price <= ONE - TICK ? price : null);
  const isPulled = random.chance(0.03);
  return {
    bidMicros: within(bid),
    askMicros: within(ask),
    ourBidMicros: isPulled || net > 300 * ONE ? null : within(Math.min(bid, bid - lean)),
    ourAskMicros: isPulled || net < -300 * ONE ? null : within(Math.max(ask, ask - lean)),
  };
}

/** Our holdings in one market. @param mids one for each step while the market is open */
function newHand(name: string, mids: readonly number[], random: Random) {
  const held = new Holdings(KEEP_NEAREST);
  const fills: FillRecord[] = [];
  const conversions: ConversionRecord[] = [];

  function convert(changes: Partial<ConversionRecord>): void {
    const conversion = aConversion(changes);
    conversions.push(conversion);
    held.move(conversion);
  }

  function trade(plan: SessionPlan, top: BookTop, step: number): void {
    const mid = mids[step] ?? 0;
    const ahead = (mids[step + 4] ?? mids.at(-1) ?? mid) - mid;
    for (const side of ['bid', 'ask'] as const) {
      const [ours, best] = side === 'bid' ? [top.ourBidMicros, top.bidMicros] : [top.ourAskMicros, top.askMicros];
      if (ours === null) continue;
      const isToxic = side === 'bid' ? ahead < 0 : ahead > 0;
      const chance = plan.fillChance * (isToxic ? 1 + 2 * plan.toxicity : 1) * (ours === (best ?? ours) ? 1 : 0.4);
      if (random.chance(chance)) fill(side, ours, step);
    }
    const sets = Math.min(held.yesMicros, held.noMicros);
    const timeMs = FROM_MS + (step + 1) * STEP_MS - 1;
    if (sets >= 20 * ONE) convert({ kind: 'merge', timeMs, ...setsOf(sets), markMicros: mid });
  }

  function redeem(timeMs: number, markMicros: number, outcome: boolean): void {
    const { yesMicros, noMicros } = held;
    if (yesMicros === 0 && noMicros === 0) return;
    convert({ kind: 'redeem', timeMs, yesMicros, noMicros, cashMicros: outcome ? yesMicros : noMicros, markMicros });
  }

  function fill(side: 'bid' | 'ask', priceMicros: number, step: number): void {
    const heldOther = side === 'bid' ? held.noMicros : held.yesMicros;
    const size = (4 + random.below(37)) * ONE + (random.chance(0.3) ? random.below(ONE) : 0);
    // Sometimes the other leg is bought instead of selling ours, which makes merges possible.
    const isSale = heldOther > 0 && random.chance(0.6);
    const amountMicros = isSale ? Math.min(size, heldOther) : size;
    const isYes = side === 'bid' ? !isSale : isSale;
    const notional = tradeNotional(isYes, micros(isYes ? priceMicros : ONE - priceMicros), micros(amountMicros));
    const isMaker = !random.chance(0.1);
    const at = FROM_MS + step * STEP_MS + random.below(STEP_MS - 1);
    const record = aFill({
      timeMs: Math.max(at, fills.at(-1)?.timeMs ?? 0),
      seenMs: random.chance(0.002) ? null : at + 400 + random.below(9_000),
      orderPubkey: `${name}-${Math.floor(step / 6)}-${side}`,
      isYes,
      isBuy: !isSale,
      priceMicros,
      amountMicros,
      cashMicros: isSale ? notional : -notional,
      feeMicros: isMaker ? 0 : Math.ceil(notional * 0.01),
      isMaker,
      markMicros: mids[step] ?? null,
      marksAfterMicros: MARKOUT_HORIZONS_MS.map((ms) => mids[step + Math.ceil(ms / STEP_MS)] ?? null),
      restedMs: isMaker ? Math.round(random.exponential(90_000)) : 0,
      joinedBehindMicros: isMaker ? Math.round(random.exponential(120 * ONE)) : null,
    });
    fills.push(record);
    held.move({ kind: 'fill', ...record });
  }

  return { held, fills, conversions, trade, redeem };
}

const setsOf = (sets: number) => ({ yesMicros: sets, noMicros: sets, cashMicros: sets });
