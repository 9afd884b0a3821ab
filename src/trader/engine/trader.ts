/** The trader's entry point: takes observations and returns requests. */

import { sub } from '../../shared/base/micros.js';
import type { RequestOwner } from '../../shared/protocol/request-owner.js';
import type { Observation, OperatorCommand, Request } from '../../shared/protocol/seam.js';
import type { AccountStatus } from '../../shared/protocol/trader-status.js';
import type { Executor } from '../executor/executor.js';
import type { IntentRow, Ledger, OperatorEvent } from '../ledger/contract.js';
import { type PruneBatch, type PrunedBatch, pruneBatch } from '../reconcile/prune.js';
import { act, quietUntilMs } from './act.js';
import { commandRefusal, LESS_CAPITAL, rememberStart } from './control/commands.js';
import type { Mode } from './control/modes.js';
import { observe, observeReport } from './observe.js';
import { OutboundCheck } from './outbound-check.js';
import { objectionToPlace } from './quoting/quoting.js';
import { react } from './reactions.js';
import type { TraderSettings } from './settings.js';
import {
  type AccountSnapshot,
  makeAccountSnapshot,
  makeSnapshot,
  readRiskUse,
  type TraderSnapshot,
  type WatchedMarket,
  watchMarkets,
} from './snapshot.js';
import { TraderState } from './state.js';

/** Maximum number of rounds of request releases in one step. Unsent requests of a round may cause new requests. */
const MAX_UNSENT_ROUNDS = 4;
/** Backward steps of our clock up to this size are ignored, ms. Late answers and clock corrections cause them. */
const WAITED_OUT_MS = 1_000;

/** Modes in which all resting orders are canceled and no new order is placed. */
const EMPTYING: readonly Mode[] = ['killed', 'halted', 'stopping', 'stopped'];

const NO_REQUESTS: readonly Request[] = [];

export class Trader {
  readonly #state: TraderState;
  readonly #outgoing: OutboundCheck;
  /** Cached result of `quietUntilMs`; each step resets it to null. */
  #quietUntilMs: number | null = null;

