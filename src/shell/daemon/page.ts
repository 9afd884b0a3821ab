/** The page of a running trader: opened beside it, fed from it, and never a reason not to start. */

import { randomBytes } from 'node:crypto';
import { formatDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { OperatorCommand } from '../../shared/protocol/seam.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { BookedFill, OperatorEvent, OrderRecord } from '../../trader/ledger/contract.js';
import type { DashboardConfig } from '../config/types.js';
import type { Host, PageAction, PageState } from '../dashboard/contract.js';
import type { Dashboard } from '../dashboard/dashboard.js';
import { nowMs } from '../runtime/clock.js';
import { readPrivateFile } from '../wallet/private-file.js';
import { secrets } from '../wallet/secrets.js';
import { type Running, statusOf } from './control.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Rows of each list: what fits on a screen or two. */
const ROWS = 20;
const MOST_ORDERS = 100;
const SHORTEST_PASSWORD = 8;

/** The page, or null when there is none: it is switched off, or it cannot be opened, which is said. */
export async function openPage(
  config: DashboardConfig,
  running: Running,
  env: Environment,
  say: (text: string) => void,
): Promise<Dashboard | null> {
  if (!config.enabled) return null;
  try {
    const password = passwordFrom(env);
    // Shown once, where the operator looks; it opens the page of this run alone.
    const secret = password ?? randomBytes(24).toString('base64url');
    const { openDashboard } = await import('../dashboard/dashboard.js');
    const at = (port: number) => openDashboard({ host: hostOf(running), secret, address: config.host, port });
    const page = await at(config.port).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      say(`warning: port ${config.port} is taken, so the dashboard is at another one`);
      return at(0);
    });
    say(`dashboard ${page.url}${password === null ? `#${secret}` : ' (with your password)'}`);
    return page;
  } catch (error) {
    say(`warning: there is no dashboard: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** From the environment or a file of mode 0600; null when none is set, and then a token is drawn for this run. */
function passwordFrom(env: Environment): string | null {
  const path = env['TWINBOOK_DASHBOARD_PASSWORD_FILE'] ?? '';
  const direct = env['TWINBOOK_DASHBOARD_PASSWORD'] ?? '';
  const password = direct === '' && path !== '' ? readPrivateFile(path, 'the password file').trimEnd() : direct;
  if (password === '') return null;
  secrets.hide(password);
  if (password.length >= SHORTEST_PASSWORD) return password;
  throw new TwinbookError('usage', `its password is shorter than ${SHORTEST_PASSWORD} characters`);
}

const hostOf = (running: Running): Host => ({
  state: () => pageStateOf(running),
  act: (action, reason) => {
    try {
      return running.command(commandOf(action, reason));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
});

function commandOf(action: PageAction, reason: string): OperatorCommand {
  switch (action) {
    case 'cancel-all':
    case 'flatten':
      return { kind: action };
    case 'resume':
    case 'unkill':
      return { kind: action, reason };
    default:
      return { kind: action, reason: reason || 'operator, on the page' };
  }
}

/** A trader that can only end still answers, with what needs no ledger. */
function pageStateOf(running: Running): PageState {
  const ending = running.ending();
  if (ending === null) return liveState(running);
  const { config, version, baseUrl, startedMs } = running;
  return {
    mode: 'ending',
    reason: ending,
    silent: false,
    now: nowMs(),
    started: startedMs,
    pid: process.pid,
    version,
    venue: config.venue.name,
    base_url: baseUrl,
    config_hash: config.configHash,
    cash: '',
    result: '',
    open_orders: 0,
    unknown_orders: 0,
    fill_count: 0,
    budget: [],
    agreement: null,
    markets: [],
    orders: [],
    fills: [],
    events: [],
  };
}

function liveState(running: Running): PageState {
  const { ledger } = running;
  const { markets, fills, config_file: _, ...status } = statusOf(running);
  const { reconciled, silent } = running.snapshot();
  const resting = ledger.unsettledOrders().filter(({ status: is }) => RESTING_STATUSES.includes(is));
  return {
    ...status,
    silent,
    fill_count: fills,
    agreement:
      reconciled === null
        ? null
        : { compared: reconciled.comparedMs, differences: reconciled.differences.map(differenceText) },
    markets: markets.map(({ market_condition_id: id, strategy: __, ...market }) => ({ id, ...market })),
    orders: resting.slice(-MOST_ORDERS).map(orderRow),
    fills: ledger.fills({ limit: ROWS }).map(fillRow),
    events: ledger.events(ROWS).map(eventRow),
  };
}

type Compared = NonNullable<ReturnType<Running['snapshot']>['reconciled']>['differences'][number];

const differenceText = ({ what, subject, ledger, exchange }: Compared): string =>
  `${what} ${subject}: ledger ${ledger}, exchange ${exchange}`;

const outcomeOf = ({ isYes }: { readonly isYes: boolean }): string => (isYes ? 'YES' : 'NO');

const orderRow = (order: OrderRecord): PageState['orders'][number] => ({
  market: order.marketConditionId,
  side: order.side,
  outcome: outcomeOf(order),
  price: formatDecimal(order.priceMicros),
  amount: formatDecimal(order.amountMicros),
  filled: formatDecimal(order.filledMicros),
  created: order.createdMs,
});

const fillRow = (fill: BookedFill): PageState['fills'][number] => ({
  market: fill.marketConditionId,
  side: fill.side,
  outcome: outcomeOf(fill),
  price: formatDecimal(fill.priceMicros),
  amount: formatDecimal(fill.amountMicros),
  time: fill.timestampS * 1000,
});

const eventRow = ({ timeMs, kind, text }: OperatorEvent): PageState['events'][number] => ({ time: timeMs, kind, text });
