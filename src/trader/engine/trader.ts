/** The trader's single entry point: observations in, requests out. */

import { sub } from '../../shared/base/micros.js';
import type { Observation, OperatorCommand, Request, RequestResult } from '../../shared/protocol/seam.js';
import type { AccountStatus } from '../../shared/protocol/trader-status.js';
import type { Executor } from '../executor/executor.js';
import type { IntentRow, Ledger, OperatorEvent } from '../ledger/contract.js';
import { type PruneBatch, type PrunedBatch, pruneBatch } from '../reconcile/prune.js';
import type { Unsent } from '../scheduler/contract.js';
import { act, quietUntilMs } from './act.js';
import { commandRefusal } from './control/commands.js';
import { rememberStart } from './control/config-history.js';
import type { Mode } from './control/modes.js';
import { observe, observeReport, orderInTime } from './observe.js';
import { OutboundCheck } from './outbound-check.js';
import { objectionToPlace } from './quoting/quoting.js';
import { react } from './reactions.js';
import type { TraderSettings } from './settings.js';
import {
  type AccountSnapshot,
  makeAccountSnapshot,
  makeSnapshot,
  readRiskUse,
  type Snapshot,
  type WatchedMarket,
  watchMarkets,
} from './snapshot.js';
import { TraderState } from './state.js';

/**
 * Maximum rounds within one step. Requests that never left return as reports, which may cause new requests; more rounds
 * than this are a loop.
 */
const MAX_UNSENT_ROUNDS = 4;

/** Modes that must end without resting orders and without new ones. */
const EMPTYING: readonly Mode[] = ['killed', 'halted', 'stopping', 'stopped'];

const NO_REQUESTS: readonly Request[] = [];

export class Trader {
  readonly #state: TraderState;
  readonly #outgoing: OutboundCheck;
  /** Cached by the first read after a step; null before it. */
  #quietUntilMs: number | null = null;

  /** Restores requests in flight from the ledger. The first `handle` sends requests. */
  constructor(settings: TraderSettings, ledger: Ledger, executor: Executor, nowMs: number) {
    this.#state = new TraderState(settings, ledger, executor);
    this.#outgoing = new OutboundCheck(ledger);
    const state = this.#state;
    ledger.transaction(() => {
      const { runId, version, configHash } = settings;
      ledger.startRun({ id: runId, version, configHash, startedMs: nowMs });
      const before = ledger.pnl(new Map()).capitalMicros;
      ledger.setCapital(settings.capitalMicros, nowMs);
      if (before !== settings.capitalMicros) state.safety.capitalMoved(sub(settings.capitalMicros, before));
      const { startedWith: start } = settings;
      if (start !== undefined) {
        rememberStart(ledger, { ...start, reason: '', hash: configHash, atMs: nowMs });
      }
      // Nothing is signed or sent again before own state was read, nor under a kill of an earlier process.
      executor.setPlacing(false);
      executor.setConverting('none');
      react(state, executor.recover(nowMs), nowMs);
    });
  }

  /**
   * One step: observe, act, release. All state is in the ledger, and synced, before a request is returned; a request is
   * signed only after it is durable. Throws errors of the ledger: the shell must then cancel everything and exit.
   */
  handle(seen: Observation): readonly Request[] {
    const observation = orderInTime(seen, this.#state.clock);
    const { nowMs } = observation;
    if (observation.kind === 'time' && nowMs < this.quietUntilMs(nowMs)) {
      this.#state.clock.seenMs = nowMs;
      this.#rest();
      return NO_REQUESTS;
    }
    this.#quietUntilMs = null;
    this.#commit(nowMs, () => {
      observe(this.#state, observation);
      act(this.#state, nowMs);
    });
    const requests = this.#release(nowMs);
    if (observation.kind === 'time' && requests.length === 0) this.#rest();
    return requests;
  }

  /**
   * Lets the ledger do maintenance of the next commit now, unless an answer to an order or a cancel may arrive at once.
   */
  #rest(): void {
    const { ledger, requests } = this.#state;
    if (!requests.queue.carriesIntents) ledger.rest();
  }

