/** The paper exchange's own crowd; only the judge sees its hidden fair prices. */

import type { ExchangeCore } from '../../../exchange/core/core.js';
import { Crowd } from '../../../exchange/crowd/crowd.js';
import type { CrowdCore } from '../../../exchange/crowd/crowd-core.js';
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
    const crowd = Crowd.attach(this.#watchCore(), { seed: this.#seed }, nowMs);
    this.#crowd = crowd;
    return crowd.truths().map(({ conditionId, index }): SceneMarket => {
      const findTruth = () => crowd.truths().find((one) => one.index === index);
      const settled = this.#settled;
      return {
        source: playFromMemory(describeMarket(conditionId, conditionId, this.#core.detailRow(index).title), []),
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
    this.#core.setMarketState(nowMs, conditionId, 'waiting_to_resolve');
    this.#core.resolveMarket(nowMs, conditionId, outcome);
  }

  /** The crowd's core, with a record of the acting account. */
  #watchCore(): CrowdCore {
    const core: CrowdCore = this.#core;
    const placeInternal: CrowdCore['placeInternal'] = (nowMs, account, ...order) => {
      // The crowd has opened it before.
      this.isInformed = account === core.openInternalAccount(nowMs, INFORMED, { unlimited: true });
      const handle = core.placeInternal(nowMs, account, ...order);
      this.isInformed = false;
      return handle;
    };
    return new Proxy(core, {
      get: (_, name: keyof CrowdCore) => (name === 'placeInternal' ? placeInternal : core[name].bind(core)),
    });
  }
}
