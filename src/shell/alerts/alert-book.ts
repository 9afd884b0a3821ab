/** Open alerts, and when each is sent: once, again while a critical one stays open, and when it is over. */

import type { AlertSeverity } from '../config/schema.js';
import type { Condition } from './conditions.js';
import { addNextStep } from './conditions.js';
import type { Acknowledgement, AlertMessage, RememberedAlert } from './contract.js';

/** Time until a critical alert is sent again, ms. */
const AGAIN_MS = 15 * 60_000;
/** A condition is over only after it was absent for this long, ms. */
const CLEARED_AFTER_MS = 30_000;

interface OpenAlert {
  condition: Condition;
  sinceMs: number;
  seenMs: number;
  /** Null until it was sent. */
  toldMs: number | null;
  /** Null until a person has seen it. */
  acknowledgedMs: number | null;
}

export class AlertBook {
  readonly #open = new Map<string, OpenAlert>();
  readonly #run: string;
  #told = 0;
  #seenMs = Number.NEGATIVE_INFINITY;

  /** @param run drawn by each console, so that ids of messages are never used twice */
  constructor(run: string) {
    this.#run = run;
  }

  /** Restores alerts of the previous console. Conditions that no longer hold end after a while, with a message. */
  goOn(alerts: readonly RememberedAlert[], nowMs: number): void {
    for (const { kind, severity, title, text, sinceMs, toldMs, acknowledgedMs } of alerts) {
      const condition = { kind, severity, title, text, forMs: 0 };
      this.#open.set(kind, { condition, sinceMs, seenMs: nowMs, toldMs, acknowledgedMs });
    }
  }

  /** The alert is not sent again until it is over. No effect where it is no longer open, or was acknowledged. */
  acknowledge({ kind, sinceMs, timeMs }: Acknowledgement): void {
    const alert = this.#open.get(kind);
    if (alert?.sinceMs === sinceMs) alert.acknowledgedMs ??= timeMs;
  }

  /**
   * Messages to send for the current conditions.
   * @param isUndecided whether a condition of this kind is unknown now: an open alert then stays unchanged
   */
  observe(
    conditions: readonly Condition[],
    nowMs: number,
    isUndecided: (kind: string) => boolean = () => false,
  ): readonly AlertMessage[] {
    if (nowMs < this.#seenMs) this.#onClockSetBack(nowMs);
    this.#seenMs = nowMs;
    for (const condition of conditions) {
      const known = this.#open.get(condition.kind);
      if (known === undefined)
        this.#open.set(condition.kind, {
          condition,
          sinceMs: condition.sinceMs ?? nowMs,
          seenMs: nowMs,
          toldMs: null,
          acknowledgedMs: null,
        });
      else Object.assign(known, { condition, seenMs: nowMs });
    }
    for (const [kind, alert] of this.#open) if (isUndecided(kind)) alert.seenMs = nowMs;
    return [...this.#open.values()].flatMap((alert) => this.#say(alert, nowMs) ?? []);
  }

  /** A single event without a duration. */
  once(severity: AlertSeverity, kind: string, title: string, text: string, timeMs: number): AlertMessage {
    return { id: this.#nextId(), timeMs, severity, kind, state: 'once', title, text: addNextStep(kind, text) };
  }

  /** Sent alerts that are not over, longest first. */
  get open(): readonly RememberedAlert[] {
    return [...this.#open.values()].flatMap(({ condition, sinceMs, toldMs, acknowledgedMs }) => {
      const { kind, severity, title, text } = condition;
      return toldMs === null ? [] : [{ kind, severity, title, text, sinceMs, toldMs, acknowledgedMs }];
    });
  }

  /** Number of sent alerts that are not over. */
  count(severity: AlertSeverity): number {
    return [...this.#open.values()].filter(
      ({ condition, toldMs }) => toldMs !== null && condition.severity === severity,
    ).length;
  }

  /** Restarts ages: otherwise no alert would be repeated or end for as long as the step. */
  #onClockSetBack(nowMs: number): void {
    for (const alert of this.#open.values()) {
      alert.seenMs = Math.min(alert.seenMs, nowMs);
      // A sent alert is identified by the time of its beginning.
      if (alert.toldMs === null) alert.sinceMs = Math.min(alert.sinceMs, nowMs);
      else alert.toldMs = Math.min(alert.toldMs, nowMs);
    }
  }

  #say(alert: OpenAlert, nowMs: number): AlertMessage | null {
    const { condition, sinceMs, seenMs, toldMs, acknowledgedMs } = alert;
    if (nowMs - seenMs >= CLEARED_AFTER_MS || (toldMs === null && seenMs < nowMs)) {
      this.#open.delete(condition.kind);
      return toldMs === null ? null : this.#message(alert, 'cleared', nowMs);
    }
    if ((toldMs === null && nowMs - sinceMs < condition.forMs) || seenMs < nowMs) return null;
    const isWanted = condition.severity === 'critical' && acknowledgedMs === null;
    const isAgain = toldMs !== null && isWanted && nowMs - toldMs >= AGAIN_MS;
    if (toldMs !== null && !isAgain) return null;
    alert.toldMs = nowMs;
    return this.#message(alert, 'open', nowMs);
  }

  #message({ condition, sinceMs }: OpenAlert, state: 'open' | 'cleared', nowMs: number): AlertMessage {
    const { kind, severity, title, text } = condition;
    const since = new Date(sinceMs).toISOString().slice(11, 19);
    const told = state === 'open' ? addNextStep(kind, `${text}, since ${since} UTC`) : `over; it began at ${since} UTC`;
    return { id: this.#nextId(), timeMs: nowMs, severity, kind, state, title, text: told };
  }

  #nextId(): string {
    this.#told += 1;
    return `${this.#run}.${this.#told}`;
  }
}
