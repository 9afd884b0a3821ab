/** First part of a step: processes an observation, and passes a request's outcome to the owner of the request. */

import { AssertionFailed } from '../../shared/base/errors.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import {
  describeOwner,
  type MarketPoll,
  type PollTarget,
  type RoundList,
} from '../../shared/protocol/request-owner.js';
import type { Observation, RequestResult } from '../../shared/protocol/seam.js';
import { readVenueMark } from '../market/venue-marks.js';
import type { SeenAt } from '../market/view.js';
import type { RestingOrders } from '../reconcile/comparison.js';
import { overfull, PageWalk } from '../reconcile/list-cursor.js';
import type { PollResult } from '../scheduler/poll-record.js';
import { obey } from './control/commands.js';
import { endConversionWait } from './control/complete-sets.js';
import { makeStepContext } from './gate.js';
import { type MarketEntry, takeCandles } from './markets.js';
import { showTitle, type UnreadMarkets, type WatchedList } from './notices.js';
import { ownOrders } from './own/own-state.js';
import { cancelOrder, PLACE_PAUSE_MS } from './quoting/quoting.js';
import { lookAtEvent, pauseMarket, react, tellMarket } from './reactions.js';
import type { TraderState } from './state.js';

/** Returns true if the request's intent must no longer be executed; the client then drops the request unsent. */
const isForbidden = ({ executor }: TraderState, { owner }: RequestResult['request'], nowMs: number): boolean =>
  owner.kind === 'intent' && executor.findObjection(owner.intentId, owner.step, nowMs) !== null;

/** Records a request that the exchange did not answer. Sends one notice when the exchange stops answering. */
function noteSilence({ safety, notices, markets }: TraderState, because: string, nowMs: number): void {
  const { silence } = safety;
  if (silence.onUnknown(nowMs))
    notices.alert(nowMs, 'silent', `the exchange does not answer: ${because}; the state of resting orders is unknown`);
  if (!silence.isOn) return;
  // New orders and flatten sales pause. Reads of own state continue, and show when the exchange answers again.
  for (const entry of markets.all) {
    entry.saleAfterMs = nowMs + PLACE_PAUSE_MS;
    for (const slot of entry.slots) slot.placeAfterMs = nowMs + PLACE_PAUSE_MS;
  }
}

const OWN_STATE = ['orders', 'fills', 'assets'] as const;

export function observe(state: TraderState, seen: Observation): void {
  if (seen.nowMs < state.clock.seenMs) onClockSetBack(state, state.clock.seenMs - seen.nowMs, seen.nowMs);
  state.clock.seenMs = seen.nowMs;
  switch (seen.kind) {
    case 'time':
      return;
    case 'command':
      return obey(state, seen.command, seen.nowMs);
    case 'feed':
      return state.feeds.take(seen, state);
    case 'outcome': {
      const request = state.requests.queue.onOutcome(seen);
      const { outcome, nowMs, sentMs, venueTimeMs } = seen;
      if (venueTimeMs !== null) state.clock.venue.observe(venueTimeMs, sentMs, nowMs);
      const isDropped = outcome.kind === 'unknown' && !outcome.sent && isForbidden(state, request, nowMs);
      if (outcome.kind === 'unknown') {
        if (!isDropped) noteSilence(state, outcome.reason, nowMs);
      } else {
        const { wasOn, isBack } = state.safety.silence.onAnswer();
        if (isBack) state.notices.alert(nowMs, 'answering', 'the exchange answers again');
        if (wasOn) for (const kind of OWN_STATE) state.requests.poller.expedite({ kind });
      }
      return observeReport(state, { request, outcome, nowMs, sentMs, venueTimeMs }, seen.requestId);
    }
  }
}

/** After our clock was set back, clears waits that would end too late and books of unknown age. */
function onClockSetBack(state: TraderState, byMs: number, nowMs: number): void {
  const { clock, safety, requests, markets, notices } = state;
  const text = `this machine's clock was set back by ${byMs} ms; each market is quoted again after its next book`;
  notices.alert(nowMs, 'clock_set_back', text);
  clock.bornMs = Number.NEGATIVE_INFINITY;
  safety.modes.settledMs = null;
  requests.cancelTries.clear();
  state.feeds.clockSetBack(byMs);
  markets.requestRequote();
  for (const entry of markets.all) {
    entry.feed.clockSetBack(byMs, requests.queue.newestId);
    entry.nextConversionMs = 0;
    entry.pulledMs = Number.NEGATIVE_INFINITY;
    entry.saleAfterMs = 0;
    entry.filledMs = Number.NEGATIVE_INFINITY;
    entry.measures.clockSetBack();
    for (const slot of entry.slots) slot.placeAfterMs = 0;
  }
}