  /**
   * Takes requests from the queue within the request budget. A request dropped before it left is observed like any
   * other outcome.
   */
  #release(nowMs: number): readonly Request[] {
    const { queue } = this.#state.requests;
    const requests: Request[] = [];
    for (let round = 0; round < MAX_UNSENT_ROUNDS; round++) {
      const released = queue.release(nowMs);
      for (const { id, call } of released.requests) this.#outgoing.check(call, queue.findOwner(id));
      requests.push(...released.requests);
      if (released.unsent.length === 0) return requests;
      this.#state.requests.unsent += released.unsent.length;
      this.#commit(nowMs, () => {
        for (const unsent of released.unsent) observeReport(this.#state, neverLeft(unsent, nowMs), NO_REQUEST);
      });
    }
    return requests;
  }

  /**
   * Our clock, ms: every `time` observation before this moment does nothing (no request, no write, no notice), if
   * nothing else is handled before it; `nowMs` when the next one may do something. Never later than the first moment
   * at which there is something to do, so a shell whose clock does not step may leave those observations out and gets
   * the same requests at the same times.
   */
  quietUntilMs(nowMs: number): number {
    if (nowMs < this.#state.clock.seenMs) return nowMs;
    this.#quietUntilMs ??= quietUntilMs(this.#state);
    return Math.max(nowMs, this.#quietUntilMs);
  }

  /** Decides and writes in one transaction; signs in a second one what the first made durable. */
  #commit(nowMs: number, work: () => void): void {
    const { ledger, executor, markets } = this.#state;
    ledger.transaction(work);
    const objectionTo = (place: IntentRow) => objectionToPlace(place, markets.get(place.marketConditionId), nowMs);
    ledger.transaction(() => react(this.#state, executor.signDrafts(nowMs, objectionTo), nowMs));
  }

  /** For status pages. Reads only. */
  snapshot(nowMs: number): Snapshot {
    return makeSnapshot(this.#state, nowMs);
  }

  /** The same without markets. Reads only. */
  account(nowMs: number): AccountSnapshot {
    return makeAccountSnapshot(this.#state, nowMs);
  }

  /** Used part of the limits. Reads only. */
  riskUse(nowMs: number): AccountStatus['risk'] {
    return readRiskUse(this.#state.account, this.#state.safety, nowMs);
  }

  /** All markets, for telemetry. Reads only. */
  watchMarkets(nowMs: number): readonly WatchedMarket[] {
    return watchMarkets(this.#state, nowMs);
  }

  /** True when killed, halted or stopping: resting orders must go. Cheap; read in every step. */
  get nothingMayRest(): boolean {
    return EMPTYING.includes(this.mode);
  }

  /** Current mode. Cheap; read in every step. */
  get mode(): Mode {
    return this.#state.safety.mode().mode;
  }

  /** True while the exchange must still show that nothing rests. */
  get wantsProof(): boolean {
    return this.#state.safety.modes.wantsProof;
  }

  /**
   * Why a command would be rejected now, in one sentence that says what is required; null when it would be accepted.
   * Reads only.
   */
  refusal(command: OperatorCommand): string | null {
    return commandRefusal(this.#state, command);
  }

  /** Notices since the last call. */
  takeNotices(): readonly OperatorEvent[] {
    return this.#state.notices.take();
  }

  /**
   * Deletes finished intents and orders without fills that no later step needs. Call it between two steps; throws as
   * they do.
   */
  prune(batch: PruneBatch, nowMs: number): PrunedBatch {
    const { ledger, executor } = this.#state;
    return pruneBatch(ledger, batch, nowMs, (intentId) => executor.isUnderWay(intentId));
  }

  /** Writes the end of the run; the last write before the ledger closes. */
  end(nowMs: number, note: string): void {
    const { ledger, settings, safety, markets } = this.#state;
    ledger.transaction(() => {
      safety.saveLoss();
      for (const { slots } of markets.all) for (const slot of slots) markets.saveStrategy(slot, nowMs);
      ledger.stopRun(settings.runId, nowMs, note);
    });
  }
}

/** Id for a request that never left. */
const NO_REQUEST = 0;

const neverLeft = ({ request, reason }: Unsent, nowMs: number): RequestResult => ({
  request: request,
  outcome: { kind: 'unknown', reason, sent: false },
  nowMs,
  sentMs: nowMs,
  venueTimeMs: null,
});
