/** The trader's one door: observations in, requests out. */

import { assert } from '../../shared/base/errors.js';
import { sub } from '../../shared/base/micros.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import type { Observation, OperatorCommand, Report, Request } from '../../shared/protocol/seam.js';
import { EXECUTOR_TAG, type OrderExecutor } from '../executor/contract.js';
import type { Ledger } from '../ledger/contract.js';
import type { SeenAt } from '../market/view.js';
import { inWords } from '../reconcile/confirmed-differences.js';
import { overfull, PageWalk } from '../reconcile/page-walk.js';
import { parseRoundTag, type RoundList } from '../reconcile/round.js';
import type { PollResult, PollTarget, Unsent } from '../scheduler/contract.js';
import { parsePollTag, pollTag } from '../scheduler/tags.js';
import { act } from './act.js';
import type { Mode } from './control/modes.js';
import type { MarketEntry } from './markets.js';
import { quietUntilMs } from './next-wakeup.js';
import { OutboundCheck } from './outbound-check.js';
import { ownOrders } from './own/own-state.js';
import { cancelOrder, PLACE_PAUSE_MS } from './quoting/quoting.js';
import { TraderStepContext } from './quoting/step-context.js';
import { react } from './reactions.js';
import type { TraderSettings } from './settings.js';
import { type Snapshot, snapshotOf } from './snapshot.js';
import { type Notice, TraderState, titled } from './state.js';

/**
 * Answers may be told in another order than they came in, and clocks are set by milliseconds: so small a step back is
 * waited out. A book seems younger by no more than that.
 */
const WAITED_OUT_MS = 1_000;

/** Asks that never left come back as reports, which may ask anew; more rounds than this within one step are a loop. */
const MAX_UNSENT_ROUNDS = 4;

/** So many outcomes in a row about which nothing is known mean that the exchange is not there. */
const SILENT_AFTER = 3;

/** Modes that a person, or a loss, has ordered to leave nothing resting and nothing to come. */
const EMPTYING: readonly Mode[] = ['killed', 'halted', 'stopping', 'stopped'];

const NO_REQUESTS: readonly Request[] = [];

export class Trader {
  readonly #state: TraderState;
  readonly #outgoing: OutboundCheck;
  /** Null after a step, until somebody asks. */
  #quietUntilMs: number | null = null;

  /** Takes up what the ledger says was under way. The first `handle` begins to ask. */
  constructor(settings: TraderSettings, ledger: Ledger, executor: OrderExecutor, nowMs: number) {
    this.#state = new TraderState(settings, ledger, executor);
    this.#outgoing = new OutboundCheck(ledger);
    const state = this.#state;
    ledger.transaction(() => {
      const { runId, version, configHash } = settings;
      ledger.startRun({ id: runId, version, configHash, startedMs: nowMs });
      const before = ledger.pnl(new Map()).capitalMicros;
      ledger.setCapital(settings.capitalMicros, nowMs);
      if (before !== settings.capitalMicros) state.capitalMoved(sub(settings.capitalMicros, before));
      // Nothing is signed or sent again before what is ours has been read, nor under a kill older than this process.
      executor.setPlacing(false);
      executor.setConverting(false);
      react(state, executor.recover(nowMs), nowMs);
    });
  }

