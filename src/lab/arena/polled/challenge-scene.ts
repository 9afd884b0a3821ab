/** Markets of the challenge beside each other: a step of all of them each second. */

import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ChallengeMarket, type Participants } from './challenge-market.js';
import type { Scene } from './scene.js';
import { LEAD_MS } from './stage.js';

export const STEP_MS = 1000;
/** Between the seeds of two markets of one simulation: no other simulation has them. */
const SEEDS_APART = 2 ** 34;

export interface ChallengeSceneSettings {
  /** The first market is the challenge of this very seed. */
  readonly seed: number;
  readonly markets: number;
  readonly steps: number;
}

export class ChallengeScene implements Scene {
  readonly #core: ExchangeCore;
  readonly #settings: ChallengeSceneSettings;
  #markets: readonly ChallengeMarket[] = [];
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(core: ExchangeCore, settings: ChallengeSceneSettings) {
    this.#core = core;
    this.#settings = settings;
  }

  get isInformed(): boolean {
    return this.#markets.some(({ isInformed }) => isInformed);
  }

  open(nowMs: number): readonly ChallengeMarket[] {
    const { seed, markets, steps } = this.#settings;
    const account = (name: string) => this.#core.openInternalAccount(nowMs, name, { unlimited: true });
    const participants: Participants = {
      competitor: account('competitor'),
      arbitrageur: account('arbitrageur'),
      retail: account('retail'),
    };
    this.#markets = Array.from(
      { length: markets },
      (_, place) => new ChallengeMarket(this.#core, participants, seed + place * SEEDS_APART, `market ${place + 1}`),
    );
    for (const market of this.#markets) market.open(nowMs, nowMs + LEAD_MS + steps * STEP_MS);
    this.#dueMs = nowMs + LEAD_MS + STEP_MS;
    return this.#markets;
  }

  nextDueMs(): number {
    return this.#dueMs;
  }

  tick(nowMs: number): void {
    for (; this.#dueMs <= nowMs; this.#dueMs += STEP_MS) for (const market of this.#markets) market.step(this.#dueMs);
  }

  close(market: ChallengeMarket, nowMs: number): void {
    market.close(nowMs);
  }
}
