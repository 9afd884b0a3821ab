/** A trader's telemetry, for the tests of whoever reads it. */

import type { AlertSeverity } from '../../../src/shell/config/schema.js';
import { LedgerConnection } from '../../../src/shell/console/ledger-connection.js';
import { LedgerLists } from '../../../src/shell/console/ledger-lists.js';
import type { AlertFigures } from '../../../src/shell/console/metrics/collect.js';
import { TraderState } from '../../../src/shell/console/trader-state.js';
import type { AccountFigures, HelloLine, MarketFigures } from '../../../src/shell/control/telemetry/lines.js';

export const HELLO: HelloLine = {
  type: 'hello',
  pid: 7,
  version: '9.8.7',
  run: 'r',
  config_file: 'trader.yaml',
  config_hash: 'ab'.repeat(32),
  venue: 'paper',
  base_url: 'http://127.0.0.1:1',
  started: 1_000,
  capital_micros: 1_000_000_000,
  limits: {
    max_loss_day_micros: 50_000_000,
    max_drawdown_micros: 100_000_000,
    max_total_cost_micros: 1_000_000_000,
    max_open_orders: 40,
    max_position_micros: 500_000_000,
    max_book_age_ms: 30_000,
  },
  config: { risk: { max_order_shares: '250', max_open_orders: 40 }, strategies: [] },
};

/** A round in which ledger and exchange agreed. */
export const agreementAt = (compared: number) => ({
  compared,
  differences: [] as readonly string[],
  text: 'ledger and exchange agree',
  accepted: 0,
  confirmed: null as string | null,
});

export const ACCOUNT: AccountFigures = {
  mode: 'quoting',
  reason: '',
  way_back: '',
  silent: false,
  cash_micros: 990_000_000,
  equity_micros: 1_001_000_000,
  result_micros: 1_000_000,
  loss_day_micros: 10_000_000,
  drawdown_micros: 10_000_000,
  open_orders: 2,
  unknown_orders: 0,
  fills: 3,
  unsent: 0,
  reduce_only: null,
  agreement: agreementAt(4_000),
  clock_offset_ms: 15,
  budgets: [{ scope: 'signed', limit: 300, per_minute: 285, left: 200, blocked_until: null }],
  spent: [{ purpose: 'moves', total: 12 }],
  feeds: [],
  health: {
    steps: 3,
    step_p50_ms: 1,
    step_p99_ms: 1,
    step_max_ms: 1,
    step_seconds: { counts: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sum: 0.002 },
    requests: [
      {
        endpoint: 'orders.create',
        answered: 4,
        refused: 1,
        unknown: 0,
        seconds: { counts: [0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], sum: 40 },
      },
    ],
    beat_late_p99_ms: 2,
    brake: 0,
    readers: 1,
    readers_cut: 0,
    memory_bytes: 1_000_000,
    guardian: '',
  },
  upkeep: { backup_failed: null, journal_ended: null, has_journal: true },
  risk: {
    total_cost_micros: 400_000_000,
    actions_last_second: 1,
    actions_last_minute: 20,
    fills_in_window: 2,
    events: [{ id: 'm', position_micros: 3_000_000, loss_micros: 1_800_000 }],
  },
};

export const market = (id: string, title = 'Will it?'): MarketFigures => ({
  id,
  title,
  event: null,
  category: null,
  strategy: 'maker',
  state: 'quoting',
  note: '',
  fair_micros: 600_000,
  mark_micros: null,
  yes_micros: 5_000_000,
  no_micros: 2_000_000,
  max_position_micros: null,
  tick_micros: 10_000,
  book_seen: 4_000,
  resolves: null,
  best_bid_micros: 590_000,
  best_ask_micros: 620_000,
  orders: [590_000, 580_000].map((price_micros) => ({
    side: 'bid',
    price_micros,
    remaining_micros: 10_000_000,
    is_yes: true,
    phase: 'resting',
    submitted: 1,
    queue_ahead_micros: null,
  })),
  factors: {},
  health: null,
  refusals: [],
});

/** As a console knows it after the first frame. */
export function toldTrader(markets: readonly MarketFigures[], account: AccountFigures = ACCOUNT): TraderState {
  const trader = new TraderState(() => 0);
  trader.onLine(HELLO);
  trader.onLine({ type: 'frame', time: 5_000, account, markets, known: markets.map(({ id }) => id) });
  return trader;
}

/** One channel that has carried nothing yet. */
export const NO_ALERTS: AlertFigures = {
  count: () => 0,
  figures: [{ channel: 'chat', delivered: 0, failed: 0, lost: 0, waiting: 0 }],
};

const NO_LEDGER = new LedgerConnection(() => {
  throw new Error('there is none');
});

/** A console beside a trader without a ledger. */
export const NOTHING_BESIDE = {
  config: { venue: { name: 'paper' } },
  guardian: { status: () => '', isGuarded: () => null },
  ledger: NO_LEDGER,
  lists: new LedgerLists(NO_LEDGER),
  history: { newestMs: () => 77 },
  watch: { count: (severity: AlertSeverity) => (severity === 'info' ? 0 : 1) },
};