/** Passes a result to the request's owner. Throws AssertionFailed without an owner. `requestId`: 0 if unsent. */
export function observeReport(state: TraderState, report: RequestResult, requestId = 0): void {
  const { owner } = report.request;
  switch (owner.kind) {
    case 'poll':
      return observePoll(state, owner.target, report, requestId);
    case 'round':
      return observeRound(state, owner.list, report);
    case 'intent':
      return react(state, state.executor.onReport(report), report.nowMs);
    case 'other':
      throw new AssertionFailed(`the result belongs to a request without an owner: ${describeOwner(owner)}`);
  }
}

function observePoll(state: TraderState, target: PollTarget, report: RequestResult, requestId: number): void {
  const { request, outcome, sentMs, nowMs, venueTimeMs } = report;
  const at: SeenAt = { requestId, sentMs, seenMs: nowMs, venueTimeMs };
  if ('marketConditionId' in target) {
    const { kind, marketConditionId } = target;
    const entry = state.markets.get(marketConditionId);
    let result = toPollResult(report);
    if (kind === 'candles') {
      if (entry !== undefined) takeCandles(state, entry, report, showTitle(state.markets, marketConditionId));
    } else if (entry !== undefined && entry.excludedBecause === null && outcome.kind === 'answered')
      result = overfull(request, outcome.data) !== null ? 'failed' : readData(state, entry, kind, outcome.data, at);
    // A settled market changes no more, and a silence of the whole exchange says nothing about one market.
    if (kind === 'detail' && result === 'failed' && entry?.endingMs === null && !state.safety.silence.isOn)
      noteUnread(state, entry, state.safety.unreadMarkets.onDetailFailed(marketConditionId, report), nowMs);
    return state.requests.poller.onReport(target, result, nowMs);
  }
  switch (target.kind) {
    case 'catalog':
      return observeCatalog(state, report);
    case 'details':
      return observeDetails(state, report, at);
    // The answer to the assets poll contains the exchange's marks. It is also the first page of a reconciliation round.
    case 'assets':
      takeMarks(state, report, at);
      return observeRound(state, 'assets', report);
    case 'marks':
      takeMarks(state, report, at);
      return state.requests.poller.onReport(target, toPollResult(report), nowMs);
    case 'orders':
    case 'fills':
      return observeOwnList(state, target.kind, report);
  }
}

/** Polls that read a market's current state (detail, book or trades), not its history. */
type StatePoll = Exclude<MarketPoll, 'candles'>;

/** Updates a market from the answer to a poll. The casts are safe, because `poll` determines the type of `data`. */
function readData(state: TraderState, entry: MarketEntry, poll: StatePoll, data: unknown, at: SeenAt): PollResult {
  try {
    if (poll === 'book') readBook(state, entry, data as DataOf<'markets.book'>, at);
    else if (poll === 'trades') entry.feed.onTrades(data as DataOf<'markets.trades'>, at);
    else readDetail(state, entry, data as DataOf<'markets.detail'>, at);
  } catch (error) {
    // An arithmetic error caused by bad data excludes only its market. A broken ledger or invariant stops the trader.
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    exclude(state, entry, `a ${poll} answer cannot be processed: ${error.message}`, at.seenMs);
    return 'failed';
  }
  state.markets.requestRequote(entry.conditionId);
  return 'ok';
}

/** Excludes a market whose data cannot be processed, until an operator resumes it. The market's orders are canceled. */
function exclude(state: TraderState, entry: MarketEntry, why: string, nowMs: number): void {
  const { markets, notices } = state;
  const title = showTitle(markets, entry.conditionId);
  markets.exclude(entry, why);
  pauseMarket(state, entry.conditionId, why, nowMs);
  const text = `"${title}" is excluded: ${why}; it has no orders until an operator resumes it with a reason`;
  notices.alert(nowMs, 'market_failed', text);
}

