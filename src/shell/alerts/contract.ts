/** Messages to an absent operator: alerts, their texts, and the channels that carry them. */

import { ALERT_SEVERITIES, type AlertSeverity } from '../config/schema.js';

export const isAtLeast = (severity: AlertSeverity, least: AlertSeverity): boolean =>
  ALERT_SEVERITIES.indexOf(severity) >= ALERT_SEVERITIES.indexOf(least);

/** One message. The same id is the same message, however often it arrives. */
export interface AlertMessage {
  readonly id: string;
  readonly timeMs: number;
  readonly severity: AlertSeverity;
  /** Its subject; constant while an alert is open. */
  readonly kind: string;
  readonly state: 'open' | 'cleared' | 'once';
  /** A few words, without figures. */
  readonly title: string;
  readonly text: string;
}

export type Delivery =
  | { readonly kind: 'delivered' }
  /** Retried later; after this many ms if the channel gave a delay. */
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs: number | null }
  /** Never deliverable: a wrong address. */
  | { readonly kind: 'refused'; readonly why: string };

/** Never throws. */
export type AlertSender = (message: AlertMessage) => Promise<Delivery>;

/** An open alert, as stored and shown. Times are Unix ms. */
export interface RememberedAlert {
  readonly kind: string;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly text: string;
  readonly sinceMs: number;
  readonly toldMs: number;
  /** An operator has acknowledged it: it is not sent again until it is over. Null without an acknowledgement. */
  readonly acknowledgedMs: number | null;
}

export interface RememberedMessage {
  readonly message: AlertMessage;
  readonly sinceMs: number;
}

export interface AlertState {
  readonly open: readonly RememberedAlert[];
  /** By the name of the channel. */
  readonly waiting: Readonly<Record<string, readonly RememberedMessage[]>>;
}

/** Of an alert that has been open since then. */
export interface Acknowledgement {
  readonly kind: string;
  readonly sinceMs: number;
  readonly timeMs: number;
}

/** Storage of alerts between processes. No call throws. */
export interface AlertMemory {
  /** Null without a stored state. */
  load(): AlertState | null;
  save(state: AlertState): void;
  acknowledgements(): readonly Acknowledgement[];
}