  /**
   * One step. Everything that must be remembered is in the ledger, and synced, before a request is returned. What is
   * signed was durable before it was signed. An error of the ledger is thrown; the shell must cancel and end.
   */
  handle(seen: Observation): readonly Request[] {
    const observation = this.#notBackwards(seen);
    const { nowMs } = observation;
    if (observation.kind === 'time' && nowMs < this.quietUntilMs(nowMs)) {
      this.#state.seenMs = nowMs;
      return NO_REQUESTS;
    }
    this.#quietUntilMs = null;
    this.#step(nowMs, () => {
      this.#state.see(nowMs);
      this.#observe(observation);
      act(this.#state, nowMs);
    });
    const requests: Request[] = [];
    for (let round = 0; round < MAX_UNSENT_ROUNDS; round++) {
      const released = this.#state.queue.release(nowMs);
      for (const { id, call } of released.requests) this.#outgoing.check(call, this.#state.queue.tagOf(id));
      requests.push(...released.requests);
      if (released.unsent.length === 0) return requests;
      this.#state.unsent += released.unsent.length;
      this.#step(nowMs, () => {
        for (const unsent of released.unsent) this.#onReport(neverLeft(unsent, nowMs), NO_REQUEST);
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
  #step(nowMs: number, work: () => void): void {
    const { ledger, executor } = this.#state;
    ledger.transaction(work);
    ledger.transaction(() => react(this.#state, executor.afterCommit(nowMs), nowMs));
  }

  /** For status pages. Reads only. */
  snapshot(nowMs: number): Snapshot {
    return snapshotOf(this.#state, nowMs);
  }

  /** It was killed, halted or is being stopped: whatever rests at the exchange has to go. Cheap, for every step. */
  get nothingMayRest(): boolean {
    return EMPTYING.includes(this.#state.mode().mode);
  }

  /** Whether the exchange is being asked to show that nothing rests, and has not shown it yet. */
  get wantsProof(): boolean {
    return this.#state.modes.wantsProof;
  }

  /** Why a command would not be obeyed now, one sentence that says what is wanted; null when it would. Reads only. */
  refusal(command: OperatorCommand): string | null {
    return this.#state.modes.refusal(command, this.#state.stopped);
  }

  /** What has been worth saying since the last call. */
  takeNotices(): readonly Notice[] {
    return this.#state.takeNotices();
  }

  /** Writes the end of the run; the last thing before the ledger is closed. */
  end(nowMs: number, note: string): void {
    const { ledger, settings } = this.#state;
    ledger.transaction(() => {
      this.#state.saveGuard();
      ledger.stopRun(settings.runId, nowMs, note);
    });
  }

  #notBackwards(seen: Observation): Observation {
    const { seenMs } = this.#state;
    return seen.nowMs < seenMs && seenMs - seen.nowMs <= WAITED_OUT_MS ? { ...seen, nowMs: seenMs } : seen;
  }

  #observe(observation: Observation): void {
    switch (observation.kind) {
      case 'time':
        return;
      case 'command':
        return this.#command(observation.command, observation.nowMs);
      case 'outcome': {
        const ask = this.#state.queue.onOutcome(observation);
        const { outcome, nowMs, sentMs, venueTimeMs, requestId } = observation;
        if (venueTimeMs !== null) this.#state.venueClock.observe(venueTimeMs, sentMs, nowMs);
        this.#listen(outcome.kind === 'unknown' ? outcome.reason : null, nowMs);
        return this.#onReport({ ask, outcome, nowMs, sentMs, venueTimeMs }, requestId);
      }
    }
  }

  #onReport(report: Report, requestId: number): void {
    const target = parsePollTag(report.ask.tag);
    if (target !== null) return this.#onPoll(target, report, requestId);
    const list = parseRoundTag(report.ask.tag);
    if (list !== null) return this.#onRound(list, report);
    assert(report.ask.tag.startsWith(EXECUTOR_TAG), `an ask of no room came back: ${report.ask.tag}`);
    react(this.#state, this.#state.executor.onReport(report), report.nowMs);
  }

  #onPoll(target: PollTarget, report: Report, requestId: number): void {
    const { poller } = this.#state;
    if ('marketConditionId' in target) {
      return poller.onReport(report.ask.tag, this.#onMarketPoll(target, report, requestId), report.nowMs);
    }
    if (target.kind === 'assets') return this.#onRound('assets', report);
    const result = target.kind === 'catalog' ? this.#onCatalog(report) : this.#onOwnList(target.kind, report);
    if (result !== null) poller.onReport(report.ask.tag, result, report.nowMs);
  }

  #onMarketPoll(target: MarketTarget, report: Report, requestId: number): PollResult {
    const { outcome } = report;
    const state = this.#state;
    const tracked = state.markets.get(target.marketConditionId);
    if (tracked === undefined || tracked.outBecause !== null || outcome.kind !== 'answered') return resultOf(report);
    if (overfull(report.ask, outcome.data) !== null) return 'failed';
    const at: SeenAt = { requestId, sentMs: report.sentMs, seenMs: report.nowMs, venueTimeMs: report.venueTimeMs };
    try {
      this.#takeIn(tracked, target.kind, outcome.data, at);
    } catch (error) {
      // Arithmetic that a row of this market has broken; a broken ledger or promise of our own ends the trader.
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      state.takeOut(tracked, `a ${target.kind} answer cannot be reckoned with: ${error.message}`, report.nowMs);
      return 'failed';
    }
    state.touch(target.marketConditionId);
    return 'ok';
  }

  /** The shell answers an ask with the data of the ask's own endpoint; the tag says which that was. */
  #takeIn(tracked: MarketEntry, kind: MarketTarget['kind'], data: unknown, at: SeenAt): void {
    const state = this.#state;
    const { conditionId } = tracked;
    switch (kind) {
      case 'book':
        return tracked.feed.onBook(data as DataOf<'markets.book'>, at, ownOrders(state.own, conditionId));
      case 'trades':
        return tracked.feed.onTrades(data as DataOf<'markets.trades'>, at);
      case 'detail':
        if (state.markets.onDetail(tracked, data as DataOf<'markets.detail'>, at)) {
          state.say(at.seenMs, 'market', `"${titled(state, conditionId)}" is now ${tracked.feed.facts?.phase}`);
        }
        state.stale(); // fees and event may have changed what our orders can cost
    }
  }

