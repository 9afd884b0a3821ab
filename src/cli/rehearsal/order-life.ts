/**
 * One order from draft to cancel, through the trader's own risk, executor, signer and ledger. Each method is a step: it
 * returns its success in one line, or throws the error that ends the rehearsal.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { formatDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import { complement, ONE, ZERO } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import type { Outcome, PlannedRequest } from '../../shared/protocol/seam.js';
import type { ServiceClient } from '../../shell/client/client.js';
import { OutboundCheck } from '../../trader/engine/outbound-check.js';
import type { ExecutorEvent, Reaction } from '../../trader/executor/contract.js';
import type { Executor } from '../../trader/executor/executor.js';
import { type IntentRow, isFinalIntent, type Ledger } from '../../trader/ledger/contract.js';
import { amountAt, readBook } from '../../trader/market/book.js';
import type { RiskFacts } from '../../trader/risk/controls.js';
import { Exposure } from '../../trader/risk/exposure.js';
import type { CancelIntent, PlaceIntent } from '../../trader/risk/intent.js';
import { type Approved, judge } from '../../trader/risk/risk.js';
import { type DraftReport, examineDraft } from '../draft.js';
import { performAsk, restingOrders } from '../ledger/reconcile.js';
import { type ChosenMarket, orderText } from './market-choice.js';
import { ask, difference, failure, isStrange, ofDraft, type Place, type Stopped, timedOut } from './steps.js';

const LOOK_MS = 1_000;
/** A book with this many levels may have more. */
const MOST_LEVELS = 100;

export class OrderLife {
  readonly #place: Place;
  readonly #shell: ExecutorShell;
  readonly #ledger: Ledger;
  readonly #market: ChosenMarket;
  readonly #endMs: number;
  readonly #placeId: string;
  readonly #cancelId: string;

  constructor(place: Place, shell: ExecutorShell, ledger: Ledger, market: ChosenMarket, runId: string) {
    this.#place = place;
    this.#shell = shell;
    this.#ledger = ledger;
    this.#market = market;
    this.#endMs = performance.now() + place.withinMs;
    this.#placeId = `${runId}-1`;
    this.#cancelId = `${runId}-2`;
  }

  /** Whether a signature of the order exists: only then can anything rest. */
  get isSigned(): boolean {
    return this.#ledger.intent(this.#placeId)?.signature != null;
  }

  /** Whether the order's state is known: it rests, or it never will. */
  get isSettled(): boolean {
    const intent = this.#ledger.intent(this.#placeId);
    return intent === null || intent.state === 'live' || isFinalIntent(intent.state);
  }

  get pubkey(): string {
    return must(this.#shell.intent(this.#placeId).draftPubkey, 'pubkey of the order');
  }

  async draft(): Promise<string> {
    const { order, view } = this.#market;
    const intent: PlaceIntent = {
      kind: 'place',
      intentId: this.#placeId,
      side: 'buy',
      strategy: 'rehearsal',
      ...order,
      marketConditionId: view.market.conditionId,
      eventConditionId: view.market.eventConditionId,
      fairYesMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
    };
    const verdict = judge(intent, this.#facts());
    if (verdict.verdict === 'refused') {
      throw failure(
        `our own risk refuses ${orderText(order)}: ${verdict.name}, ${verdict.text}`,
        'Change risk: in the file, or name another --market.',
      );
    }
    return this.#draft(verdict);
  }

  sign(): Promise<string> {
    return this.#sign(this.#placeId);
  }

  async submit(): Promise<string> {
    const outcome = await this.#shell.performNext();
    const inTime = await this.#shell.goOnUntil(() => this.isSettled, this.#endMs);
    if (!inTime) throw timedOut('it is unknown whether the order rests', LOST_TODO);
    const { state, lastReason } = this.#shell.intent(this.#placeId);
    this.#throwTrouble();
    if (state !== 'live') throw failure(`the order does not rest: it is ${state}, ${lastReason}`, REFUSED_TODO);
    this.#throwOddAnswer(outcome, 'the order rests');
    return `order ${this.pubkey} rests`;
  }

  async awaitShown(): Promise<string> {
    const row = await this.#until('the list of own orders does not show the order', async () => {
      const resting = await this.#resting();
      this.#shell.tellOrders(resting.rows, resting.startedMs);
      return resting.rows.find(({ pubkey }) => pubkey === this.pubkey) ?? null;
    });
    this.#throwTrouble();
    const book = await this.#until('the book does not show the order', () => this.#inBook());
    return `own orders say ${row.status}, ${row.remaining_amount === null ? '' : formatDecimal(row.remaining_amount)} left; ${book}`;
  }

