/** What is told to a person who does not look: alerts, the messages that say them, and the channels that carry those. */

import { ALERT_SEVERITIES, type AlertSeverity } from '../config/alert-kinds.js';

export const isAtLeast = (severity: AlertSeverity, least: AlertSeverity): boolean =>
  ALERT_SEVERITIES.indexOf(severity) >= ALERT_SEVERITIES.indexOf(least);

/** One thing to be told. The same id is the same message, however often it arrives. */
export interface AlertMessage {
  readonly id: string;
  /** Unix ms. */
  readonly timeMs: number;
  readonly severity: AlertSeverity;
  /** What it is about; the same while an alert is open. */
  readonly kind: string;
  readonly state: 'open' | 'cleared' | 'once';
  /** In a few words, without figures. */
  readonly title: string;
  readonly text: string;
}

export type Delivery =
  | { readonly kind: 'delivered' }
  /** Tried again later; not before so many ms where the channel has said so. */
  | { readonly kind: 'failed'; readonly why: string; readonly afterMs: number | null }
  /** Never delivered however often it is tried: an address that is wrong. */
  | { readonly kind: 'refused'; readonly why: string };

/** Never throws. */
export type AlertSender = (message: AlertMessage) => Promise<Delivery>;
