/** Time: does due work of the core and lets crowd and replay act, several times a second or when due. */

import type { ExchangeCore } from '../core/core.js';
import type { Driver } from '../crowd/contract.js';
import type { PersistentCore } from '../store/persistent-core.js';
import type { ExchangeClock } from './clock.js';

/** Between two beats, ms. The crowd trades in seconds; a landing of 400 ms is seen at most this much later. */
const MAX_WAIT_MS = 50;
/** A fast replay always has due work; requests get their turn in between. */
const MIN_WAIT_MS = 10;

/** Parts that follow the clock. */
interface TickerParts {
  readonly persistentCore: PersistentCore;
  readonly clock: ExchangeClock;
  readonly drivers: readonly Driver[];
  /** A driver threw: it is not called again, the exchange continues. */
  readonly onError: (error: unknown, where: string) => void;
}

/** Advances core and drivers with the clock until it is stopped. */
export class Ticker {
  readonly #persistentCore: PersistentCore;
  readonly #core: ExchangeCore;
  readonly #clock: ExchangeClock;
  readonly #onError: TickerParts['onError'];
  #drivers: readonly Driver[];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ persistentCore, clock, drivers, onError }: TickerParts) {
    this.#persistentCore = persistentCore;
    this.#core = persistentCore.core;
    this.#clock = clock;
    this.#drivers = drivers;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      try {
        this.beat();
        this.#persistentCore.saveIfDue(this.#core.nowMs);
      } catch (error) {
        this.#onError(error, 'the store');
      }
      this.start();
    }, this.#waitMs());
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Does all work due now; its journal rows are one transaction. Returns the exchange's time, ms. */
  beat(): number {
    const nowMs = this.#clock.nowMs();
    this.#persistentCore.batch(() => {
      this.#advanceIfDue(nowMs);
      for (const driver of this.#drivers) this.#tick(driver, nowMs);
    });
    return nowMs;
  }

  /** Before a request: due work of the core itself, without drivers. Returns the exchange's time, ms. */
  settle(): number {
    this.#persistentCore.assertSound();
    const nowMs = this.#clock.nowMs();
    this.#advanceIfDue(nowMs);
    return nowMs;
  }

  #advanceIfDue(nowMs: number): void {
    if (this.#core.timers.nextMs <= nowMs) this.#core.advance(nowMs);
  }

  #tick(driver: Driver, nowMs: number): void {
    if (driver.nextDueMs() > nowMs) return;
    try {
      driver.tick(nowMs);
    } catch (error) {
      this.#drivers = this.#drivers.filter((other) => other !== driver);
      this.#onError(error, 'a simulated trader or a replay');
    }
  }

  #waitMs(): number {
    const dueMs = Math.min(this.#core.timers.nextMs, ...this.#drivers.map((driver) => driver.nextDueMs()));
    return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueMs - this.#clock.nowMs()));
  }
}
