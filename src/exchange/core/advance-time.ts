/** Time in the core: whatever was due by the moment of a call is done before the call, each thing at its own time. */

import { unreachable } from '../../shared/base/errors.js';
import type { Timer } from './timer-queue.js';
import type { CoreSubsystems } from './wiring.js';

/** The core's time: brings every subsystem to a moment before a call acts at it. */
export class CoreClock {
  readonly #parts: CoreSubsystems;

  constructor(parts: CoreSubsystems) {
    this.#parts = parts;
  }

  /** Lets time pass: everything due comes first, in time order. An earlier time counts as now. */
  advanceTo(nowMs: number): void {
    const { context } = this.#parts;
    if (context.timers.nextMs <= nowMs) this.#doDue(nowMs);
    if (nowMs > context.nowMs) context.nowMs = nowMs;
  }

  #doDue(nowMs: number): void {
    const { context } = this.#parts;
    for (let due = context.timers.take(nowMs); due !== null; due = context.timers.take(nowMs)) {
      context.nowMs = Math.max(context.nowMs, due.dueMs);
      this.#do(due);
    }
  }

  #do({ kind, id, dueMs }: Timer): void {
    const { orders, conversions, redeems, margin } = this.#parts;
    switch (kind) {
      case 'order':
        return orders.expire(id);
      case 'conversion':
        return conversions.expire(id);
      case 'landing':
        return conversions.land(id);
      case 'redeem':
        return redeems.expire(id);
      case 'request':
        return margin.requests.step(id, dueMs);
      case 'settlement':
        return margin.stepSettlement(id);
      case 'position':
        return margin.positions.onWatchDue(id, dueMs);
      case 'close':
        return margin.positions.closeDue(id);
      default:
        unreachable(kind, 'what is due');
    }
  }
}