function readBook(state: TraderState, { conditionId, feed }: MarketEntry, data: DataOf<'markets.book'>, at: SeenAt) {
  const { account, markets, requests } = state;
  const { jump: before } = feed.liveness;
  feed.onBook(data, at, ownOrders(account.own, conditionId));
  const { jump } = feed.liveness;
  if (jump !== null && jump !== before) {
    const { jumpedMs: nowMs, changeLogOdds } = jump;
    tellMarket(markets, conditionId, { kind: 'jump', nowMs, changeLogOdds });
    lookAtEvent(state, conditionId);
  }
  const resting = account.own.orders.get(conditionId)?.filter(({ phase }) => phase === 'resting') ?? [];
  if (requests.polling.ownPaceMs > 0 && feed.isShortOfOwn(resting)) requests.poller.expedite({ kind: 'fills' });
}

function noteUnread(state: TraderState, { conditionId }: MarketEntry, news: DetailNews, nowMs: number): void {
  if (news === null) return;
  state.notices.alert(nowMs, news.kind, news.text);
  state.markets.requestRequote(conditionId);
}

type DetailNews = ReturnType<UnreadMarkets['onDetailRead']>;

function readDetail(state: TraderState, entry: MarketEntry, data: DataOf<'markets.detail'>, at: SeenAt): void {
  const { account, markets, notices, requests, safety } = state;
  const { conditionId, feed, endingMs, isEnded } = entry;
  const isNewPhase = markets.onDetail(entry, data, at);
  noteUnread(state, entry, safety.unreadMarkets.onDetailRead(conditionId), at.seenMs);
  if (endingMs === null && entry.endingMs !== null)
    requests.poller.expedite({ kind: 'detail', marketConditionId: conditionId });
  if (feed.unsuitable !== null && entry.isEnded && !isEnded) {
    // No alert for a market that the strategy does not list by id, because its selection replaces the market.
    const isListed = entry.slots.some(({ strategy }) => strategy.markets.ids.length > 0);
    notices[isListed ? 'alert' : 'notify'](at.seenMs, 'market_unsuitable', `${conditionId}: ${feed.unsuitable}`);
  }
  if (isNewPhase) {
    const phase = feed.facts?.phase;
    notices.notify(at.seenMs, 'market', `"${showTitle(markets, conditionId)}" is now ${phase}`);
    if (phase === 'resolved' || phase === 'canceled') {
      tellMarket(markets, conditionId, { kind: 'resolved', nowMs: at.seenMs, phase });
      // Failed merges and splits of the open market must not delay its redeem.
      endConversionWait(entry);
    }
  }
  account.invalidate(); // The market's fees and event may change the cost of own orders.
}

function observeCatalog(state: TraderState, report: RequestResult): void {
  const { requests, safety, markets, notices, account } = state;
  requests.catalog ??= new PageWalk((row) => row.condition_id);
  const walk = requests.catalog;
  const step = walk.onReport(report);
  safety.unreadMarkets.onPage(report);
  if (step.kind === 'page' && step.next !== null) return requests.queue.push(step.next);
  requests.catalog = null;
  for (const { kind, text } of safety.unreadMarkets.onEnd(step.kind === 'page')) {
    notices.alert(report.nowMs, kind, text);
    markets.requestRequote();
  }
  const isNeverRead = (id: string) => !markets.get(id)?.feed.facts && safety.unreadMarkets.isLeftOut(id, report.nowMs);
  const isBarred = (id: string) => (safety.fleet?.foreign.has(id) === true || isNeverRead(id)) && !account.isOurs(id);
  if (step.kind === 'page') markets.onCatalog(walk.rows, isBarred, report.nowMs);
  noteListRead(state, 'catalog', step.kind === 'void' ? toFailure(report) : 'ok', report);
}

/** Passes the outcome of reading a list to the poll plan, and raises an alarm if the list stays unreadable. */
function noteListRead(state: TraderState, list: WatchedList, result: PollResult, report: RequestResult): void {
  const { requests, safety, notices } = state;
  const { nowMs } = report;
  requests.poller.onReport({ kind: list }, result, nowMs);
  const news = safety.unreadLists.onLook(list, result, report, safety.silence.isOn);
  if (news !== null) notices.alert(nowMs, news.kind, news.text);
  if (list !== 'catalog') safety.halt(safety.guards.keys.observe(list, report.outcome, nowMs), nowMs);
}