  #onCatalog(report: Report): PollResult | null {
    const state = this.#state;
    state.catalog ??= new PageWalk((row) => row.condition_id);
    const walk = state.catalog;
    const step = walk.onReport(report);
    if (step.kind === 'page' && step.next !== null) {
      state.queue.push(step.next);
      return null;
    }
    state.catalog = null;
    if (step.kind === 'void') return resultOf(report) === 'unsent' ? 'unsent' : 'failed';
    state.markets.onCatalog(walk.rows);
    return 'ok';
  }

  #onOwnList(kind: 'orders' | 'fills', report: Report): PollResult | null {
    const state = this.#state;
    const { reconciler, poller } = state;
    const step = reconciler.onReport(kind, report);
    for (const ask of step.asks) state.queue.push(ask);
    react(state, step.reaction, report.nowMs);
    this.#tellNews(report.nowMs);
    if (step.result === 'ok' && reconciler.awaits.includes(kind)) poller.expedite({ kind });
    if (step.restingOrders !== null) this.#onResting(step.restingOrders, report.nowMs);
    return step.result;
  }

  /** One list of a round of reconciliation; the poll that began it has ended when all of them have. */
  #onRound(list: RoundList, report: Report): void {
    const { reconciler, poller, queue } = this.#state;
    const { asks, result } = reconciler.onRound(list, report);
    for (const ask of asks) queue.push(ask);
    this.#tellNews(report.nowMs);
    if (result === null) return;
    poller.onReport(pollTag({ kind: 'assets' }), result, report.nowMs);
    for (const kind of reconciler.awaits) poller.expedite({ kind });
  }

  #tellNews(nowMs: number): void {
    const state = this.#state;
    for (const { loud, text } of state.reconciler.takeNews()) {
      if (loud) state.loud(nowMs, 'reconciliation', text);
      else state.say(nowMs, 'reconciliation', text);
    }
  }

  /** While everything is being canceled, what rests and is nobody's of ours goes too. */
  #onResting(
    { rows, startedMs }: { rows: readonly DataOf<'orders.list'>[number][]; startedMs: number },
    nowMs: number,
  ) {
    const state = this.#state;
    if (!state.modes.wantsProof) return;
    // One that began later than it ended was asked for before our clock was set back.
    if (state.settledMs !== null && startedMs >= state.settledMs && startedMs <= nowMs) {
      state.modes.proof(rows.length, nowMs);
      if (state.modes.proven) state.saveModes();
    }
    const turn = new TraderStepContext(state, 'canceling', nowMs);
    for (const { pubkey, market } of rows) {
      const ours = pubkey !== null && state.ledger.order(pubkey) !== null;
      if (pubkey === null || ours || turn.triedToCancel(pubkey)) continue;
      if (cancelOrder(pubkey, market.condition_id, turn)) state.stale();
    }
  }

  #command(command: OperatorCommand, nowMs: number): void {
    const state = this.#state;
    const reason = 'reason' in command ? `: ${command.reason || 'none given'}` : '';
    if (command.kind === 'quote-hours') {
      state.markets.setQuoteHours(command.strategy, command.open);
      const where = command.open ? 'within' : 'outside';
      return state.say(nowMs, 'quote_hours', `strategy ${command.strategy} is ${where} its quote hours`);
    }
    const refusal = this.refusal(command);
    if (refusal !== null) return state.loud(nowMs, 'command_refused', `${command.kind}: ${refusal}`);
    if (command.kind === 'reconcile') {
      // A timer may ask for it every minute; what it finds is said when it differs.
      state.say(nowMs, 'command', command.kind);
      for (const kind of ['orders', 'assets', 'fills'] as const) state.poller.expedite({ kind });
      return;
    }
    state.loud(nowMs, 'command', `${command.kind}${reason}`);
    state.modes.apply(command);
    if (command.kind === 'resume') {
      state.resume();
      // Only a person who says why can have looked at what differs.
      const accepted = command.reason === '' ? [] : state.reconciler.accept(nowMs);
      for (const difference of accepted)
        state.loud(nowMs, 'reconciliation', `left out from now on: ${inWords(difference)}`);
    }
    state.saveModes();
    for (const { conditionId } of state.markets.all) state.touch(conditionId);
  }

  /** Says once that the exchange has fallen silent, and once that it is back; then looks at what is ours first. */
  #listen(silentBecause: string | null, nowMs: number): void {
    const state = this.#state;
    const wasSilent = state.silence >= SILENT_AFTER;
    state.silence = silentBecause === null ? 0 : state.silence + 1;
    if (state.silence === SILENT_AFTER) {
      state.loud(
        nowMs,
        'silent',
        `the exchange does not answer: ${silentBecause}; what rests there is unknown, not gone`,
      );
    }
    // The looks at what is ours tell when it is back; drafts would be asked for as fast as connections are refused.
    if (state.silence >= SILENT_AFTER) state.pausePlacing(nowMs + PLACE_PAUSE_MS);
    if (!wasSilent || silentBecause !== null) return;
    state.loud(nowMs, 'answering', 'the exchange answers again');
    for (const kind of ['orders', 'fills', 'assets'] as const) state.poller.expedite({ kind });
  }
}

/** Of an ask that never left. */
const NO_REQUEST = 0;

type MarketTarget = Extract<PollTarget, { marketConditionId: string }>;

const neverLeft = ({ ask, reason }: Unsent, nowMs: number): Report => ({
  ask,
  outcome: { kind: 'unknown', reason, sent: false },
  nowMs,
  sentMs: nowMs,
  venueTimeMs: null,
});

function resultOf({ outcome }: Pick<Report, 'outcome'>): PollResult {
  if (outcome.kind === 'answered') return 'ok';
  return outcome.kind === 'unknown' && !outcome.sent ? 'unsent' : 'failed';
}
