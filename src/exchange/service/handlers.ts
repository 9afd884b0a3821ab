/** Every call of the service with its handler; one that is declared and not served does not compile. */

import { accountCalls } from './account-calls.js';
import { discoveryCalls } from './discovery-calls.js';
import type { Handlers } from './handler-context.js';
import { marginCalls } from './margin-calls.js';
import { marketCalls } from './market-calls.js';
import { tradingCalls } from './trading-calls.js';

export const HANDLERS: Handlers = {
  ...marketCalls,
  ...discoveryCalls,
  ...tradingCalls,
  ...marginCalls,
  ...accountCalls,
};
