/** Sends alerts to the operator through channels. Keeps the open alerts, and one queue of messages for each channel. */

import { utcText } from '../../shared/base/text.js';
import type { StatusLineOf } from '../../shared/protocol/trader-status.js';
import type { ChannelConfig, TraderConfig } from '../config/config.js';
import { ALERT_SEVERITIES, type AlertSeverity } from '../config/schema.js';
import { findConditions, findNextStep, isUndecided, toldAs, type WatchedFacts } from './conditions.js';

/** Time after which a critical alert is sent again, ms. */
const AGAIN_MS = 15 * 60_000;
/** An alert ends when its condition was absent for this time, ms. */
const CLEARED_AFTER_MS = 30_000;
/** Minimum age of an event, ms, at which the message about the event contains the event's time. */
const LATE_MS = 60_000;

/** An open alert, in the form in which it is stored and shown. Times are Unix ms. */
interface RememberedAlert extends Pick<AlertMessage, 'kind' | 'severity' | 'title' | 'text'> {
  readonly sinceMs: number;
  /** Time of the last message about the alert, Unix ms; null before the first message. */
  readonly toldMs: number | null;
  /** Time of an operator's acknowledgement, Unix ms; null without one. An acknowledgement stops the messages. */
  readonly acknowledgedMs: number | null;
}

type OpenAlert = { -readonly [K in keyof RememberedAlert]: RememberedAlert[K] } & { forMs: number; seenMs: number };

/** Keeps open alerts. Each alert causes a message at its start and end; an open critical alert repeats its message. */
export class AlertBook {
  readonly #open = new Map<string, OpenAlert>();
  readonly #run: string;
  #told = 0;
  #seenMs = Number.NEGATIVE_INFINITY;

  /** @param run random text, different for each console, so that message ids are unique */
  constructor(run: string) {
    this.#run = run;
  }

  /** Restores the previous console's alerts. A restored alert whose condition is absent ends after 30 s. */
  goOn(alerts: readonly RememberedAlert[], nowMs: number): void {
    for (const alert of alerts) this.#open.set(alert.kind, { ...alert, forMs: 0, seenMs: nowMs });
    this.#onClockSetBack(nowMs);
  }

  /** Acknowledges an alert: its next message is sent at its end. Has no effect on a closed or acknowledged alert. */
  acknowledge({ kind, sinceMs, timeMs }: Acknowledgement): void {
    const alert = this.#open.get(kind);
    if (alert?.sinceMs === sinceMs) alert.acknowledgedMs ??= timeMs;
  }

