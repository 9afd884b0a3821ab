/** Inputs of an alert center for a healthy trader that reconciled at 0 ms. */

import type { WatchedFacts } from '../../../src/shell/alerts/conditions.js';
import { ACCOUNT, agreedAt, PROCESS } from '../console/state-of-markets.js';

export const ACCOUNT_FACTS = { ...ACCOUNT, reconciled: agreedAt(0) };

/** The account is unknown. */
export const FACTS: WatchedFacts = {
  ...{ nowMs: 0, steadyMs: 0, silentMs: 0, isHeard: true, hasEnded: false, gone: null, isGuarded: true },
  ...{ diskFreeBytes: 1e12, backupMs: null, backupWithinMs: null, refusedLogins: 0 },
  process: { ...PROCESS, startedMs: 0 },
  account: null,
};
