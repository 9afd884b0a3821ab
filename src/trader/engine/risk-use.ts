/** How much of the limits is used now, for whoever shows it: figures that risk has counted anyway. */

import type { Micros } from '../../shared/base/micros.js';
import type { PaceFacts } from '../risk/action-pace.js';
import type { TraderState } from './state.js';

/** The worst that one event can come to. */
export interface EventWorst {
  /** The event's id, or the id of a market without an event. */
  readonly eventKey: string;
  /** Sum of its markets' positions at their worst, shares. */
  readonly positionMicros: Micros;
  /** Currency, below zero where it can only gain. */
  readonly lossMicros: Micros;
}

export interface RiskUse {
  /** Currency lost if everything filled at its worst and every market resolved against us. */
  readonly totalLossMicros: Micros;
  readonly events: readonly EventWorst[];
  readonly pace: PaceFacts;
  /** Fills in the fullest window among the newest fills. */
  readonly fillsInWindow: number;
}

export const readRiskUse = ({ own, guards }: TraderState, nowMs: number): RiskUse => ({
  totalLossMicros: own.exposure.totalLossMicros,
  events: own.exposure.eventKeys.map((eventKey) => ({
    eventKey,
    positionMicros: own.exposure.eventPosition(eventKey),
    lossMicros: own.exposure.eventLoss(eventKey),
  })),
  pace: guards.pace.peek(nowMs),
  fillsInWindow: guards.fills.facts.inWindow,
});
