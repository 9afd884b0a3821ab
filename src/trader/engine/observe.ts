/**
 * First part of a step: orders observations in time, finds the request of an outcome, and passes it to its owner. The
 * only place that looks up a request's owner.
 */

import { AssertionFailed } from '../../shared/base/errors.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import {
  describeOwner,
  type MarketPoll,
  type PollTarget,
  type RoundList,
} from '../../shared/protocol/request-owner.js';
import type { Observation, RequestResult } from '../../shared/protocol/seam.js';
import type { Jump } from '../market/liveness.js';
import { readVenueMark } from '../market/venue-marks.js';
import type { SeenAt } from '../market/view.js';
import type { RestingOrders } from '../reconcile/comparison.js';
import { overfull, PageWalk } from '../reconcile/page-walk.js';
import type { OutcomeObservation, PollResult } from '../scheduler/contract.js';
import { obey } from './control/commands.js';
import type { MarketEntry } from './markets.js';
import { ownOrders } from './own/own-state.js';
import { takeCandles } from './prior.js';
import { cancelOrder, PLACE_PAUSE_MS } from './quoting/quoting.js';
import { makeStepContext } from './quoting/step-context.js';
import { lookAtEvent, react, tellMarket } from './reactions.js';
import { showTitle, type TraderState } from './state.js';

/**
 * Answers may arrive out of order, and clock corrections are small. A step back up to this many ms is waited out; a
 * book then seems younger by at most this.
 */
const WAITED_OUT_MS = 1_000;

/** The same observation with its time clamped to the newest one, unless the clock was set back. */
export function orderInTime<T extends Observation>(seen: T, { seenMs }: TraderState): T {
  return seen.nowMs < seenMs && seenMs - seen.nowMs <= WAITED_OUT_MS ? { ...seen, nowMs: seenMs } : seen;
}

/** The outcome with its request. */
function receiveOutcome(state: TraderState, seen: OutcomeObservation): RequestResult {
  const request = state.queue.onOutcome(seen);
  const { outcome, nowMs, sentMs, venueTimeMs } = seen;
  if (venueTimeMs !== null) state.venueClock.observe(venueTimeMs, sentMs, nowMs);
  noteSilence(state, outcome.kind === 'unknown' ? outcome.reason : null, nowMs);
  return { request, outcome, nowMs, sentMs, venueTimeMs };
}

/** Sends one notice when the exchange goes silent and one when it is back; then own state is read first. */
function noteSilence(state: TraderState, silentBecause: string | null, nowMs: number): void {
  if (silentBecause === null) return endSilence(state, nowMs);
  if (state.silence.onUnknown(nowMs))
    state.alert(
      nowMs,
      'silent',
      `the exchange does not answer: ${silentBecause}; what rests there is unknown, not gone`,
    );
  // The own-state reads show when it is back. Drafts would be retried as fast as connections are refused.
  if (state.silence.isOn) state.pausePlacing(nowMs + PLACE_PAUSE_MS);
}

function endSilence(state: TraderState, nowMs: number): void {
  const { wasOn, isBack } = state.silence.onAnswer();
  if (isBack) state.alert(nowMs, 'answering', 'the exchange answers again');
  if (!wasOn) return;
  for (const kind of ['orders', 'fills', 'assets'] as const) state.poller.expedite({ kind });
}

export function observe(state: TraderState, seen: Observation): void {
  state.advanceClock(seen.nowMs);
  switch (seen.kind) {
    case 'time':
      return;
    case 'command':
      return obey(state, seen.command, seen.nowMs);
    case 'feed':
      return state.feeds.take(seen, state);
    case 'outcome':
      return observeReport(state, receiveOutcome(state, seen), seen.requestId);
  }
}

/**
 * Throws AssertionFailed for a request without an owner.
 *
 * @param requestId 0 for a request that never left
 */
export function observeReport(state: TraderState, report: RequestResult, requestId: number): void {
  const { owner } = report.request;
  switch (owner.kind) {
    case 'poll':
      return observePoll(state, owner.target, report, requestId);
    case 'round':
      return observeRound(state, owner.list, report);
    case 'intent':
      return react(state, state.executor.onReport(report), report.nowMs);
    case 'other':
      throw new AssertionFailed(`a request of no room came back: ${describeOwner(owner)}`);
  }
}