  async cancel(): Promise<string> {
    const { conditionId } = this.#market.view.market;
    const intent: CancelIntent = {
      kind: 'cancel',
      intentId: this.#cancelId,
      orderPubkey: this.pubkey,
      marketConditionId: conditionId,
    };
    const verdict = judge(intent, this.#facts());
    if (verdict.verdict === 'refused') throw failure(`our own risk refuses the cancel: ${verdict.text}`, '');
    const words = await this.#draft(verdict);
    await this.#sign(this.#cancelId);
    const outcome = await this.#shell.performNext();
    const isOver = () => isFinalIntent(this.#shell.intent(this.#cancelId).state) && this.#isClosed;
    if (!(await this.#shell.goOnUntil(isOver, this.#endMs))) {
      throw timedOut('it is unknown whether the order is canceled', LOST_TODO);
    }
    this.#throwTrouble();
    this.#throwOddAnswer(outcome, 'the order is gone');
    return `${words}; signed and submitted`;
  }

  /** Waits for two complete lists without any order of this wallet, and for the order's own record. */
  async awaitGone(): Promise<string> {
    for (let reads = 0; reads < 2; ) {
      const { rows } = await this.#resting();
      reads = rows.length === 0 ? reads + 1 : 0;
      if (reads === 2) break;
      if (performance.now() > this.#endMs) throw timedOut(`${rows.length} orders still rest`, LOST_TODO);
      await pause(LOOK_MS);
    }
    const { data } = await ask(this.#place.client, 'orders.detail', { params: { pubkey: this.pubkey } }, 'the order');
    const filled = data.filled_amount === null ? ZERO : data.filled_amount;
    const much = filled === ZERO ? 'nothing of it filled' : `${formatDecimal(filled)} of it filled and are held`;
    return `nothing rests (read twice); its record says ${data.status}, ${much}`;
  }

  async #draft(approved: Approved): Promise<string> {
    const { client, config, profile, wallet } = this.#place;
    const { intentId } = approved.intent;
    this.#shell.begin(approved, JSON.stringify({ rehearsal: true }));
    const outcome = await this.#shell.performNext();
    if (outcome.kind !== 'answered') throw notDrafted(outcome);
    const stored = this.#ledger.storedDraft(intentId);
    this.#throwTrouble();
    if (stored === null) throw failure(`no draft was stored: ${this.#shell.intent(intentId).lastReason}`, '');
    const report = examineDraft(stored.message, { venue: { ...config.venue, profile } }, wallet.address);
    try {
      return draftWords(report, profile, venueNow(client.clockOffset));
    } catch (error) {
      throw ofDraft(error, stored.message);
    }
  }

  async #sign(intentId: string): Promise<string> {
    this.#shell.sign();
    const { signature, lastReason } = this.#shell.intent(intentId);
    if (signature !== null) return 'the ledger has our 64 bytes, and they say what the intent says';
    const refusal = this.#shell.events.find((event) => event.kind === 'signingRefused' && event.intentId === intentId);
    if (refusal === undefined) throw failure(`it was not signed: ${lastReason}`, 'Rehearse again.');
    const todo = 'Nothing was signed. Do not trade there until the venue explains that draft.';
    const refused = difference('our signer refuses the draft', 'a draft says what was asked for', lastReason, todo);
    throw ofDraft(refused, this.#shell.intent(intentId).message ?? '');
  }

  async #resting() {
    const resting = await restingOrders(this.#place.client);
    if (typeof resting === 'string') throw failure(resting, 'The list of own orders must come whole: rehearse again.');
    return resting;
  }

  async #inBook(): Promise<string | null> {
    const { order, view } = this.#market;
    const params = { condition_id: view.market.conditionId };
    const { data } = await ask(
      this.#place.client,
      'markets.book',
      { params, query: { depth: MOST_LEVELS } },
      'the book',
    );
    const { book } = readBook(data);
    const [side, levels] = order.isYes ? (['bid', book.bids] as const) : (['ask', book.asks] as const);
    const price = order.isYes ? order.priceMicros : complement(order.priceMicros);
    if (amountAt(book, side, price) >= order.amountMicros) return `the book shows it at ${formatDecimal(price)}`;
    return levels.length >= MOST_LEVELS ? `it lies deeper than the ${MOST_LEVELS} levels that the book shows` : null;
  }

  async #until<T>(missing: string, look: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      if (this.#place.isStopped()) throw failure('stopped by you', '');
      if (performance.now() > this.#endMs)
        throw difference(missing, 'an order that rests is shown', 'nothing', LOST_TODO);
      await pause(LOOK_MS);
    }
  }

  get #isClosed(): boolean {
    return must(this.#ledger.order(this.pubkey), 'the order').closedMs !== null;
  }

  /** The executor handles such answers; an operator who starts to trade there should know of them. */
  #throwOddAnswer(outcome: Outcome, became: string): void {
    if (outcome.kind === 'answered') return;
    const came = `${outcome.kind === 'refused' ? `${outcome.slug}: ${outcome.message}` : outcome.reason}; ${became} all the same`;
    if (outcome.kind === 'unknown' && !isStrange(outcome)) throw timedOut(`the answer was lost: ${came}`, LOST_TODO);
    const todo =
      'The trader reads the record before it decides, so nothing is doubled. Rehearse again; if it comes again, ask the venue.';
    throw difference('the submit was answered by an error', 'what was done is answered by the order', came, todo);
  }

  #throwTrouble(): void {
    const found = this.#shell.events.find((event) => event.kind === 'trouble');
    if (found?.kind !== 'trouble') return;
    const todo = 'Do not trade there until the venue explains it.';
    throw difference(
      'the venue shows something else than was asked for',
      'records are what was asked for',
      found.text,
      todo,
    );
  }

