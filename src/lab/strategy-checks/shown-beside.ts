/** Optional inputs beside a generated market: a user's feed, and the other outcome of its event. */

import { micros, ONE } from '../../shared/base/micros.js';
import type { Random } from '../../shared/base/random.js';
import type { EventView, FeedViews, SiblingView } from '../../trader/market/view.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';
import type { TriedStrategy } from './trial.js';

/** Inputs that a strategy requests. */
export interface Asked {
  readonly feeds: readonly string[];
  readonly event: boolean;
}

export const NOTHING_MORE: Asked = { feeds: [], event: false };

export const askedBy = ({ strategy, params }: TriedStrategy): Asked => ({
  feeds: feedsNamed(strategy.params, params),
  event: strategy.inputs?.event === true,
});

/** A probability, or a bid and an ask around it, in price; and its age. */
interface Told {
  readonly p: number;
  /** Null: the feed gives the probability itself. */
  readonly half: number | null;
  readonly sd: number | null;
  readonly ageMs: number;
}

/** The other of two exhaustive outcomes. */
interface OtherOutcome extends Pick<SiblingView, 'sinceJumpMs' | 'isSound'> {
  readonly mid: number;
  readonly half: number;
  readonly bookAgeMs: number;
  readonly netShares: number;
}

/** Of one observation; null without a value. */
export interface Beside {
  readonly told: Told | null;
  readonly other: OtherOutcome | null;
}

export const NOTHING_BESIDE: Beside = { told: null, other: null };

/** Usually near `middle`, the price of the market's own book; sometimes far from it, old, stuck or missing. */
export function drawBeside(random: Random, middle: number | null): Beside {
  const told = drawTold(random, middle ?? 0.5);
  const other = drawOther(random, middle ?? 0.5);
  return middle === null ? NOTHING_BESIDE : { told, other };
}

function drawTold(random: Random, middle: number): Told | null {
  const [draw, error, age] = [random.uniform(), random.uniform() - 0.5, random.uniform()];
  const p = Math.min(0.97, Math.max(0.03, middle + error * (draw < 0.2 ? 0.4 : 0.02)));
  const [half, sd] = [draw < 0.6 ? 0.01 : null, draw < 0.8 ? 0.1 : null];
  return draw < 0.1 ? null : { p, half, sd, ageMs: Math.round(age * (draw > 0.95 ? 300_000 : 2000)) };
}

function drawOther(random: Random, middle: number): OtherOutcome {
  const [draw, error, age] = [random.uniform(), random.uniform() - 0.5, random.uniform()];
  return {
    mid: Math.min(0.96, Math.max(0.04, 1 - middle + error * (draw < 0.1 ? 0.5 : 0.04))),
    half: 0.02,
    bookAgeMs: Math.round(age * (draw > 0.95 ? 600_000 : 20_000)),
    netShares: draw < 0.5 ? 0 : Math.round(error * 200),
    sinceJumpMs: draw > 0.9 ? 5000 : null,
    isSound: draw > 0.03,
  };
}

/** With YES and NO exchanged, in both outcomes. */
export const mirrorBeside = ({ told, other }: Beside): Beside => ({
  told: told && { ...told, p: 1 - told.p },
  other: other && { ...other, mid: 1 - other.mid, netShares: other.netShares === 0 ? 0 : -other.netShares },
});

/** All its feeds give the same value. */
export function feedViews({ told }: Beside, { feeds }: Asked, nowMs: number): FeedViews {
  if (told === null) return {};
  const { p, half, sd, ageMs } = told;
  const prices = half === null ? { p, bid: null, ask: null } : { p: null, bid: p - half, ask: p + half };
  const view = Object.freeze({ ...prices, sd, ageMs, atMs: nowMs - ageMs, validUntilMs: null });
  return Object.freeze(Object.fromEntries(feeds.map((name) => [name, view])));
}

export function eventView({ other }: Beside, asked: Asked): EventView | null {
  if (!asked.event || other === null) return null;
  const { mid, half, netShares, ...seen } = other;
  const prices = { mid, bid: mid - half, ask: mid + half, sigmaLogOddsPerSqrtS: 0.002 };
  const own = { netMicros: micros(netShares * ONE), ownBidMicros: null, ownAskMicros: null };
  const siblings = Object.freeze([Object.freeze({ conditionId: 'the other outcome', ...seen, ...prices, ...own })]);
  return Object.freeze({ eventConditionId: 'generated', outcomes: 'exhaustive', markets: 2, siblings });
}