function observePoll(state: TraderState, target: PollTarget, report: RequestResult, requestId: number): void {
  if ('marketConditionId' in target) {
    const { kind, marketConditionId } = target;
    const result =
      kind === 'candles'
        ? readBars(state, marketConditionId, report)
        : readMarket(state, { kind, marketConditionId }, report, requestId);
    return state.poller.onReport(target, result, report.nowMs);
  }
  switch (target.kind) {
    case 'catalog':
      return observeCatalog(state, report);
    case 'details':
      return observeDetails(state, report, requestId);
    // The assets poll is the first request of a round.
    case 'assets':
      takeMarks(state, report, seenAt(report, requestId));
      return observeRound(state, 'assets', report);
    case 'marks':
      takeMarks(state, report, seenAt(report, requestId));
      return state.poller.onReport(target, toPollResult(report), report.nowMs);
    case 'orders':
    case 'fills':
      return observeOwnList(state, target.kind, report);
  }
}

/** Polls that report the current state of a market. */
type Seen = Exclude<MarketPoll, 'candles'>;

function readBars(state: TraderState, conditionId: string, report: RequestResult): PollResult {
  const entry = state.markets.get(conditionId);
  if (entry !== undefined) takeCandles(state, entry, report, showTitle(state, conditionId));
  return toPollResult(report);
}

function readMarket(
  state: TraderState,
  { kind, marketConditionId: conditionId }: { readonly kind: Seen; readonly marketConditionId: string },
  report: RequestResult,
  requestId: number,
): PollResult {
  const { outcome } = report;
  const entry = state.markets.get(conditionId);
  if (entry === undefined || entry.excludedBecause !== null || outcome.kind !== 'answered') return toPollResult(report);
  if (overfull(report.request, outcome.data) !== null) return 'failed';
  return readData(state, entry, kind, outcome.data, seenAt(report, requestId));
}

const seenAt = ({ sentMs, nowMs, venueTimeMs }: RequestResult, requestId: number): SeenAt => ({
  requestId,
  sentMs,
  seenMs: nowMs,
  venueTimeMs,
});

function readData(state: TraderState, entry: MarketEntry, poll: Seen, data: unknown, at: SeenAt): PollResult {
  try {
    takeIn(state, entry, poll, data, at);
  } catch (error) {
    // Arithmetic that a row of this market broke. A broken ledger or a broken invariant ends the trader instead.
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    state.excludeMarket(entry, `a ${poll} answer cannot be reckoned with: ${error.message}`, at.seenMs);
    return 'failed';
  }
  state.requestRequote(entry.conditionId);
  return 'ok';
}

/** The shell answers with the data of the request's endpoint; the request's owner names that endpoint. */
function takeIn(state: TraderState, entry: MarketEntry, poll: Seen, data: unknown, at: SeenAt): void {
  const { conditionId } = entry;
  switch (poll) {
    case 'book': {
      const { jump } = entry.feed;
      entry.feed.onBook(data as DataOf<'markets.book'>, at, ownOrders(state.own, conditionId));
      if (entry.feed.jump !== null && entry.feed.jump !== jump) onJump(state, conditionId, entry.feed.jump);
      if (state.polling.isOwnSlow && isShortOfOwn(state, entry)) state.poller.expedite({ kind: 'fills' });
      return;
    }
    case 'trades':
      return entry.feed.onTrades(data as DataOf<'markets.trades'>, at);
    case 'detail':
      if (state.markets.onDetail(entry, data as DataOf<'markets.detail'>, at)) {
        state.notify(at.seenMs, 'market', `"${showTitle(state, conditionId)}" is now ${entry.feed.facts?.phase}`);
        tellPhase(state, entry, at.seenMs);
      }
      state.invalidateOwn(); // Fees and event may have changed the cost of own orders.
  }
}

/** Reads the other books of the event soon, as after a fill. */
function onJump(state: TraderState, conditionId: string, { jumpedMs, changeLogOdds }: Jump): void {
  tellMarket(state, conditionId, { kind: 'jump', nowMs: jumpedMs, changeLogOdds });
  lookAtEvent(state, conditionId);
}

function tellPhase(state: TraderState, { conditionId, feed }: MarketEntry, nowMs: number): void {
  const phase = feed.facts?.phase;
  if (phase === 'resolved' || phase === 'canceled') tellMarket(state, conditionId, { kind: 'resolved', nowMs, phase });
}

/** True when a book shows that a resting own order, which is not being canceled, is partly gone. */
function isShortOfOwn(state: TraderState, { conditionId, feed }: MarketEntry): boolean {
  const resting = state.own.orders.get(conditionId)?.filter(({ phase }) => phase === 'resting') ?? [];
  return feed.isShortOfOwn(resting);
}

function observeCatalog(state: TraderState, report: RequestResult): void {
  state.catalog ??= new PageWalk((row) => row.condition_id);
  const walk = state.catalog;
  const step = walk.onReport(report);
  state.unreadMarkets.onPage(report);
  if (step.kind === 'page' && step.next !== null) return state.queue.push(step.next);
  state.catalog = null;
  for (const { kind, text } of state.unreadMarkets.onEnd(step.kind === 'page')) {
    state.alert(report.nowMs, kind, text);
    for (const { conditionId } of state.markets.all) state.requestRequote(conditionId);
  }
  if (step.kind === 'page') state.markets.onCatalog(walk.rows);
  const failed = toPollResult(report) === 'unsent' ? 'unsent' : 'failed';
  state.noteLook('catalog', step.kind === 'void' ? failed : 'ok', report);
}

