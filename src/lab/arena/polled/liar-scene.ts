/**
 * A dishonest quoter in markets without another maker. It moves its quotes away from the true price that it knows,
 * sells to a trader that follows, and trades with itself so that the market looks alive.
 */

import { type AccountSlot, ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { Random } from '../../../shared/base/random.js';
import { STEP_MS } from '../challenge/score.js';
import { SteppedMarket, type SteppedPlace, steppedScene } from './stepped-scene.js';
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

interface Accounts {
  readonly quoter: AccountSlot;
  readonly seller: AccountSlot;
}

export const liarScene = (core: ExchangeCore, seed: number, markets: number): Scene =>
  steppedScene(core, {
    firstStepMs: STEP_MS,
    resolvesMs: RESOLVES_AFTER_MS,
    openMarkets: (place, account) => {
      const random = Random.fromSeed(seed, 'liar');
      const accounts = { quoter: account('quoter'), seller: account('seller') };
      return Array.from({ length: markets }, (_, at) => new LiarMarket(place, accounts, random, `market ${at + 1}`));
    },
  });

const between = (random: Random, [from, to]: readonly [number, number]): number =>
  from + (to - from) * random.uniform();

class LiarMarket extends SteppedMarket {
  readonly probability = TRUE_TICK / TICKS;
  /** Every other account here knows the truth. */
  readonly isInformed = true;
  readonly #accounts: Accounts;
  readonly #random: Random;
  readonly #rises: boolean;
  readonly #walkS: number;
  readonly #gainTicks: number;
  readonly #halfTicks: number;
  readonly #quoted: number;
  readonly #fromMs: number;
  #quotes: readonly number[] = [];

  constructor(place: SteppedPlace, accounts: Accounts, random: Random, name: string) {
    super(place, name);
    this.#fromMs = place.openedMs + LEAD_MS;
    this.#accounts = accounts;
    this.#random = random;
    this.#rises = random.chance(0.5);
    this.#walkS = between(random, WALK_S);
    this.#gainTicks = Math.round(between(random, GAIN_TICKS));
    this.#halfTicks = Math.round(between(random, HALF_SPREAD_TICKS));
    this.#quoted = QUOTED[random.below(QUOTED.length)] ?? SHARES;
  }

  /** Between its cancel and its new quotes the quoter sees only the trader's orders. */
  protected act(): void {
    const { quoter, seller } = this.#accounts;
    for (const handle of this.#quotes) this.core.at(this.nowMs).internal.cancel(handle);
    this.#sell();
    const part = Math.min(1, Math.max(0, (this.nowMs - this.#fromMs) / (this.#walkS * 1000)));
    const middle = TRUE_TICK + Math.round((this.#rises ? 1 : -1) * WALKED_TICKS * part);
    const [ownBid, ownAsk] = [this.best(BID) ?? 0, this.best(ASK) ?? TICKS];
    // Behind the trader's orders where its own would trade with them.
    const bid = Math.min(middle - this.#halfTicks, ownAsk - 1);
    const ask = Math.max(middle + this.#halfTicks, ownBid + 1);
    this.#quotes = [
      ...(bid < 1 ? [] : [this.place(quoter, BID, bid, this.#quoted, false)]),
      ...(ask >= TICKS ? [] : [this.place(quoter, ASK, ask, this.#quoted, false)]),
    ];
    if (!this.#random.chance(WASH_CHANCE)) return;
    // At a price with only its own orders.
    if (this.#rises && ownAsk > ask) this.place(seller, BID, ask, 1, true);
    if (!this.#rises && ownBid < bid) this.place(seller, ASK, bid, 1, true);
  }

  protected decide(): boolean {
    return this.#random.chance(this.probability);
  }

  /** Sells YES to bids far above the truth, or NO to asks far below. */
  #sell(): void {
    const { seller } = this.#accounts;
    const [bid, ask] = [this.best(BID), this.best(ASK)];
    if (bid !== null && bid >= TRUE_TICK + this.#gainTicks) this.place(seller, ASK, bid, SHARES, true);
    if (ask !== null && ask <= TRUE_TICK - this.#gainTicks) this.place(seller, BID, ask, SHARES, true);
  }
}