/** Processes a page of open markets. Each row contains its market's detail, so the detail poll is no longer due. */
function observeDetails(state: TraderState, report: RequestResult, at: SeenAt): void {
  const { requests, markets } = state;
  requests.details ??= new PageWalk((row) => row.summary.condition_id);
  const step = requests.details.onReport(report);
  if (step.kind === 'page') {
    for (const row of step.rows) {
      const entry = markets.get(row.summary.condition_id);
      if (row.result_type !== 'market' || entry === undefined || entry.excludedBecause !== null) continue;
      if (readData(state, entry, 'detail', row.summary, at) === 'failed') continue;
      requests.poller.onSeen({ kind: 'detail', marketConditionId: entry.conditionId }, at.seenMs);
    }
    if (step.next !== null) return requests.queue.push(step.next);
  }
  requests.details = null;
  requests.poller.onReport({ kind: 'details' }, step.kind === 'void' ? toFailure(report) : 'ok', report.nowMs);
}

const toFailure = ({ outcome }: RequestResult): PollResult =>
  outcome.kind === 'unknown' && !outcome.sent ? 'unsent' : 'failed';

const toPollResult = (report: RequestResult): PollResult =>
  report.outcome.kind === 'answered' ? 'ok' : toFailure(report);

function takeMarks(
  { settings, requests, markets }: TraderState,
  { request, outcome }: RequestResult,
  at: SeenAt,
): void {
  const isOff = settings.polling.marks !== 'auto';
  if (isOff || outcome.kind !== 'answered' || overfull(request, outcome.data) !== null) return;
  requests.poller.onSeen({ kind: 'marks' }, at.seenMs);
  // The cast is safe: both polls call the same endpoint, which determines the type of the data.
  for (const row of outcome.data as DataOf<'account.assets'>) {
    const price = readVenueMark(row);
    if (price !== null) markets.get(row.position.market.condition_id)?.feed.onVenueMark(price, at);
  }
}

function observeOwnList(state: TraderState, list: 'orders' | 'fills', report: RequestResult): void {
  const { requests, reconciler } = state;
  const { poller, polling, queue } = requests;
  const step = requests.ownLists.onReport(list, report);
  for (const request of step.requests) queue.push(request);
  react(state, step.reaction, report.nowMs);
  tellNews(state, report.nowMs);
  if (step.result === 'ok' && reconciler.awaits.includes(list)) poller.expedite({ kind: list });
  const isMissing = list === 'orders' && polling.ownPaceMs > 0 && state.executor.missingFills().length > 0;
  if (isMissing) poller.expedite({ kind: 'fills' });
  if (step.restingOrders !== null) observeResting(state, step.restingOrders, report.nowMs);
  if (step.result !== null) noteListRead(state, list, step.result, report);
}

/** Processes a page of a reconciliation round. The assets poll starts the round and counts as read when it ends. */
function observeRound(state: TraderState, list: RoundList, report: RequestResult): void {
  const { requests, reconciler } = state;
  const { poller, queue } = requests;
  const step = reconciler.onRound(list, report);
  for (const request of step.requests) queue.push(request);
  tellNews(state, report.nowMs);
  if (step.result === null) return;
  poller.onReport({ kind: 'assets' }, step.result, report.nowMs);
  for (const kind of reconciler.awaits) poller.expedite({ kind });
}

function tellNews({ reconciler, notices }: TraderState, nowMs: number): void {
  for (const { loud, text } of reconciler.takeNews()) {
    if (loud) notices.alert(nowMs, 'reconciliation', text);
    else notices.notify(nowMs, 'reconciliation', text);
  }
}

/** While a cancel-all is being verified, counts resting orders, and cancels those that the ledger does not know. */
function observeResting(state: TraderState, { rows, startedMs }: RestingOrders, nowMs: number): void {
  const { safety, ledger, account, requests } = state;
  const { modes } = safety;
  if (!modes.wantsProof) return;
  // A read does not count if our clock was set back after its request (`startedMs` is later than `nowMs`).
  if (modes.settledMs !== null && startedMs >= modes.settledMs && startedMs <= nowMs) {
    modes.proof(rows.length, nowMs);
    if (modes.proven) safety.saveModes();
  }
  const context = makeStepContext(state, 'canceling', nowMs);
  for (const { pubkey, market } of rows) {
    const ours = pubkey !== null && ledger.order(pubkey) !== null;
    if (pubkey === null || ours || requests.noteCancelTry(pubkey, nowMs)) continue;
    if (cancelOrder(pubkey, market.condition_id, context)) account.invalidate();
  }
}