/** Details of all open markets by page: each row counts as a read of that market's own detail. */
function observeDetails(state: TraderState, report: RequestResult, requestId: number): void {
  state.details ??= new PageWalk((row) => row.summary.condition_id);
  const step = state.details.onReport(report);
  if (step.kind === 'page') {
    const at = seenAt(report, requestId);
    for (const row of step.rows) {
      const entry = state.markets.get(row.summary.condition_id);
      if (row.result_type !== 'market' || entry === undefined || entry.excludedBecause !== null) continue;
      if (readData(state, entry, 'detail', row.summary, at) === 'failed') continue;
      state.poller.onSeen({ kind: 'detail', marketConditionId: entry.conditionId }, at.seenMs);
    }
    if (step.next !== null) return state.queue.push(step.next);
  }
  state.details = null;
  const failed = toPollResult(report) === 'unsent' ? 'unsent' : 'failed';
  state.poller.onReport({ kind: 'details' }, step.kind === 'void' ? failed : 'ok', report.nowMs);
}

function toPollResult({ outcome }: Pick<RequestResult, 'outcome'>): PollResult {
  if (outcome.kind === 'answered') return 'ok';
  return outcome.kind === 'unknown' && !outcome.sent ? 'unsent' : 'failed';
}

function takeMarks(state: TraderState, { request, outcome, nowMs }: RequestResult, at: SeenAt): void {
  const isOff = state.settings.polling.marks !== 'auto';
  if (isOff || outcome.kind !== 'answered' || overfull(request, outcome.data) !== null) return;
  state.poller.onSeen({ kind: 'marks' }, nowMs);
  // The request's owner names the endpoint.
  for (const row of outcome.data as DataOf<'account.assets'>) {
    const price = readVenueMark(row);
    if (price !== null) state.markets.get(row.position.market.condition_id)?.feed.onVenueMark(price, at);
  }
}

/** Takes in an own list of the exchange. */
function observeOwnList(state: TraderState, list: 'orders' | 'fills', report: RequestResult): void {
  const { ownLists, reconciler, poller } = state;
  const step = ownLists.onReport(list, report);
  for (const request of step.requests) state.queue.push(request);
  react(state, step.reaction, report.nowMs);
  tellNews(state, report.nowMs);
  if (step.result === 'ok' && reconciler.awaits.includes(list)) poller.expedite({ kind: list });
  const isMissing = list === 'orders' && state.polling.isOwnSlow && state.executor.missingFills().length > 0;
  if (isMissing) poller.expedite({ kind: 'fills' });
  if (step.restingOrders !== null) observeResting(state, step.restingOrders, report.nowMs);
  if (step.result !== null) state.noteLook(list, step.result, report);
}

/** Takes in one list of a reconciliation round; the poll that began it ends with its last list. */
function observeRound(state: TraderState, list: RoundList, report: RequestResult): void {
  const { reconciler, poller, queue } = state;
  const { requests, result } = reconciler.onRound(list, report);
  for (const request of requests) queue.push(request);
  tellNews(state, report.nowMs);
  if (result === null) return;
  poller.onReport({ kind: 'assets' }, result, report.nowMs);
  for (const kind of reconciler.awaits) poller.expedite({ kind });
}

function tellNews(state: TraderState, nowMs: number): void {
  for (const { loud, text } of state.reconciler.takeNews()) {
    if (loud) state.alert(nowMs, 'reconciliation', text);
    else state.notify(nowMs, 'reconciliation', text);
  }
}

/** While everything is being canceled, resting orders that the ledger does not know are canceled too. */
function observeResting(state: TraderState, { rows, startedMs }: RestingOrders, nowMs: number): void {
  if (!state.modes.wantsProof) return;
  // A read that began later than it ended was requested before the clock was set back.
  if (state.settledMs !== null && startedMs >= state.settledMs && startedMs <= nowMs) {
    state.modes.proof(rows.length, nowMs);
    if (state.modes.proven) state.saveModes();
  }
  const context = makeStepContext(state, 'canceling', nowMs);
  for (const { pubkey, market } of rows) {
    const ours = pubkey !== null && state.ledger.order(pubkey) !== null;
    if (pubkey === null || ours || context.noteCancelTry(pubkey)) continue;
    if (cancelOrder(pubkey, market.condition_id, context)) state.invalidateOwn();
  }
}
