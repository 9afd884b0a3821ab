/** The paper exchange's own crowd; only the judge sees its hidden fair prices. */

import type { ExchangeCore } from '../../../exchange/core/core.js';
import { detailRow } from '../../../exchange/core/records/market-rows.js';
import { Crowd } from '../../../exchange/crowd/crowd.js';
import { must } from '../../../shared/base/errors.js';
import { Random } from '../../../shared/base/random.js';
import { describeMarket } from './stepped-scene.js';
import type { Scene, SceneMarket } from './trader-run.js';

/** `Crowd`'s name for the account of informed takers. */
const INFORMED = 'crowd-informed';

export function crowdScene(core: ExchangeCore, seed: number): Scene {
  let crowd: Crowd | null = null;
  let isInformed = false;
  return {
    get isInformed() {
      return isInformed;
    },
    open(nowMs) {
      crowd = Crowd.attach(core, { seed }, nowMs);
      // Notes while the informed traders place an order. The crowd has opened their account before.
      const informed = core.identity.openInternal(INFORMED, { unlimited: true });
      const place = core.internal.place.bind(core.internal);
      core.internal.place = (account, ...order) => {
        isInformed = account === informed;
        const handle = place(account, ...order);
        isInformed = false;
        return handle;
      };
      return listMarkets(core, crowd, Random.fromSeed(seed, 'outcomes'));
    },
    nextDueMs: () => crowd?.nextDueMs() ?? Number.POSITIVE_INFINITY,
    tick: (nowMs) => crowd?.tick(nowMs),
  };
}

const listMarkets = (core: ExchangeCore, crowd: Crowd, outcomes: Random): readonly SceneMarket[] =>
  crowd.truths().map(({ conditionId, index }) => ({
    recorded: describeMarket(conditionId, conditionId, detailRow(core.catalog, core.catalog.market(index)).title),
    index,
    get probability() {
      const truth = crowd.truths().find((one) => one.index === index);
      return must(truth, 'a market of the crowd').probability;
    },
    /** Long before its date: its outcome is drawn from the present hidden probability. */
    decide(): boolean {
      return outcomes.chance(this.probability);
    },
  }));
