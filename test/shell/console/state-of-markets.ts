/** A trader's telemetry, for tests of its readers. */

import type {
  AccountStatus,
  MarketStatus,
  ProcessStatus,
  StatusLineOf,
} from '../../../src/shared/protocol/trader-status.js';
import type { AlertSeverity } from '../../../src/shell/config/schema.js';
import { LedgerConnection } from '../../../src/shell/console/ledger-lists.js';
import type { ScrapeFacts } from '../../../src/shell/console/metrics.js';
import { ShownState } from '../../../src/shell/console/trader-state.js';
import { m } from '../../trader/ledger/books.js';

export const PROCESS: ProcessStatus = {
  ...{ pid: process.pid, version: '9.8.7', run: 'r', startedMs: 1_000 },
  ...{ configFile: 'trader.yaml', configHash: 'ab'.repeat(32), venue: 'paper', baseUrl: 'http://127.0.0.1:1' },
  capitalMicros: m(1_000_000_000),
  limits: {
    ...{ maxLossDayMicros: m(50_000_000), maxDrawdownMicros: m(100_000_000), maxTotalCostMicros: m(1_000_000_000) },
    ...{ maxOpenOrders: 40, maxPositionMicros: m(500_000_000), maxBookAgeMs: 30_000 },
  },
  config: { risk: { max_order_shares: '250', max_open_orders: 40 }, strategies: [] },
};

/** The first line of a process, with some of its fields replaced. */
export const hello = (change: Partial<ProcessStatus> = {}): StatusLineOf<'hello'> => {
  return { type: 'hello', process: { ...PROCESS, ...change } };
};

/** A round in which ledger and exchange agreed. */
export const agreedAt = (comparedMs: number): AccountStatus['reconciled'] => {
  return { begunMs: comparedMs - 1_000, comparedMs, differences: [] };
};

const BUDGET = { limit: 300, perMinute: 285, available: 200, blockedUntilMs: null };

export const ACCOUNT: AccountStatus = {
  ...{ mode: 'quoting', reason: '', heldBack: null, wayBack: '', silent: false },
  ...{ cashMicros: m(990_000_000), equityMicros: m(1_001_000_000), resultMicros: m(1_000_000) },
  losses: { dayLossMicros: m(10_000_000), drawdownMicros: m(10_000_000), halted: null },
  days: { current: { day: '2025-12-01', resultMicros: m(2_000_000) }, ended: null },
  ...{ openOrders: 2, unknownOrders: 0, fills: 3, unsent: 0, reduceOnly: null, pausedMarkets: [] },
  ...{ reconciled: agreedAt(4_000), disagreement: null, accepted: [], inDoubt: false },
  ...{ voidReason: null, proven: false, provenMs: null },
  clockOffsetMs: 15,
  budgets: { public: BUDGET, signed: BUDGET },
  marks: null,
  feeds: [],
  health: {
    ...{ steps: 3, stepP50Ms: 1, stepP99Ms: 1, stepMaxMs: 1 },
    stepSeconds: { counts: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sum: 0.002 },
    requests: [
      {
        ...{ endpoint: 'orders.create', answered: 4, refused: 1, unknown: 0 },
        seconds: { counts: [0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], sum: 40 },
      },
    ],
    ...{ beatLateP99Ms: 2, brake: 0, readers: 1, readersCut: 0, memoryBytes: 1_000_000, guardian: '' },
  },
  upkeep: { backupFailed: null, journalEnded: null, hasJournal: true },
  risk: {
    totalLossMicros: m(400_000_000),
    pace: { lastSecond: 1, lastMinute: 20 },
    fillsInWindow: 2,
    events: [{ eventKey: 'm', positionMicros: m(3_000_000), lossMicros: m(1_800_000) }],
  },
};

export const market = (conditionId: string, title = 'Will it?'): MarketStatus => ({
  ...{ conditionId, title, eventId: null, strategies: ['maker'], note: '' },
  ...{ fairMicros: m(600_000), markMicros: null },
  ...{ yesMicros: m(5_000_000), noMicros: m(2_000_000), maxPositionMicros: null },
  ...{ bookSeenMs: 4_000, bookSentMs: 4_000, resolvesMs: null },
  ...{ bestBidMicros: m(590_000), bestAskMicros: m(620_000), bidMicros: m(590_000), askMicros: null },
  orders: [590_000, 580_000].map((price) => ({
    side: 'bid',
    priceMicros: m(price),
    remainingMicros: m(10_000_000),
    phase: 'resting',
    submittedMs: 1,
    queueAheadMicros: null,
  })),
  ...{ factors: {}, health: null, refusals: [], exchangeRefusal: null, markMove: 0, feeds: [] },
  ...{ leftOutBecause: null, worth: null },
});

/** The trader as a console knows it after the first frame. */
export function toldTrader(markets: readonly MarketStatus[], account: AccountStatus = ACCOUNT): ShownState {
  const trader = new ShownState(() => 0);
  trader.onLine(hello());
  trader.onLine({ type: 'frame', time: 5_000, account, markets, known: markets.map(({ conditionId }) => conditionId) });
  return trader;
}

/** Figures of a scrape; one channel has carried nothing yet. */
export const facts = (more: Partial<ScrapeFacts> = {}): ScrapeFacts => ({
  name: 'paper',
  trader: toldTrader([market('m')]),
  eventCount: () => 0,
  files: { ledgerBytes: 10, walBytes: 5, backupMs: 2_000, diskFreeBytes: 100 },
  isGuarded: true,
  refusedLogins: 2,
  alerts: { count: () => 0, figures: [{ channel: 'chat', delivered: 0, failed: 0, lost: 0, waiting: 0 }] },
  ...more,
});

/** A console beside a trader without a ledger. */
export const NOTHING_BESIDE = {
  config: { venue: { name: 'paper' } },
  guardian: { status: () => '', isGuarded: () => null },
  ledger: new LedgerConnection('/nowhere/ledger.sqlite'),
  history: { newestMs: () => 77 },
  watch: { count: (severity: AlertSeverity) => (severity === 'info' ? 0 : 1) },
};
