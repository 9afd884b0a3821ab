/** Inputs of an alert center for a healthy trader that reconciled at 0 ms. */

import type { WatchedFacts } from '../../../src/shell/alerts/conditions.js';

export const ACCOUNT_FACTS: NonNullable<WatchedFacts['account']> = {
  mode: 'quoting',
  reason: '',
  venueSilent: false,
  throttled: false,
  unknownOrders: 0,
  disagreement: null,
  reconciledMs: 0,
  clockOffsetMs: 20,
  lossUsed: 0.1,
  silentFeeds: [],
  startedMs: 0,
  backupFailed: null,
  journalEnded: null,
  telemetryLevel: 0,
  readersCut: 0,
};

/** The account is unknown. */
export const FACTS: WatchedFacts = {
  nowMs: 0,
  silentMs: 0,
  isHeard: true,
  hasEnded: false,
  isGone: false,
  isGuarded: true,
  diskFreeBytes: 1e12,
  backup: { newestMs: null, withinMs: null },
  refusedLogins: 0,
  account: null,
};