  /** Restores intents in flight from the ledger. Sends nothing: only `handle` returns requests. */
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
      if (settings.capitalMicros < before) state.markets.pullOrders(LESS_CAPITAL);
      const { startedWith: start } = settings;
      if (start !== undefined) rememberStart(ledger, { ...start, reason: '', hash: configHash, atMs: nowMs });
      // No order is signed or sent until own orders and holdings are read, or while the trader is killed.
      executor.allowed.placing = false;
      executor.allowed.converting = 'none';
      react(state, executor.recover(nowMs), nowMs);
      state.account.invalidate();
    });
  }

  /**
   * Runs one trader step: processes the observation, acts, and returns requests. Ledger changes are on disk before a
   * request is returned, and a draft is on disk before it is signed. Throws ledger errors. After a ledger error, the
   * shell must cancel all orders and exit.
   */
  handle(seen: Observation): readonly Request[] {
    const { seenMs } = this.#state.clock;
    const isLate = seen.nowMs < seenMs && seenMs - seen.nowMs <= WAITED_OUT_MS;
    const observation = isLate ? { ...seen, nowMs: seenMs } : seen;
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

  /** Runs maintenance of the ledger now, unless requests of intents wait or are in flight. */
  #rest(): void {
    const { ledger, requests } = this.#state;
    if (!requests.queue.carriesIntents) ledger.rest();
  }

  /** Returns why a released request that waits to be sent must not leave any more, for example after a kill; or null. */
  findObjection(requestId: number, nowMs: number): string | null {
    return this.#findObjection(this.#state.requests.queue.findOwner(requestId), nowMs);
  }

  #findObjection(owner: RequestOwner, nowMs: number): string | null {
    return owner.kind === 'intent' ? this.#state.executor.findObjection(owner.intentId, owner.step, nowMs) : null;
  }

  /** Takes requests from the queue within the budget. Reports each request that is dropped unsent. */
  #release(nowMs: number): readonly Request[] {
    const { queue } = this.#state.requests;
    const requests: Request[] = [];
    // While a request waits, its intent may end, or be withdrawn or forbidden. Example: a cancel whose order is filled.
    if (queue.waiting > 0) queue.recall(({ owner }) => this.#findObjection(owner, nowMs));
    for (let round = 0; round < MAX_UNSENT_ROUNDS; round++) {
      const released = queue.release(nowMs);
      for (const { id, call } of released.requests) this.#outgoing.check(call, queue.findOwner(id));
      requests.push(...released.requests);
      if (released.unsent.length === 0) return requests;
      this.#state.requests.unsent += released.unsent.length;
      this.#commit(nowMs, () => {
        for (const { request, reason } of released.unsent) {
          const outcome = { kind: 'unknown', reason, sent: false } as const;
          observeReport(this.#state, { request, outcome, nowMs, sentMs: nowMs, venueTimeMs: null });
        }
      });
    }
    return requests;
  }

  /**
   * Returns the earliest time at which a `time` observation may have an effect, our clock, ms; `nowMs` means at once.
   * Any observation of another kind makes this result invalid. A shell with virtual time may skip earlier `time`
   * observations, and still gets the same requests.
   */
  quietUntilMs(nowMs: number): number {
    if (nowMs < this.#state.clock.seenMs) return nowMs;
    this.#quietUntilMs ??= quietUntilMs(this.#state);
    return Math.max(nowMs, this.#quietUntilMs);
  }

  /** Runs `work` in one ledger transaction. A second transaction signs the drafts that the first one stored. */
  #commit(nowMs: number, work: () => void): void {
    const { ledger, executor, markets } = this.#state;
    ledger.transaction(work);
    const objectionTo = (place: IntentRow) => objectionToPlace(place, markets.get(place.marketConditionId), nowMs);
    ledger.transaction(() => react(this.#state, executor.signDrafts(nowMs, objectionTo), nowMs));
  }

  snapshot(nowMs: number): TraderSnapshot {
    return makeSnapshot(this.#state, nowMs);
  }

  account(nowMs: number): AccountSnapshot {
    return makeAccountSnapshot(this.#state, nowMs);
  }

  riskUse(nowMs: number): AccountStatus['risk'] {
    const { account, safety, clock } = this.#state;
    return readRiskUse(account, safety, nowMs, clock.venue.nowMs(nowMs) ?? nowMs);
  }

  watchMarkets(nowMs: number): readonly WatchedMarket[] {
    return watchMarkets(this.#state, nowMs);
  }

  /** True if the trader is killed, halted or stopping, so that no own order may be open. */
  get nothingMayRest(): boolean {
    return EMPTYING.includes(this.mode);
  }

  get mode(): Mode {
    return this.#state.safety.mode().mode;
  }

  /** True while a stop or a cancel-all waits until the exchange has shown that no own order rests. */
  get wantsProof(): boolean {
    return this.#state.safety.modes.wantsProof;
  }

  /** Returns why a command would be rejected now, with the remedy, in one sentence; null if it would run. */
  refusal(command: OperatorCommand): string | null {
    return commandRefusal(this.#state, command);
  }

  takeNotices(): readonly OperatorEvent[] {
    return this.#state.notices.take();
  }

  /** Deletes a batch of ended intents, and orders without fills, from the ledger. Call `prune` between two steps. */
  prune(batch: PruneBatch, nowMs: number): PrunedBatch {
    const { ledger, executor } = this.#state;
    return pruneBatch(ledger, batch, nowMs, (intentId) => executor.isUnderWay(intentId));
  }

  /** Stores the end of the run. Call `end` last, before the ledger is closed. */
  end(nowMs: number, note: string): void {
    const { ledger, settings, safety, markets } = this.#state;
    ledger.transaction(() => {
      safety.saveLoss();
      for (const { slots } of markets.all) for (const slot of slots) markets.saveStrategy(slot, nowMs);
      ledger.stopRun(settings.runId, nowMs, note);
    });
  }
}
