/**
 * Makes one signed HTTP call within the venue's budgets. The outcome of a call is *answered*, *refused* (by an error
 * envelope of the service) or *unknown*. Faults of network or venue never throw. Reasons and errors contain no secret.
 */

import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { type Declaration, declarationOf, type EndpointName, type Scope } from '../../shared/protocol/endpoints.js';
import { isClockRefusal } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { BudgetReport, Lane, Observation, Outcome, Request } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/key-file.js';
import { secrets } from '../wallet/secrets.js';
import type { Wallet } from '../wallet/wallet.js';
import { BudgetLine, Lanes } from './budget-line.js';
import type {
  CallInput,
  CallOptions,
  ClientAnswer,
  ClientClock,
  ClientNotice,
  ClientOptions,
  ClockOffset,
} from './contract.js';
import { checkedBaseUrl, classify, type Message, writeHeaders, writeMessage } from './message.js';
import type { Pacing } from './pacing.js';
import { type Sender, Transport } from './transport.js';

type CallParts = Parameters<typeof writeMessage>[2];
type Permit = Parameters<Pacing['onAnswer']>[0];

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONCURRENCY = 8;
/** Maximum automatic retries of an unanswered read. The application that uses the client may read again. */
const READ_RETRIES = 2;
/** Wait between two attempts of an unanswered read, ms; doubled for each attempt, less a random part of up to half. */
const RETRY_DELAY_MS = 200;
/** Minimum free fraction of a minute's budget for an automatic retry of a read by the trader's core. */
const SPARE_PART = 1 / 2;

const realClock: ClientClock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Data of one call that stays the same in all attempts. */
interface Job {
  readonly declaration: Declaration;
  readonly parts: CallParts;
  readonly message: Message;
  readonly lane: Lane;
  readonly isUrgent: boolean;
  readonly findObjection: () => string | null;
  /** Time limit of the call, monotonic ms. */
  readonly endMs: number;
}

interface PlannedOptions extends CallOptions {
  /** Whether the trader's core made the request. The core retries reads, and reserves budget for urgent requests. */
  readonly isPlanned?: boolean;
  /** Whether all orders are being canceled and the request is a cancel; default: true for every cancel. */
  readonly isUrgent?: boolean;
  /** As in `perform`. */
  readonly findObjection?: () => string | null;
}

interface Attempted {
  readonly answer: ClientAnswer;
  /** True if the transport sent the request, or tried to; false if the request never left the queue. */
  readonly left: boolean;
  /** Whether a repeat of the read may succeed. */
  readonly again: boolean;
}

/** Makes HTTP calls: signs and paces each call, sends a write once and an unanswered read up to three times. */
export class HttpCaller {
  readonly profile: VenueProfile;
  readonly clock: ClientClock;
  readonly #base: URL;
  readonly #venueClock = new VenueClock();
  readonly #timeoutMs: number;
  readonly #notify: (notice: ClientNotice) => void;
  /** Request budgets by scope; null if requests do not wait for a budget. */
  readonly #lines: Readonly<Record<Scope, BudgetLine>> | null;
  #credentials: Credentials | null;
  readonly #lanes: Lanes;
  readonly #transport: Sender;
  readonly #objection: (lane: Lane) => string | null;
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();
  #closed: Promise<void> | null = null;

