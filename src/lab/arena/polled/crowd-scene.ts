/** The paper exchange's own crowd, whose hidden fair prices only the judge is shown. */

import type { AccountSlot, MarketIndex } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { Crowd } from '../../../exchange/crowd/crowd.js';
import type { CrowdCore } from '../../../exchange/crowd/crowd-core.js';
import type { RecordedMarket } from '../../../recording/contract.js';
import { must } from '../../../shared/base/errors.js';
import { Random } from '../../../shared/base/random.js';
import { playFromMemory } from '../../backtest/sources.js';
import type { Scene, SceneMarket } from './scene.js';

/** As `Crowd` names the account of those who see the truth. */
const INFORMED = 'crowd-informed';

export class CrowdScene implements Scene {
  readonly #core: ExchangeCore;
  readonly #seed: number;
  readonly #outcomes: Random;
  #crowd: Crowd | null = null;
  #informed: AccountSlot | null = null;
  #isInformed = false;

  constructor(core: ExchangeCore, seed: number) {
    this.#core = core;
    this.#seed = seed;
    this.#outcomes = Random.fromSeed(seed, 'outcomes');
  }

  get isInformed(): boolean {
    return this.#isInformed;
  }

  open(nowMs: number): readonly CrowdSceneMarket[] {
    const crowd = Crowd.attach(this.#watchCore(), { seed: this.#seed }, nowMs);
    this.#crowd = crowd;
    return crowd.truths().map(({ conditionId, index }) => {
      const truth = () =>
        must(
          crowd.truths().find((one) => one.index === index),
          'a market of the crowd',
        ).probability;
      return new CrowdSceneMarket(makeRecordedMarket(this.#core, conditionId, index), index, truth);
    });
  }

  nextDueMs(): number {
    return this.#crowd?.nextDueMs() ?? Number.POSITIVE_INFINITY;
  }

  tick(nowMs: number): void {
    this.#crowd?.tick(nowMs);
  }

  /** Long before its date: its outcome is drawn from its hidden probability as it is now. */
  close(market: CrowdSceneMarket, nowMs: number): void {
    const { conditionId } = market.source.market;
    market.outcome = this.#outcomes.chance(market.probability);
    this.#core.setMarketState(nowMs, conditionId, 'waiting_to_resolve');
    this.#core.resolveMarket(nowMs, conditionId, market.outcome);
  }

  /** The core as the crowd uses it, with a look at who acts. */
  #watchCore(): CrowdCore {
    const core = this.#core;
    return {
      findMarketIndex: (conditionId) => core.findMarketIndex(conditionId),
      marketFacts: (index) => core.marketFacts(index),
      createMarket: (nowMs, spec) => core.createMarket(nowMs, spec),
      setMarketState: (nowMs, conditionId, state) => core.setMarketState(nowMs, conditionId, state),
      resolveMarket: (nowMs, conditionId, isYes) => core.resolveMarket(nowMs, conditionId, isYes),
      openInternalAccount: (nowMs, name, options) => {
        const account = core.openInternalAccount(nowMs, name, options);
        if (name === INFORMED) this.#informed = account;
        return account;
      },
      placeInternal: (nowMs, account, ...order) => {
        this.#isInformed = account === this.#informed;
        const handle = core.placeInternal(nowMs, account, ...order);
        this.#isInformed = false;
        return handle;
      },
      cancelInternal: (nowMs, handle) => core.cancelInternal(nowMs, handle),
      internalRemaining: (handle) => core.internalRemaining(handle),
      bestBid: (index) => core.bestBid(index),
      bestAsk: (index) => core.bestAsk(index),
      internalOrders: (account) => core.internalOrders(account),
    };
  }
}

class CrowdSceneMarket implements SceneMarket {
  readonly source: SceneMarket['source'];
  readonly index: MarketIndex;
  outcome: boolean | null = null;
  readonly #truth: () => number;

  constructor(market: RecordedMarket, index: MarketIndex, truth: () => number) {
    this.source = playFromMemory(market, []);
    this.index = index;
    this.#truth = truth;
  }

  get probability(): number {
    return this.#truth();
  }
}

const makeRecordedMarket = (core: ExchangeCore, conditionId: string, index: MarketIndex): RecordedMarket => ({
  conditionId,
  eventTitle: conditionId,
  title: core.detailRow(index).title,
  category: 'finance',
  rules: [],
  tickPrecision: 2,
  amountPrecision: 2,
  openTimeMs: 0,
  closeTimeMs: 0,
  outcome: null,
  source: { kind: 'twinbook', path: 'arena', ticker: conditionId, origin: 'arena' },
});
