/**
 * A dishonest quoter in markets without another maker. It moves its quotes away from the true price that it knows,
 * sells to a trader that follows, and trades with itself so that the market looks alive.
 */

import { ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { Random } from '../../../shared/base/random.js';
import { STEP_MS } from '../challenge/score.js';
import { SteppedMarket, steppedScene } from './stepped-scene.js';
import { LEAD_MS, type Scene } from './trader-run.js';

const TICKS = 100;
const TRUE_TICK = TICKS / 2;
/** Shares of each quote and sale. */
const SHARES = 12;
/** Distance of the walk. */
const WALKED_TICKS = 34;
/** The scene ends long before. */
const RESOLVES_AFTER_MS = 86_400_000;
/** Duration of the move, s. */
const WALK_S = [120, 360] as const;
/** Distance of each quote from the mid, in ticks: a trader has room to quote inside. */
const HALF_SPREAD_TICKS = [1, 6] as const;
/** Probability of a trade among its own accounts after a step. */
const WASH_CHANCE = 0.3;
/** Minimum gain per share, in ticks. */
const GAIN_TICKS = [4, 30] as const;
/** Shares of its quotes; some exceed what a trader here would hold. They are canceled before each sale. */
const QUOTED = [SHARES, SHARES, 2000] as const;

export function liarScene(core: ExchangeCore, seed: number, markets: number): Scene {
  const random = Random.fromSeed(seed, 'liar');
  return steppedScene(core, markets, STEP_MS, (at, openedMs) => new LiarMarket(core, at, openedMs, random));
}

const between = (random: Random, [from, to]: readonly [number, number]): number =>
  from + (to - from) * random.uniform();

const drawWalk = (random: Random) => ({
  isRising: random.chance(0.5),
  walkS: between(random, WALK_S),
  gainTicks: Math.round(between(random, GAIN_TICKS)),
  halfTicks: Math.round(between(random, HALF_SPREAD_TICKS)),
  quoted: QUOTED[random.below(QUOTED.length)] ?? SHARES,
});

class LiarMarket extends SteppedMarket {
  readonly probability = TRUE_TICK / TICKS;
  /** Every other account here knows the truth. */
  readonly isInformed = true;
  readonly #quoter = this.account('quoter');
  readonly #seller = this.account('seller');
  readonly #random: Random;
  readonly #walk: ReturnType<typeof drawWalk>;
  readonly #fromMs: number;
  #quotes: readonly number[] = [];

  constructor(core: ExchangeCore, at: number, openedMs: number, random: Random) {
    super(core, at, openedMs + RESOLVES_AFTER_MS);
    this.#fromMs = openedMs + LEAD_MS;
    this.#random = random;
    this.#walk = drawWalk(random);
  }

  /** Between its cancel and its new quotes the quoter sees only the trader's orders. */
  override act(): void {
    const { isRising, walkS, halfTicks, quoted } = this.#walk;
    for (const handle of this.#quotes) this.core.internal.cancel(handle);
    this.#sell();
    const part = Math.min(1, Math.max(0, (this.core.nowMs - this.#fromMs) / (walkS * 1000)));
    const middle = TRUE_TICK + Math.round((isRising ? 1 : -1) * WALKED_TICKS * part);
    const [ownBid, ownAsk] = [this.best(BID) ?? 0, this.best(ASK) ?? TICKS];
    // Behind the trader's orders where its own would trade with them.
    const bid = Math.min(middle - halfTicks, ownAsk - 1);
    const ask = Math.max(middle + halfTicks, ownBid + 1);
    this.#quotes = [
      ...(bid < 1 ? [] : [this.place(this.#quoter, BID, bid, quoted, false)]),
      ...(ask >= TICKS ? [] : [this.place(this.#quoter, ASK, ask, quoted, false)]),
    ];
    if (!this.#random.chance(WASH_CHANCE)) return;
    // At a price with only its own orders.
    if (isRising && ownAsk > ask) this.place(this.#seller, BID, ask, 1, true);
    if (!isRising && ownBid < bid) this.place(this.#seller, ASK, bid, 1, true);
  }

  override decide(): boolean {
    return this.#random.chance(this.probability);
  }

  /** Sells YES to bids far above the truth, or NO to asks far below. */
  #sell(): void {
    const { gainTicks } = this.#walk;
    const [bid, ask] = [this.best(BID), this.best(ASK)];
    if (bid !== null && bid >= TRUE_TICK + gainTicks) this.place(this.#seller, ASK, bid, SHARES, true);
    if (ask !== null && ask <= TRUE_TICK - gainTicks) this.place(this.#seller, BID, ask, SHARES, true);
  }
}