  /** The rehearsal would have stopped before with holdings or resting orders. */
  #facts(): RiskFacts {
    const { config, profile } = this.#place;
    return {
      sight: { ...this.#market.view, health: this.#health() },
      limits: config.risk,
      exposure: new Exposure(),
      cashMicros: config.capitalMicros,
      stance: 'normal',
      stanceReason: '',
      loss: { dayLossMicros: ZERO, drawdownMicros: ZERO, halted: null },
      findCaps: () => ({ yesMicros: ONE, noMicros: ONE }),
      fills: { inWindow: 0, halted: null },
      pace: { lastSecond: 0, lastMinute: 0 },
      requestHeadroom: profile.rate_limits.signed_per_minute,
    };
  }

  #health() {
    const { health, nowMs } = this.#market.view;
    return { ...health, bookAgeMs: health.bookAgeMs + Date.now() - nowMs };
  }
}

const LOST_TODO = 'Look whether the venue is well, then rehearse again; --timeout gives it longer.';
const REFUSED_TODO = 'Read why; then rehearse again.';

const venueNow = (offset: { readonly offsetMs: number } | null): number => Date.now() + (offset?.offsetMs ?? 0);

function notDrafted(outcome: Exclude<Outcome, { kind: 'answered' }>): Stopped {
  if (outcome.kind === 'refused') {
    return failure(`the venue refuses the draft: ${outcome.slug}, ${outcome.message}`, REFUSED_TODO);
  }
  if (!isStrange(outcome)) return timedOut(`no draft came: ${outcome.reason}`, LOST_TODO);
  return difference(
    'the draft was answered by something else',
    'a draft has pubkey and message',
    outcome.reason,
    LOST_TODO,
  );
}

/** Venue times are whole seconds, plus the draft's travel time. */
const LIFETIME_SLACK_S = 3;

/**
 * Request of the draft, its signers, its payer and its programs. Throws the difference when the signer would
 * refuse it, or when it lives for another time than the profile says.
 */
function draftWords(report: DraftReport, profile: VenueProfile, venueNowMs: number): string {
  if (report.verdict === 'refused') {
    const todo =
      'Nothing was signed. `twinbook doctor --draft -` decodes it; change your copy of the profile only for what the venue confirms.';
    throw difference(
      'the draft would not be signed',
      signersDue(profile, report.wallet),
      describeDraftReport(report),
      todo,
    );
  }
  checkLifetime(report, profile, venueNowMs);
  return [describeDraft(report), ...shape(report)].join('; ');
}

function describeDraft({ asks, verdict }: DraftReport): string {
  if (verdict === 'blind' || asks === null) return 'a draft that nobody can read';
  const { service, market, draft, expires, action, ...terms } = asks;
  const words = Object.entries(terms).map(([name, value]) => `${name} ${value}`);
  return `${service} asks to ${action} (${words.join(', ')}) in market ${market}, draft ${draft}, until ${expires} (Unix seconds)`;
}

