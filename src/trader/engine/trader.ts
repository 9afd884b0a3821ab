/** The trader's one door: observations in, requests out. */

import { sub } from '../../shared/base/micros.js';
import type { Observation, OperatorCommand, Request, RequestResult } from '../../shared/protocol/seam.js';
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
  listFaces,
  type MarketFace,
  makeAccountSnapshot,
  makeSnapshot,
  type RiskUse,
  readRiskUse,
  type Snapshot,
} from './snapshot.js';
import { TraderState } from './state.js';

/** Requests that never left come back as reports, which may ask anew; more rounds than this within one step are a loop. */
const MAX_UNSENT_ROUNDS = 4;

/** Modes that a person, or a loss, has ordered to leave nothing resting and nothing to come. */
const EMPTYING: readonly Mode[] = ['killed', 'halted', 'stopping', 'stopped'];

const NO_REQUESTS: readonly Request[] = [];

export class Trader {
  readonly #state: TraderState;
  readonly #outgoing: OutboundCheck;
  /** Null after a step, until somebody asks. */
  #quietUntilMs: number | null = null;

  /** Takes up what the ledger says was under way. The first `handle` begins to ask. */
  constructor(settings: TraderSettings, ledger: Ledger, executor: Executor, nowMs: number) {
    this.#state = new TraderState(settings, ledger, executor);
    this.#outgoing = new OutboundCheck(ledger);
    const state = this.#state;
    ledger.transaction(() => {
      const { runId, version, configHash } = settings;
      ledger.startRun({ id: runId, version, configHash, startedMs: nowMs });
      const before = ledger.pnl(new Map()).capitalMicros;
      ledger.setCapital(settings.capitalMicros, nowMs);
      if (before !== settings.capitalMicros) state.capitalMoved(sub(settings.capitalMicros, before));
      const { startedWith: start } = settings;
      if (start !== undefined) {
        rememberStart(ledger, { ...start, reason: '', hash: configHash, atMs: nowMs });
      }
      // Nothing is signed or sent again before what is ours has been read, nor under a kill older than this process.
      executor.setPlacing(false);
      executor.setConverting('none');
      react(state, executor.recover(nowMs), nowMs);
    });
  }

  /**
   * One step: observe, act, release. Everything that must be remembered is in the ledger, and synced, before a request is returned. What is
   * signed was durable before it was signed. An error of the ledger is thrown; the shell must cancel and end.
   */
  handle(seen: Observation): readonly Request[] {
    const observation = orderInTime(seen, this.#state);
    const { nowMs } = observation;
    if (observation.kind === 'time' && nowMs < this.quietUntilMs(nowMs)) {
      this.#state.seenMs = nowMs;
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

  /** Lets the ledger do what the next commit would have to, unless that may come at once: with the answer to an order or a cancel. */
  #rest(): void {
    const { ledger, queue } = this.#state;
    if (!queue.carriesIntents) ledger.rest();
  }

  /** What the request budget lets go of. What was given up before it left is observed like any other outcome. */
  #release(nowMs: number): readonly Request[] {
    const { queue } = this.#state;
    const requests: Request[] = [];
    for (let round = 0; round < MAX_UNSENT_ROUNDS; round++) {
      const released = queue.release(nowMs);
      for (const { id, call } of released.requests) this.#outgoing.check(call, queue.findOwner(id));
      requests.push(...released.requests);
      if (released.unsent.length === 0) return requests;
      this.#state.unsent += released.unsent.length;
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
    if (nowMs < this.#state.seenMs) return nowMs;
    this.#quietUntilMs ??= quietUntilMs(this.#state);
    return Math.max(nowMs, this.#quietUntilMs);
  }

  /** Decides and writes in one transaction; signs what that made durable in a second. */
  #commit(nowMs: number, work: () => void): void {
    const { ledger, executor } = this.#state;
    ledger.transaction(work);
    const { markets } = this.#state;
    const objectionTo = (place: IntentRow) => objectionToPlace(place, markets.get(place.marketConditionId), nowMs);
    ledger.transaction(() => react(this.#state, executor.signDrafts(nowMs, objectionTo), nowMs));
  }

  /** For status pages. Reads only. */
  snapshot(nowMs: number): Snapshot {
    return makeSnapshot(this.#state, nowMs);
  }

  /** The same without its markets. Reads only. */
  account(nowMs: number): AccountSnapshot {
    return makeAccountSnapshot(this.#state, nowMs);
  }

  /** How much of the limits is used. Reads only. */
  riskUse(nowMs: number): RiskUse {
    return readRiskUse(this.#state, nowMs);
  }

  /** What strategies were last shown and wanted, by reference. Reads only. */
  faces(): readonly MarketFace[] {
    return listFaces(this.#state);
  }

  /** It was killed, halted or is being stopped: whatever rests at the exchange has to go. Cheap, for every step. */
  get nothingMayRest(): boolean {
    return EMPTYING.includes(this.mode);
  }

  /** Where it stands on the ladder. Cheap, for every step. */
  get mode(): Mode {
    return this.#state.mode().mode;
  }

  /** Whether the exchange is being asked to show that nothing rests, and has not shown it yet. */
  get wantsProof(): boolean {
    return this.#state.modes.wantsProof;
  }

  /** Why a command would not be obeyed now, one sentence that says what is wanted; null when it would. Reads only. */
  refusal(command: OperatorCommand): string | null {
    return commandRefusal(this.#state, command);
  }

  /** What has been worth saying since the last call. */
  takeNotices(): readonly OperatorEvent[] {
    return this.#state.takeNotices();
  }

  /** Deletes some finished intents and orders without fills, which no later step needs. Call it between two steps; throws as they do. */
  prune(batch: PruneBatch, nowMs: number): PrunedBatch {
    const { ledger, executor } = this.#state;
    return pruneBatch(ledger, batch, nowMs, (intentId) => executor.isUnderWay(intentId));
  }

  /** Writes the end of the run; the last thing before the ledger is closed. */
  end(nowMs: number, note: string): void {
    const { ledger, settings } = this.#state;
    ledger.transaction(() => {
      this.#state.saveLoss();
      const { markets } = this.#state;
      for (const { slots } of markets.all) for (const slot of slots) markets.saveStrategy(slot, nowMs);
      ledger.stopRun(settings.runId, nowMs, note);
    });
  }
}

/** Of a request that never left. */
const NO_REQUEST = 0;

const neverLeft = ({ request, reason }: Unsent, nowMs: number): RequestResult => ({
  request: request,
  outcome: { kind: 'unknown', reason, sent: false },
  nowMs,
  sentMs: nowMs,
  venueTimeMs: null,
});