  /** Throws TwinbookError config_invalid for a base address that is neither HTTPS nor a loopback address. */
  constructor(options: ClientOptions, transport?: Sender) {
    const { profile, budgets = {}, concurrency = DEFAULT_CONCURRENCY, isPaced = true } = options;
    this.profile = profile;
    this.#base = checkedBaseUrl(options.baseUrl ?? profile.base_url);
    this.clock = options.clock ?? realClock;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#notify = options.onNotice ?? (() => undefined);
    this.#objection = options.objection ?? (() => null);
    this.#lanes = new Lanes(concurrency);
    this.#transport = transport ?? new Transport(2 * concurrency);
    const line = (told: number, own: number | undefined) =>
      new BudgetLine(own ?? told, () => this.clock.monotonicMs(), own);
    const limits = profile.rate_limits;
    this.#lines = isPaced
      ? {
          public: line(limits.public_per_minute, budgets.public),
          signed: line(limits.signed_per_minute, budgets.signed),
          bootstrap: line(limits.bootstrap_per_minute, budgets.bootstrap),
        }
      : null;
    this.#credentials = options.credentials ?? null;
    // Each waiting retry adds a listener to the signal. Without this call, Node would warn at eleven listeners.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Makes one call. Never throws because of a fault of the network or the venue. */
  call<N extends EndpointName>(endpoint: N, input: CallInput<N>, options: CallOptions = {}): Promise<ClientAnswer<N>> {
    const answer = this.#track(this.#call(endpoint, input, options));
    // The cast is safe, because `#call` has parsed the answer with this endpoint's schema.
    return answer as Promise<ClientAnswer<N>>;
  }

  /**
   * Performs a request of the trader's core and returns its outcome. Never throws.
   *
   * @param findObjection returns why the request must not be sent any more after its wait; null if it may be sent
   */
  async perform(
    { id, lane, call, latestMs, isUrgent = false }: Request,
    findObjection: () => string | null = () => null,
  ): Promise<Extract<Observation, { kind: 'outcome' }>> {
    const options = { lane, latestMs, isPlanned: true, isUrgent, findObjection };
    const { pageLimit: _, ...answer } = await this.#track(this.#call(call.endpoint, call, options));
    const { scope } = declarationOf(call.endpoint);
    const left = answer.outcome.kind !== 'unknown' || answer.outcome.sent;
    const window = left ? this.#lines?.[scope].read() : undefined;
    if (window === undefined) return { kind: 'outcome', requestId: id, ...answer, budget: null };
    const { pausedMs, ...reading } = window;
    const budget = { scope, ...reading, resetMs: answer.nowMs + pausedMs };
    return { kind: 'outcome', requestId: id, ...answer, budget };
  }

  /**
   * Proves control of the wallet and creates API credentials, with which this client then signs. The venue shows the
   * API secret only once, so the caller must store it first. The worst result of a lost answer is an unused API key.
   * Throws TwinbookError venue_unreachable or venue_refused.
   */
  async bootstrap(wallet: Wallet): Promise<Credentials> {
    const wallet_address = wallet.address;
    const challenge = requireAnswer(await this.call('keys.challenge', { body: { wallet_address } }), 'a challenge');
    const { nonce, message } = challenge;
    const signed = wallet.signChallenge(message, { serviceName: this.profile.service_name, nonce });
    if (!signed.ok) {
      const hint = 'Is service_name of the venue profile the name that this venue uses in its challenges?';
      throw new TwinbookError('venue_refused', `the venue's challenge was not signed: ${signed.reason}`, hint);
    }
    const body = { wallet_address, message, signature: signed.signature, nonce };
    const { api_key: apiKey, secret } = requireAnswer(await this.call('keys.create', { body }), 'an API key');
    secrets.hide(secret);
    this.#credentials = { apiKey, secret };
    return this.#credentials;
  }

  /** Estimated time of the venue's clock, Unix ms. */
  venueNowMs(): number {
    return this.#venueClock.venueMs(this.clock.monotonicMs()) ?? this.clock.nowMs();
  }

  /** The venue's clock minus our clock, ms; null before the venue's first answer with a time. */
  get clockOffset(): ClockOffset | null {
    return this.#venueClock.offset(this.clock.monotonicMs(), this.clock.nowMs());
  }

  /** Drops waiting requests, aborts requests in flight and closes the sockets. Later calls are reported as unsent. */
  close(): Promise<void> {
    // A second stop of the same Bottleneck queue would reject.
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#transport.close();
    await Promise.all(Object.values(this.#lines ?? {}).map((line) => line.close()));
    await Promise.allSettled(this.#pending);
  }

  #track<T>(promise: Promise<T>): Promise<T> {
    this.#pending.add(promise);
    const forget = () => void this.#pending.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  async #call(endpoint: EndpointName, parts: CallParts, options: PlannedOptions): Promise<ClientAnswer> {
    const { lane = 'own', latestMs = Number.POSITIVE_INFINITY, isPlanned = false } = options;
    const { isUrgent = lane === 'cancel', findObjection = () => null } = options;
    const declaration = declarationOf(endpoint);
    const message = writeMessage(this.#base, declaration, parts);
    if (typeof message === 'string') return this.#answerUnsent(message);
    const endMs = this.clock.monotonicMs() + latestMs - this.clock.nowMs();
    const job: Job = { declaration, parts, message, lane, isUrgent, findObjection, endMs };
    let last = await this.#attempt(job);
    for (let retry = 0; retry < READ_RETRIES && last.again && message.method === 'GET'; retry++) {
      // A retry after an answer needs no delay: throttled requests wait in the queue, and a wrong clock is corrected.
      const silent = last.answer.outcome.kind === 'unknown' || this.#lines === null;
      // The core does not plan for retries, so a retry must not use budget that orders and cancels need.
      if (silent && isPlanned && (this.#lines?.[declaration.scope].freePart ?? 1) < SPARE_PART) break;
      const delayMs = silent ? RETRY_DELAY_MS * 2 ** retry * (0.5 + Math.random() / 2) : 0;
      if (this.clock.monotonicMs() + delayMs >= endMs || !(await this.pause(delayMs))) break;
      const next = await this.#attempt(job);
      // If a retry was not sent, the result of the previous attempt is kept.
      if (!next.left && last.left) break;
      last = next;
    }
    // The time is read after all retries, because an older time would look as if the clock was set back.
    return last.left ? { ...last.answer, nowMs: this.clock.nowMs() } : last.answer;
  }

  /** Waits `ms`. Returns false if the client was closed during the wait. */
  async pause(ms: number): Promise<boolean> {
    // The wait rejects as soon as the client is closed.
    if (ms > 0) await wait(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    return !this.#closing.signal.aborted;
  }

  async #attempt(job: Job): Promise<Attempted> {
    const { lane, endMs, declaration } = job;
    const line = this.#lines?.[declaration.scope] ?? null;
    const patienceMs = () => endMs - this.clock.monotonicMs();
    for (;;) {
      if (this.#closing.signal.aborted) return this.#givenUp(CLOSED);
      if (declaration.scope === 'signed' && this.#credentials === null) return this.#givenUp(NO_CREDENTIALS);
      const place = line === null ? 'place' : (line.tryEnter() ?? (await line.enter(lane, patienceMs(), job.isUrgent)));
      if (place === null) return this.#givenUp(this.#closing.signal.aborted ? CLOSED : TOO_LATE);
      // If the venue reported a lower budget while the request waited, the request returns to the queue.
      const send = async () => (line?.isOverdrawn(place) === true ? 'overdrawn' : this.#send(job, line, place));
      const attempted = await this.#lanes.run(lane, patienceMs(), send);
      if (attempted === null || attempted === 'overdrawn') line?.onUnsent(place);
      if (attempted !== 'overdrawn') return attempted ?? this.#givenUp(TOO_LATE);
    }
  }

  async #send(job: Job, line: BudgetLine | null, place: Permit): Promise<Attempted> {
    const { message, lane, endMs, declaration } = job;
    const credentials = declaration.scope === 'signed' ? this.#credentials : null;
    const sentMs = this.clock.nowMs();
    const sentMonotonicMs = this.clock.monotonicMs();
    const lateness = sentMonotonicMs >= endMs ? TOO_LATE : null;
    const objection =
      this.#objection(lane) ?? job.findObjection() ?? (this.#closing.signal.aborted ? CLOSED : lateness);
    if (objection !== null) {
      line?.onUnsent(place);
      return this.#givenUp(objection);
    }
    const venueSeconds = Math.floor(this.venueNowMs() / 1_000);
    const headers = writeHeaders(message, this.profile.header_prefix, credentials, venueSeconds);
    const attempt = await this.#transport.send(message, headers, this.#timeoutMs);
    const times = { sentMonotonicMs, seenMonotonicMs: this.clock.monotonicMs(), wallMs: this.clock.nowMs() };
    const when = { sentMs, nowMs: times.wallMs };
    if (attempt.kind === 'answer') {
      const { again, ...read } = this.#read(job, attempt, times, { line, place });
      return { answer: { ...when, ...read }, left: true, again };
    }
    const { reason, sent } = attempt;
    if (sent) line?.onSilence(place);
    else line?.onUnsent(place);
    const outcome = { kind: 'unknown', reason, sent } as const;
    return { answer: { ...when, ...NOTHING_LEARNED, outcome }, left: true, again: true };
  }

  #read(
    { declaration, parts }: Job,
    attempt: Extract<Awaited<ReturnType<Sender['send']>>, { kind: 'answer' }>,
    times: AnswerTimes,
    { line, place }: { readonly line: BudgetLine | null; readonly place: Permit },
  ): Omit<ClientAnswer, 'sentMs' | 'nowMs'> & { again: boolean } {
    const { status, header, text } = attempt;
    const { outcome, genuine, pageLimit } = classify(declaration, status, text, parts);
    const venueTimeMs = genuine ? readDate(header) : null;
    if (venueTimeMs !== null) {
      if (saysWrongClock(outcome)) this.#venueClock.forget();
      const notice = this.#venueClock.observe(venueTimeMs, times);
      if (notice !== null) this.#notify(notice);
    }
    const budget = genuine ? readBudget(header, declaration.scope, this.#offsetMs(times)) : null;
    const throttled = status === 429;
    const fromReset = budget === null || budget.resetMs <= times.wallMs ? null : budget.resetMs - times.wallMs;
    const askedMs = readRetryAfter(header, times.wallMs + this.#offsetMs(times)) ?? fromReset;
    // Without a budget queue, a refusal does not cause a pause.
    const unpaced = throttled ? 0 : null;
    const waitMs = line === null ? unpaced : line.onAnswer(place, { genuine, throttled, budget, askedMs });
    if (waitMs !== null) this.#notify({ kind: 'throttled', scope: declaration.scope, waitMs: Math.ceil(waitMs) });
    // The service sent an unreadable answer; a repeated request would get the same answer.
    const misread = genuine && status < 300;
    const again = outcome.kind === 'unknown' ? !misread : throttled || saysWrongClock(outcome);
    return { outcome, venueTimeMs, budget, pageLimit, again };
  }

  #offsetMs({ seenMonotonicMs, wallMs }: AnswerTimes): number {
    return this.#venueClock.offset(seenMonotonicMs, wallMs)?.offsetMs ?? 0;
  }

  #givenUp(reason: string): Attempted {
    return { answer: this.#answerUnsent(reason), left: false, again: false };
  }

  #answerUnsent(reason: string): ClientAnswer {
    const nowMs = this.clock.nowMs();
    return { ...NOTHING_LEARNED, outcome: { kind: 'unknown', reason, sent: false }, sentMs: nowMs, nowMs };
  }
}

const NOTHING_LEARNED = { venueTimeMs: null, budget: null, pageLimit: null } as const;

const CLOSED = 'the client was closed';
const TOO_LATE = 'the request was not sent by its deadline';
const NO_CREDENTIALS = 'there are no API credentials to sign the request with';

const saysWrongClock = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' && isClockRefusal(outcome.slug, outcome.message);

function requireAnswer<N extends EndpointName>({ outcome }: ClientAnswer<N>, wanted: string) {
  if (outcome.kind === 'answered') return outcome.data;
  if (outcome.kind === 'unknown') {
    const text = `the request for ${wanted} has no valid answer: ${outcome.reason}`;
    throw new TwinbookError('venue_unreachable', text, '`twinbook doctor` checks the connection.');
  }
  const hint = '`twinbook doctor` checks address, clock and signing; usually the clock or the wallet is wrong.';
  const details = outcome.details.flatMap((row) => Object.entries(row).map(([name, text]) => `${name}: ${text}`));
  const told = [outcome.message, ...details].join(' ');
  throw new TwinbookError('venue_refused', `the venue refused ${wanted}: ${outcome.slug}, ${told}`, hint);
}

type Header = (name: string) => string | null;

/** Reads three rate limit headers; null unless all are plausible. `offsetMs`: venue's clock minus our clock. */
function readBudget(header: Header, scope: Scope, offsetMs: number): BudgetReport | null {
  const limit = whole(header('x-ratelimit-limit'));
  const remaining = whole(header('x-ratelimit-remaining'));
  const reset = whole(header('x-ratelimit-reset'));
  if (limit === null || remaining === null || reset === null || limit === 0 || remaining > limit) return null;
  return { scope, limit, remaining, resetMs: reset * 1_000 - offsetMs };
}

/** Returns the wait in `Retry-After` (seconds, or a date by the venue's clock), ms; null without the header. */
function readRetryAfter(header: Header, venueNowMs: number): number | null {
  const text = header('retry-after');
  if (text === null) return null;
  if (/^\d{1,12}(\.\d{1,12})?$/.test(text)) return Math.ceil(Number(text)) * 1_000;
  // `Date.parse` also accepts some texts without letters, such as "-1".
  const dateMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - venueNowMs);
}

/** Returns the time of the `Date` header, ms; null for a cached answer or a time outside the years 2000 to 2199. */
function readDate(header: Header): number | null {
  if (![null, '0'].includes(header('age'))) return null;
  const dateMs = Date.parse(header('date') ?? '');
  return dateMs >= Date.UTC(2000) && dateMs < Date.UTC(2200) ? dateMs : null;
}

const whole = (text: string | null): number | null => (text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null);

/** Resolution of the time in a `Date` header, ms. */
const HEADER_RESOLUTION_MS = 1_000;
/** Maximum relative drift between the clocks of two machines. A bad quartz clock drifts by 500 ppm. */
const DRIFT_MS_PER_MS = 0.0005;
/** Smallest change of the clock offset that is reported, ms. The time in a `Date` header may be a second old. */
const NEWS_MS = 2_000;
/** Maximum number of clock offset reports per minute, because the clocks of a venue's servers may differ. */
const MOST_TOLD = 3;
const MINUTE_MS = 60_000;

type ClockNotice = Extract<ClientNotice, { kind: 'clock_offset' }>;

/** Monotonic times of request and answer, and time of our wall clock at the answer, ms. */
interface AnswerTimes {
  readonly sentMonotonicMs: number;
  readonly seenMonotonicMs: number;
  readonly wallMs: number;
}

interface Bounds {
  /** Difference between the venue's clock and the monotonic clock, ms. */
  readonly low: number;
  readonly high: number;
  readonly atMonotonicMs: number;
}

/** Estimates the venue's clock from `Date` headers. A jump of our wall clock does not change the estimate. */
export class VenueClock {
  #bounds: Bounds | null = null;
  /** Last reported clock offset, ms; before the first report, the first estimate; null before an estimate. */
  #toldMs: number | null = null;
  /** Times of the newest reports of a clock offset, monotonic ms, newest first. */
  #reports: readonly number[] = [];

  /** Records an answer's `Date`, ms. Returns a notice if the offset changed by 2 s, at most three times a minute. */
  observe(dateMs: number, times: AnswerTimes): ClockNotice | null {
    const sample = toBounds(dateMs, times);
    // If the new bounds do not overlap the earlier bounds, a clock was set, and the new bounds replace them.
    this.#bounds = (this.#bounds === null ? sample : intersect(this.#bounds, sample)) ?? sample;
    return this.#news(times);
  }

  /** Drops the estimate of the venue's clock, because the venue rejected our timestamps. */
  forget(): void {
    this.#bounds = null;
  }

  /** Returns the venue's time at a time of our monotonic clock, ms; null before the first answer. */
  venueMs(monotonicMs: number): number | null {
    return this.#bounds === null ? null : (this.#bounds.low + this.#bounds.high) / 2 + monotonicMs;
  }

  /** Returns the venue's clock minus our wall clock; null before the first answer. */
  offset(monotonicMs: number, wallMs: number): ClockOffset | null {
    if (this.#bounds === null) return null;
    const { low, high } = widen(this.#bounds, monotonicMs);
    return {
      offsetMs: Math.round((low + high) / 2 + monotonicMs - wallMs),
      uncertaintyMs: Math.ceil((high - low) / 2),
    };
  }

  #news({ seenMonotonicMs, wallMs }: AnswerTimes): ClockNotice | null {
    const now = this.offset(seenMonotonicMs, wallMs);
    if (now === null) return null;
    const previousOffsetMs = this.#toldMs;
    if (Math.abs(now.offsetMs - (previousOffsetMs ?? 0)) < NEWS_MS) {
      this.#toldMs ??= now.offsetMs;
      return null;
    }
    const oldestMs = this.#reports[MOST_TOLD - 1] ?? Number.NEGATIVE_INFINITY;
    if (seenMonotonicMs - oldestMs < MINUTE_MS) return null;
    this.#reports = [seenMonotonicMs, ...this.#reports.slice(0, MOST_TOLD - 1)];
    this.#toldMs = now.offsetMs;
    return { kind: 'clock_offset', ...now, previousOffsetMs };
  }
}

/** Returns the clock offset's bounds: the venue set the `Date`, rounded down to 1 s, between request and answer. */
const toBounds = (dateMs: number, { sentMonotonicMs, seenMonotonicMs }: AnswerTimes): Bounds => ({
  low: dateMs - seenMonotonicMs,
  high: dateMs + HEADER_RESOLUTION_MS - sentMonotonicMs,
  atMonotonicMs: seenMonotonicMs,
});

function intersect(old: Bounds, sample: Bounds): Bounds | null {
  const before = widen(old, sample.atMonotonicMs);
  const low = Math.max(before.low, sample.low);
  const high = Math.min(before.high, sample.high);
  return low <= high ? { low, high, atMonotonicMs: sample.atMonotonicMs } : null;
}

function widen(bounds: Bounds, monotonicMs: number): Bounds {
  const drift = Math.max(0, monotonicMs - bounds.atMonotonicMs) * DRIFT_MS_PER_MS;
  return { low: bounds.low - drift, high: bounds.high + drift, atMonotonicMs: monotonicMs };
}
