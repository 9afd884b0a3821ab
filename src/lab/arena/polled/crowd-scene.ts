/** The paper exchange's own crowd; only the judge sees its hidden fair prices. */

import type { ExchangeCore } from '../../../exchange/core/core.js';
import { detailRow } from '../../../exchange/core/records/market-rows.js';
import { Crowd } from '../../../exchange/crowd/crowd.js';
import { must } from '../../../shared/base/errors.js';
import { Random } from '../../../shared/base/random.js';
import { playFromMemory } from '../../backtest/sources.js';
import type { SceneMarket } from './judge.js';
import type { Scene } from './stage.js';
import { describeMarket } from './stepped-scene.js';

/** `Crowd`'s name for the account of informed takers. */
const INFORMED = 'crowd-informed';

export class CrowdScene implements Scene {
  isInformed = false;
  readonly #core: ExchangeCore;
  readonly #seed: number;
  readonly #outcomes: Random;
  readonly #settled = new Map<string, boolean>();
  #crowd: Crowd | null = null;

  constructor(core: ExchangeCore, seed: number) {
    this.#core = core;
    this.#seed = seed;
    this.#outcomes = Random.fromSeed(seed, 'outcomes');
  }

  open(nowMs: number): readonly SceneMarket[] {
    const crowd = Crowd.attach(this.#core, { seed: this.#seed }, nowMs);
    this.#watchOrders();
    this.#crowd = crowd;
    return crowd.truths().map(({ conditionId, index }): SceneMarket => {
      const findTruth = () => crowd.truths().find((one) => one.index === index);
      const settled = this.#settled;
      return {
        source: playFromMemory(
          describeMarket(
            conditionId,
            conditionId,
            detailRow(this.#core.catalog, this.#core.catalog.market(index)).title,
          ),
          [],
        ),
        index,
        get probability() {
          return must(findTruth(), 'a market of the crowd').probability;
        },
        get outcome() {
          return settled.get(conditionId) ?? null;
        },
      };
    });
  }

  nextDueMs(): number {
    return this.#crowd?.nextDueMs() ?? Number.POSITIVE_INFINITY;
  }

  tick(nowMs: number): void {
    this.#crowd?.tick(nowMs);
  }

  /** Long before its date: its outcome is drawn from the present hidden probability. */
  close({ source, probability }: SceneMarket, nowMs: number): void {
    const { conditionId } = source.market;
    const outcome = this.#outcomes.chance(probability);
    this.#settled.set(conditionId, outcome);
    this.#core.at(nowMs).markets.setState(conditionId, 'waiting_to_resolve');
    this.#core.at(nowMs).markets.resolve(conditionId, outcome);
  }

  /** Notes while the informed traders place an order. The crowd has opened their account before. */
  #watchOrders(): void {
    const { identity, internal } = this.#core;
    const informed = identity.openInternal(INFORMED, { unlimited: true });
    const place = internal.place.bind(internal);
    internal.place = (account, ...order) => {
      this.isInformed = account === informed;
      const handle = place(account, ...order);
      this.isInformed = false;
      return handle;
    };
  }
}
