/**
 * Pending messages of one channel: bounded, one at a time, retried after a failure with growing pauses, and
 * few of the less urgent ones. It knows no clock and sends nothing: its owner asks for the due message, and reports the result.
 */

import type { AlertMessage, Delivery, RememberedMessage } from './contract.js';

const MOST_WAITING = 500;
/** Between two messages of a channel, ms. */
const APART_MS = 1_000;
/** Messages below critical in an hour; further ones are joined into one when the hour allows it again. */
const MOST_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
const PAUSE_MS = { first: 2_000, longest: 300_000 } as const;
/** Afterwards it is dropped. */
const PATIENCE_MS = { info: HOUR_MS, warning: HOUR_MS, critical: 24 * HOUR_MS } as const;
/** A critical message that waits this long goes to another channel too. */
const STUCK_MS = 120_000;
/** Lines of a message that joins others. */
const MOST_JOINED = 10;

interface Waiting {
  readonly message: AlertMessage;
  sinceMs: number;
  isEscalated: boolean;
}

export interface OutboxCounts {
  delivered: number;
  failed: number;
  lost: number;
}

export class Outbox {
  readonly counts: OutboxCounts = { delivered: 0, failed: 0, lost: 0 };
  #waiting: Waiting[] = [];
  #underWay: readonly Waiting[] = [];
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #sentMs: number[] = [];
  #seenMs = Number.NEGATIVE_INFINITY;

  get length(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  /** Urgent messages among those that wait or are in flight. */
  get urgent(): number {
    return [...this.#waiting, ...this.#underWay].filter(({ message }) => message.severity === 'critical').length;
  }

  /** Includes the message in flight: its delivery is unknown. */
  get content(): readonly RememberedMessage[] {
    return [...this.#underWay, ...this.#waiting].map(({ message, sinceMs }) => ({ message, sinceMs }));
  }

  /** Undelivered messages of the previous console. */
  goOn(messages: readonly RememberedMessage[]): void {
    for (const { message, sinceMs } of messages) this.add(message, sinceMs);
  }

  /** Without room the least urgent and oldest is dropped and counted. */
  add(message: AlertMessage, nowMs: number): void {
    this.#waiting.push({ message, sinceMs: nowMs, isEscalated: false });
    if (this.length <= MOST_WAITING) return;
    const of = (severity: string) => this.#waiting.findIndex(({ message: one }) => one.severity === severity);
    const place = [of('info'), of('warning'), 0].find((found) => found >= 0) ?? 0;
    this.#waiting.splice(place, 1);
    this.counts.lost++;
  }

  /**
   * The message to send now, most urgent first; null while none is due or one is in flight.
   * @param isQuiet only urgent messages are due
   */
  next(nowMs: number, isQuiet = false): AlertMessage | null {
    if (nowMs < this.#seenMs) this.#onClockSetBack(nowMs);
    this.#seenMs = nowMs;
    this.#giveUp(nowMs);
    if (this.#underWay.length > 0 || nowMs < this.#notBeforeMs) return null;
    const critical = this.#waiting.find(({ message }) => message.severity === 'critical');
    const taken = critical !== undefined ? [critical] : isQuiet ? [] : this.#takeOthers(nowMs);
    if (taken.length === 0) return null;
    this.#waiting = this.#waiting.filter((one) => !taken.includes(one));
    this.#underWay = taken;
    return joinMessages(taken.map(({ message }) => message));
  }

  settle(delivery: Delivery, nowMs: number): void {
    const taken = this.#underWay;
    this.#underWay = [];
    if (delivery.kind === 'failed') {
      this.counts.failed++;
      this.#waiting.unshift(...taken);
      const pauseMs = Math.min(PAUSE_MS.first * 2 ** this.#failures, PAUSE_MS.longest);
      this.#failures++;
      this.#notBeforeMs = nowMs + Math.max(pauseMs, delivery.afterMs ?? 0);
      return;
    }
    if (delivery.kind === 'delivered') {
      this.counts.delivered += taken.length;
      if (taken.some(({ message }) => message.severity !== 'critical')) this.#sentMs.push(nowMs);
    } else {
      this.counts.failed++;
      this.counts.lost += taken.length;
    }
    this.#failures = 0;
    this.#notBeforeMs = nowMs + APART_MS;
  }

  /** Critical messages that could not be delivered for a while, each once. */
  takeStuck(nowMs: number): readonly AlertMessage[] {
    const stuck = [...this.#waiting, ...this.#underWay].filter(
      ({ message, sinceMs, isEscalated }) =>
        !isEscalated && message.severity === 'critical' && nowMs - sinceMs >= STUCK_MS,
    );
    for (const one of stuck) one.isEscalated = true;
    return stuck.map(({ message }) => message);
  }

  /** Ends pauses and restarts ages: otherwise a message would wait for as long as the step. */
  #onClockSetBack(nowMs: number): void {
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    this.#sentMs = this.#sentMs.map((sentMs) => Math.min(sentMs, nowMs));
    for (const one of [...this.#waiting, ...this.#underWay]) one.sinceMs = Math.min(one.sinceMs, nowMs);
  }

  #takeOthers(nowMs: number): readonly Waiting[] {
    this.#sentMs = this.#sentMs.filter((sentMs) => nowMs - sentMs < HOUR_MS);
    if (this.#sentMs.length >= MOST_AN_HOUR) return [];
    return this.#waiting.slice(0, this.#waiting.length);
  }

  #giveUp(nowMs: number): void {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter(
      ({ message, sinceMs }) => nowMs - sinceMs < PATIENCE_MS[message.severity] || this.#failures === 0,
    );
    this.counts.lost += before - this.#waiting.length;
  }
}

/** One message with several joined; a single one unchanged. */
function joinMessages(messages: readonly AlertMessage[]): AlertMessage {
  const [first, ...others] = messages;
  if (first === undefined) throw new Error('nothing to join');
  if (others.length === 0) return first;
  const lines = messages.slice(0, MOST_JOINED).map(({ state, title, text }) => `${stateText(state)}${title}: ${text}`);
  const more = messages.length - lines.length;
  const severity = messages.some((one) => one.severity === 'warning') ? 'warning' : first.severity;
  return {
    ...first,
    severity,
    state: 'once',
    kind: 'several',
    title: `${messages.length} messages`,
    text: [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'),
  };
}

export const stateText = (state: AlertMessage['state']): string => (state === 'cleared' ? 'over: ' : '');