function shape({ transaction, wallet }: DraftReport): readonly string[] {
  if (transaction === null) return ['one signature, ours, over the text'];
  const nameAccount = (key: string) => (key === wallet ? 'our wallet' : key);
  const calls = transaction.instructions.map(({ program, calls: name }) => name ?? program);
  return [
    `signers ${transaction.signers.map(nameAccount).join(' and ')}`,
    `the fee is paid by ${nameAccount(transaction.fee_payer)}`,
    `programs ${calls.join(', ')}`,
  ];
}

function signersDue({ draft_message, draft_cosigners, solana_programs = [] }: VenueProfile, wallet: string): string {
  if (draft_message !== 'solana_tx') return `draft_message: ${draft_message}`;
  const payer = draft_cosigners?.fee_payer;
  return [
    `signers ${[wallet, ...(draft_cosigners?.keys ?? [])].join(' and ')}`,
    `the fee paid by ${payer ?? 'our wallet'}`,
    `programs ${['Memo', ...solana_programs].join(', ')}`,
  ].join('; ');
}

const describeDraftReport = (report: DraftReport): string => [report.reason, ...shape(report)].join('; ');

function checkLifetime({ asks }: DraftReport, { draft_lifetime_s }: VenueProfile, venueNowMs: number): void {
  if (asks === null) return;
  const leftS = Number(asks['expires']) - Math.floor(venueNowMs / 1000);
  if (Math.abs(leftS - draft_lifetime_s) <= LIFETIME_SLACK_S) return;
  const todo = `Write draft_lifetime_s: ${leftS} into your copy of the profile, if the venue documents it.`;
  throw difference('the draft lives otherwise', `draft_lifetime_s: ${draft_lifetime_s}`, `${leftS} s`, todo);
}

const BEAT_MS = 200;

export class ExecutorShell {
  readonly events: ExecutorEvent[] = [];
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  readonly #client: ServiceClient;
  readonly #outgoing: OutboundCheck;
  #waiting: PlannedRequest[] = [];

  constructor(ledger: Ledger, executor: Executor, client: ServiceClient) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#client = client;
    this.#outgoing = new OutboundCheck(ledger);
  }

  recover(): void {
    this.#react(() => this.#executor.recover(Date.now()));
  }

  /** Writes the intent's row; the request for its draft waits. */
  begin(approved: Approved, reason: string): void {
    this.#waiting.push(...this.#ledger.transaction(() => this.#executor.begin(approved, Date.now(), reason)));
  }

  /** Performs only the newest request and books its outcome; requests that follow from it wait. */
  async performNext(): Promise<Outcome> {
    const request = must(this.#waiting.shift(), 'a request that waits');
    this.#outgoing.check(request.call, request.owner);
    const report = await performAsk(request, this.#client);
    this.#react(() => this.#executor.onReport(report));
    return report.outcome;
  }

  /** Signs stored drafts. The submits wait; a refusal is among the events. */
  sign(): void {
    this.#react(() => this.#executor.signDrafts(Date.now()));
  }

  /** Runs the executor until a condition holds; false after the time limit. */
  async goOnUntil(isSo: () => boolean, endMs: number): Promise<boolean> {
    for (;;) {
      this.#react(() => this.#executor.tick(Date.now(), null));
      this.sign();
      while (this.#waiting.length > 0) {
        await this.performNext();
        this.sign();
      }
      if (isSo()) return true;
      if (performance.now() >= endMs) return false;
      await pause(BEAT_MS);
    }
  }

  tellOrders(rows: readonly OrderRow[], sentMs: number): void {
    this.#react(() => this.#executor.onOwnOrders(rows, sentMs, Date.now()));
  }

  tellTrades(rows: readonly OwnTradeRow[]): void {
    this.#react(() => this.#executor.onOwnTrades(rows, Date.now()));
  }

  intent(id: string): IntentRow {
    return must(this.#ledger.intent(id), `intent ${id}`);
  }

  drop(): void {
    for (const request of this.#waiting.splice(0)) {
      const nowMs = Date.now();
      const outcome = { kind: 'unknown', reason: 'the rehearsal ended', sent: false } as const;
      const report = { request, outcome, nowMs, sentMs: nowMs, venueTimeMs: null };
      this.#react(() => this.#executor.onReport(report));
    }
  }

  #react(work: () => Reaction): void {
    const { requests, events } = this.#ledger.transaction(work);
    this.#waiting.push(...requests);
    this.events.push(...events);
  }
}
