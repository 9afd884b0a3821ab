/** A trader's heartbeats over days, check by check, with all usual disturbances. */

import { Random } from '../../../src/shared/base/random.js';
import { decide, FRESH_MIND, type GuardianAction, type Heartbeat } from '../../../src/shell/guardian/decide.js';
import { beat, LOOK_MS, RULES } from './looks.js';

export type Disturbance =
  | 'pause' // a garbage collection, or a busy machine: up to 3 s
  | 'disk' // a sync of up to 6 s, which blocks the loop
  | 'restart' // an operator stops it orderly and restarts it, now or hours later
  | 'crash' // it crashes and its unit restarts it within two seconds
  | 'suspend' // the machine sleeps for up to a night: both are stopped, and the clock may or may not advance
  | 'clock'; // the wall clock jumps, which has no effect here

/** Number per day. */
const PER_DAY: Readonly<Record<Disturbance, number>> = {
  pause: 400,
  disk: 40,
  restart: 3,
  crash: 4,
  suspend: 1,
  clock: 2,
};
const KINDS = Object.keys(PER_DAY) as readonly Disturbance[]; // The keys of the object literal above.
const DAY_MS = 86_400_000;
const ALL = Object.values(PER_DAY).reduce((sum, each) => sum + each, 0);

class VirtualTrader {
  readonly #random: Random;
  #nowMs = 0;
  #stillUntilMs = 0;
  #downUntilMs = 0;
  #startsUntilMs = 0;
  #nextMs: number;
  #run = 1;
  #endedInOrder = false;
  heartbeat: Heartbeat = beat(1, { run: 'run 1' });

  constructor(random: Random) {
    this.#random = random;
    this.#nextMs = this.#pauseMs();
  }

  get isGone(): boolean {
    return this.#nowMs < this.#downUntilMs;
  }

  get isTrading(): boolean {
    return this.heartbeat.phase === 'trading' && !this.isGone && this.#nowMs >= this.#stillUntilMs;
  }

  /** The passed time, and the part of it on the guardian's clock. */
  next(lookMs: number): { passedMs: number; heardMs: number; disturbance: Disturbance | null } {
    this.#nowMs += lookMs;
    this.#live();
    const disturbance = this.#nowMs >= this.#nextMs && this.isTrading ? this.#disturb() : null;
    if (disturbance !== 'suspend') return { passedMs: lookMs, heardMs: lookMs, disturbance };
    const asleepMs = 1_000 * (1 + this.#random.below(30_000));
    // Most systems stop this clock with the machine; some virtual machines do not.
    return { passedMs: lookMs + asleepMs, heardMs: lookMs + (this.#random.chance(0.5) ? asleepMs : 0), disturbance };
  }

  #live(): void {
    if (this.#nowMs < this.#downUntilMs || this.#nowMs < this.#stillUntilMs) return;
    if (this.#downUntilMs > 0) this.#start();
    const phase = this.#nowMs < this.#startsUntilMs ? 'starting' : 'trading';
    const mayRest = phase === 'trading' || !this.#endedInOrder;
    this.heartbeat = beat(this.heartbeat.count + 1, { run: `run ${this.#run}`, phase, mayRest });
  }

  #start(): void {
    this.#downUntilMs = 0;
    this.#run += 1;
    this.#startsUntilMs = this.#nowMs + 500 + this.#random.below(5_000);
  }

  #disturb(): Disturbance {
    this.#nextMs = this.#nowMs + this.#pauseMs();
    const kind = this.#draw();
    const still = (mostMs: number) => {
      this.#stillUntilMs = this.#nowMs + this.#random.below(mostMs);
    };
    if (kind === 'pause') still(3_000);
    if (kind === 'disk') still(6_000);
    if (kind === 'restart') {
      this.#endedInOrder = true;
      this.heartbeat = beat(this.heartbeat.count + 1, { run: `run ${this.#run}`, phase: 'ended', mayRest: false });
      this.#downUntilMs = this.#nowMs + this.#random.below(this.#random.chance(0.5) ? 5_000 : 8 * 3_600_000);
    }
    if (kind === 'crash') {
      this.#endedInOrder = false;
      this.#downUntilMs = this.#nowMs + 2_000 + this.#random.below(1_500);
    }
    return kind;
  }

  #draw(): Disturbance {
    let at = this.#random.below(ALL);
    for (const kind of KINDS) {
      at -= PER_DAY[kind];
      if (at < 0) return kind;
    }
    return 'pause';
  }

  #pauseMs(): number {
    return 1 + this.#random.below(Math.round((2 * DAY_MS) / ALL));
  }
}

/** Half the guardian's rate: rare checks are the harder case. */
const LATE_LOOK_MS = 2 * LOOK_MS;

export interface OrdinaryDays {
  /** Actions of the guardian; it stops checking after the first one. */
  readonly done: readonly GuardianAction[];
  /** Number of times that each disturbance happened. */
  readonly had: ReadonlyMap<Disturbance, number>;
}

/** Guards an ordinary trader for this number of days. */
export function ordinaryDays(days: number, seed: number): OrdinaryDays {
  const trader = new VirtualTrader(Random.fromSeed(seed, 'ordinary days'));
  const rules = { ...RULES, stays: true };
  const had = new Map<Disturbance, number>();
  let mind = FRESH_MIND;
  let nowMs = 0;
  for (let wallMs = 0; wallMs < days * DAY_MS; ) {
    const { passedMs, heardMs, disturbance } = trader.next(LATE_LOOK_MS);
    wallMs += passedMs;
    nowMs += heardMs;
    if (disturbance !== null) had.set(disturbance, (had.get(disturbance) ?? 0) + 1);
    const { heartbeat, isGone: traderGone } = trader;
    const decision = decide(mind, rules, { kind: 'look', nowMs, heartbeat, ageMs: 0, traderGone, ledgerGone: false });
    mind = decision.mind;
    if (decision.actions.length > 0) return { done: decision.actions, had };
  }
  return { done: [], had };
}