  /** Returns the due messages. An open alert does not end while its condition is unknown (`isUndecided`). */
  observe(
    conditions: ReturnType<typeof findConditions>,
    nowMs: number,
    isUndecided = (_kind: string, _sinceMs: number) => false,
  ) {
    if (nowMs < this.#seenMs) this.#onClockSetBack(nowMs);
    const lastMs = Math.min(this.#seenMs, nowMs);
    this.#seenMs = nowMs;
    for (const condition of conditions) {
      const known = this.#open.get(condition.kind);
      const isOther = ['halted', 'killed', 'trader_gone'].includes(condition.kind) && known?.text !== condition.text;
      const isBack = known !== undefined && known.acknowledgedMs !== null && known.seenMs < lastMs;
      // An acknowledgement names the start time, so it has no effect on a new start.
      const { sinceMs, acknowledgedMs = null } = isOther || isBack ? {} : (known ?? {});
      const toldMs = isOther ? null : (known?.toldMs ?? null);
      const begunMs = sinceMs ?? condition.sinceMs ?? nowMs;
      this.#open.set(condition.kind, { ...condition, sinceMs: begunMs, seenMs: nowMs, toldMs, acknowledgedMs });
    }
    for (const [kind, alert] of this.#open) if (isUndecided(kind, alert.sinceMs)) alert.seenMs = nowMs;
    return [...this.#open.values()].flatMap((alert) => this.#say(alert, nowMs) ?? []);
  }

  once(severity: AlertSeverity, kind: string, title: string, text: string, timeMs: number): AlertMessage {
    // The message may be sent long after the event, for example after an outage of the console.
    const when = this.#seenMs - timeMs > LATE_MS ? `; at ${utcText(timeMs)} UTC` : '';
    return { id: this.#nextId(), timeMs, severity, kind, state: 'once', title, text: addNextStep(kind, text + when) };
  }

  /** Open alerts about which a message was sent, oldest first. */
  get open(): readonly RememberedAlert[] {
    return [...this.#open.values()].flatMap(({ forMs: _, seenMs: __, ...alert }) =>
      alert.toldMs === null ? [] : alert,
    );
  }

  /** Sets future alert times to the present after the clock was set back: future times would delay messages. */
  #onClockSetBack(nowMs: number): void {
    for (const alert of this.#open.values()) {
      alert.seenMs = Math.min(alert.seenMs, nowMs);
      // An alert about which a message was sent keeps its start time, which identifies the alert.
      if (alert.toldMs === null) alert.sinceMs = Math.min(alert.sinceMs, nowMs);
      else alert.toldMs = Math.min(alert.toldMs, nowMs);
    }
  }

  #say(alert: OpenAlert, nowMs: number): AlertMessage | null {
    const { kind, severity, forMs, sinceMs, seenMs, toldMs, acknowledgedMs } = alert;
    if (nowMs - seenMs >= CLEARED_AFTER_MS || (toldMs === null && seenMs < nowMs)) {
      this.#open.delete(kind);
      return toldMs === null ? null : this.#message(alert, 'cleared', nowMs);
    }
    if ((toldMs === null && nowMs - sinceMs < forMs) || seenMs < nowMs) return null;
    const isWanted = severity === 'critical' && acknowledgedMs === null;
    if (toldMs !== null && !(isWanted && nowMs - toldMs >= AGAIN_MS)) return null;
    alert.toldMs = nowMs;
    return this.#message(alert, 'open', nowMs);
  }

  #message(alert: OpenAlert, state: 'open' | 'cleared', nowMs: number): AlertMessage {
    const { kind, severity, title, text, sinceMs } = alert;
    // A time more than a day ago is shown with its date.
    const since = utcText(sinceMs).slice(nowMs - sinceMs < 24 * HOUR_MS ? 11 : 0);
    const told = state === 'open' ? addNextStep(kind, `${text}, since ${since} UTC`) : `ended; began at ${since} UTC`;
    return { id: this.#nextId(), timeMs: nowMs, severity, kind, state, title, text: told };
  }

  #nextId(): string {
    return `${this.#run}.${++this.#told}`;
  }
}

const MOST_WAITING = 500;
/** Minimum time between two messages of a channel, ms. */
const APART_MS = 1_000;
/** Maximum number of non-critical messages per hour; further messages are joined and sent later. */
const MOST_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
const PAUSE_MS = { first: 2_000, longest: 300_000 } as const;
/** Maximum age of a pending message, ms. Older messages are dropped if the channel's last delivery failed. */
const PATIENCE_MS = { info: HOUR_MS, warning: HOUR_MS, critical: 24 * HOUR_MS } as const;
const MOST_JOINED = 10;

type WaitingMessage = Readonly<{ message: AlertMessage; sinceMs: number }>;
const isCritical = ({ message }: WaitingMessage): boolean => message.severity === 'critical';

/** Queue of a channel's messages. The queue's owner sends them and reports the results. Times are monotonic, ms. */
export class Outbox {
  readonly counts = { delivered: 0, failed: 0, lost: 0 };
  #waiting: WaitingMessage[] = [];
  #underWay: readonly WaitingMessage[] = [];
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #sentMs: number[] = [];
  #isRefused = false; // Whether a critical message was refused just now: non-critical messages go next.

  get length(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  /** All undelivered messages, including messages that are being sent. */
  get content(): readonly AlertMessage[] {
    return [...this.#underWay, ...this.#waiting].map(({ message }) => message);
  }

  /** Adds a message. A full queue drops the oldest of its least urgent messages and counts the loss. */
  add(message: AlertMessage, steadyMs: number): void {
    this.#waiting.push({ message, sinceMs: steadyMs });
    if (this.length <= MOST_WAITING) return;
    const of = (severity: string) => this.#waiting.findIndex(({ message: one }) => one.severity === severity);
    this.#waiting.splice([of('info'), of('warning')].find((place) => place >= 0) ?? 0, 1);
    this.counts.lost++;
  }

  /** Returns the next message to send, critical messages first; null if none is due or a send is in progress. */
  next(steadyMs: number): AlertMessage | null {
    this.#giveUp(steadyMs);
    if (this.#underWay.length > 0 || steadyMs < this.#notBeforeMs) return null;
    this.#sentMs = this.#sentMs.filter((sentMs) => steadyMs - sentMs < HOUR_MS);
    const others = this.#sentMs.length < MOST_AN_HOUR ? this.#waiting.filter((one) => !isCritical(one)) : [];
    const critical = this.#isRefused && others.length > 0 ? undefined : this.#waiting.find(isCritical);
    const taken = critical === undefined ? others.slice(0, MOST_JOINED) : [critical];
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one));
    this.#underWay = taken;
    return joinMessages(taken.map(({ message }) => message));
  }

  settle(delivery: Delivery, steadyMs: number): void {
    const taken = this.#underWay;
    this.#underWay = [];
    this.#isRefused = delivery.kind === 'refused' && taken.some(isCritical);
    if (delivery.kind !== 'delivered') this.counts.failed++;
    if (delivery.kind === 'failed' || this.#isRefused) {
      this.#waiting = this.#isRefused ? [...this.#waiting, ...taken] : [...taken, ...this.#waiting];
      const pauseMs = Math.min(PAUSE_MS.first * 2 ** this.#failures++, PAUSE_MS.longest);
      this.#notBeforeMs = steadyMs + Math.max(pauseMs, (delivery.kind === 'failed' && delivery.afterMs) || 0);
      return;
    }
    if (delivery.kind === 'delivered') {
      this.counts.delivered += taken.length;
      if (!taken.some(isCritical)) this.#sentMs.push(steadyMs);
    } else this.counts.lost += taken.length;
    this.#failures = 0;
    this.#notBeforeMs = steadyMs + APART_MS;
  }

  #giveUp(steadyMs: number): void {
    if (this.#failures === 0) return;
    const kept = this.#waiting.filter(({ message, sinceMs }) => steadyMs - sinceMs < PATIENCE_MS[message.severity]);
    this.counts.lost += this.#waiting.length - kept.length;
    this.#waiting = kept;
  }
}

function joinMessages(messages: readonly AlertMessage[]): AlertMessage | null {
  const [first] = messages;
  if (first === undefined || messages.length === 1) return first ?? null;
  const titles = new Set(messages.map(({ state, title }) => `${stateText(state)}${title}`));
  const severity = messages.some((one) => one.severity === 'warning') ? 'warning' : first.severity;
  return {
    ...first,
    severity,
    state: 'once',
    kind: 'several',
    title: `${messages.length} messages: ${[...titles].join(', ')}`,
    text: messages.map(({ state, title, text }) => `${stateText(state)}${title}: ${text}`).join('\n'),
  };
}

export const stateText = (state: AlertMessage['state']): string => (state === 'cleared' ? 'over: ' : '');

/** A message to the operator. Repeated deliveries of a message have the same id. */
export interface AlertMessage {
  readonly id: string;
  readonly timeMs: number;
  readonly severity: AlertSeverity;
  readonly kind: string;
  readonly state: 'open' | 'cleared' | 'once';
  /** Title of the alert, without figures or names. Channels with `detail: bare` send only this title. */
  readonly title: string;
  readonly text: string;
}

export type Delivery =
  | { readonly kind: 'delivered' }
  /** The delivery failed and is retried. `afterMs`: delay that the channel requested, ms; null if none. */
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs: number | null }
  /** `refused`: a wrong address or token; only a critical message is retried. `rejected`: an unfit message. */
  | { readonly kind: 'refused' | 'rejected'; readonly why: string };

/** Sends one message. Never rejects. */
type AlertSender = (message: AlertMessage) => Promise<Delivery>;

export interface AlertState {
  readonly open: readonly RememberedAlert[];
  readonly waiting: Readonly<Record<string, readonly AlertMessage[]>>;
  /** Id of the newest ledger event that was read for alerts; absent in older stores. */
  readonly eventId?: number | null;
}

/** Acknowledgement of an alert that has been open since `sinceMs`. */
export type Acknowledgement = Readonly<{ kind: string; sinceMs: number; timeMs: number }>;

/** Stores alerts, so that the next console process can restore them. No method throws. */
export interface AlertMemory {
  load(): AlertState | null;
  save(state: AlertState): void;
  acknowledgements(): readonly Acknowledgement[];
}

const SUMMARY = 'daily_summary';
const RECENT = 200;

interface AlertCenterOptions {
  readonly config: Pick<TraderConfig['alerts'], 'channels'>;
  readonly run: string;
  readonly openSender: (channel: ChannelConfig) => AlertSender;
  /** Logs a failed delivery in the console's own log. */
  readonly note: (text: string) => void;
  readonly memory?: AlertMemory;
  /** Present time, Unix ms; used when the stored alerts are read. */
  readonly nowMs?: number;
  /** Present time of a monotonic clock, ms. */
  readonly steadyMs?: number;
}

type Channel = Readonly<{ config: ChannelConfig; outbox: Outbox; send: AlertSender }>;

/** Sends alerts to all channels. Each channel has its own queue and sends one message at a time. */
export class AlertCenter {
  readonly #channels: readonly Channel[];
  readonly #options: AlertCenterOptions;
  readonly #book: AlertBook;
  readonly #recent: AlertMessage[] = [];
  /** Id of the newest ledger event that was read for alerts; null before the first read. */
  eventId: number | null = null;
  #remembered = '';

  constructor(options: AlertCenterOptions) {
    const { config, run, openSender, memory, nowMs = 0, steadyMs = 0 } = options;
    this.#options = options;
    this.#channels = config.channels.map((one) => ({ config: one, outbox: new Outbox(), send: openSender(one) }));
    this.#book = new AlertBook(run);
    const state = memory?.load() ?? null;
    if (state === null) return;
    this.eventId = state.eventId ?? null;
    this.#book.goOn(state.open, nowMs);
    for (const { config: one, outbox } of this.#channels)
      for (const message of state.waiting[one.name] ?? []) outbox.add(message, steadyMs);
  }

  /** Opens and ends alerts by the present facts, and sends due messages. Call it about once a second. */
  tick(facts: WatchedFacts): void {
    const { nowMs, steadyMs } = facts;
    for (const one of this.#options.memory?.acknowledgements() ?? []) this.#book.acknowledge(one);
    const undecided = (kind: string, sinceMs: number) => isUndecided(kind, sinceMs, facts);
    for (const message of this.#book.observe(findConditions(facts), nowMs, undecided)) this.#tell(message, steadyMs);
    for (const channel of this.#channels) this.#deliver(channel, steadyMs);
    this.#remember();
  }

  /** Queues an alert for a notice that the trader sent; `time` in Unix ms. */
  notice({ kind, text, time, severity }: Omit<StatusLineOf<'notice'>, 'type'>, steadyMs: number) {
    const told = toldAs(kind, severity);
    if (told !== null) this.#tell(this.#book.once(told.severity, kind, told.title, text, time), steadyMs);
  }

  get waiting(): number {
    return this.#channels.reduce((sum, { outbox }) => sum + outbox.length, 0);
  }

  get open(): AlertBook['open'] {
    return this.#book.open;
  }

  get recent(): readonly AlertMessage[] {
    return this.#recent.toReversed();
  }

  get figures() {
    return this.#channels.map(({ config: { name }, outbox }) => {
      return { channel: name, ...outbox.counts, waiting: outbox.length };
    });
  }

  #tell(message: AlertMessage, steadyMs: number): void {
    this.#recent.push(message);
    if (this.#recent.length > RECENT) this.#recent.shift();
    const rank = (severity: AlertSeverity) => ALERT_SEVERITIES.indexOf(severity);
    for (const { config, outbox } of this.#channels) {
      const isWanted = message.kind === SUMMARY ? config.summary : rank(message.severity) >= rank(config.min);
      if (isWanted) outbox.add(message, steadyMs);
    }
  }

  #deliver({ config, outbox, send }: Channel, steadyMs: number): void {
    const message = outbox.next(steadyMs);
    if (message === null) return;
    void send(message).then((delivery) => {
      if (delivery.kind !== 'delivered')
        this.#options.note(`message to alert channel ${config.name} ${delivery.kind}: ${delivery.why}`);
      outbox.settle(delivery, steadyMs);
    });
  }

  /** Stores alerts and queues if they changed since the last store. */
  #remember(): void {
    const waiting = Object.fromEntries(this.#channels.map(({ config, outbox }) => [config.name, outbox.content]));
    const state: AlertState = { open: this.#book.open, waiting, eventId: this.eventId };
    const text = JSON.stringify(state);
    if (text === this.#remembered) return;
    this.#remembered = text;
    this.#options.memory?.save(state);
  }
}

/** Appends the alert kind's next step to a text, on a separate line; returns the text unchanged if there is none. */
function addNextStep(kind: string, text: string): string {
  const step = findNextStep(kind);
  return step === '' ? text : `${text}\nDo: ${step}`;
}
