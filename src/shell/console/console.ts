/**
 * The console: a process beside one trader, or several, that shows them, and can stop them while they hang. It has no key and no
 * credentials: it can do what the control sockets allow, and write the stop files. Its data comes from telemetry and from
 * read-only connections to the ledgers. It never prevents a trader's start, and never ends a trader.
 */

import type { Passes } from '../dashboard/admission.js';
import type { Host } from '../dashboard/contract.js';
import { type Dashboard, openDashboard } from '../dashboard/dashboard.js';
import { nowMs } from '../runtime/clock.js';
import { readPrivateFile, secrets } from '../wallet/secrets.js';
import { ACTIONS_ON_ALL } from './actions.js';
import { renderMetrics } from './metrics/collect.js';
import { METRICS_TYPE } from './metrics/exposition.js';
import { readPasses } from './password.js';
import type { ShownParts } from './shown-parts.js';
import { openShownTrader, type ShownTrader } from './shown-trader.js';
import { sumTraders } from './trader-row.js';
import { nameTraders, requireDistinct } from './traders.js';

/** A console that is ending may still have the port, ms. */
const PORT_WITHIN_MS = 2_000;
const PORT_AGAIN_MS = 100;
/** Maximum wait for the last messages of a trader that ends, ms. */
const LAST_WITHIN_MS = 2_000;
/** Longest time to report that a trader is gone, ms. */
const GONE_TOLD_WITHIN_MS = 60_000;

/** A shown trader: its file, and its guardian's report. */
export type ConsoleTrader = Pick<ShownParts, 'config' | 'guardian'>;

export interface ConsoleOptions extends ConsoleTrader {
  /** Shown beside it. The first one's file determines the page's address and users. */
  readonly others?: readonly ConsoleTrader[];
  /** Whether that trader has started this console and ends it. */
  readonly isWithTrader?: boolean;
  /** Password or token of the operator's page. */
  readonly secret: string;
  /** Something for the log. */
  readonly note: (text: string) => void;
}

export interface Console {
  /** Null when the configuration has no page. */
  readonly url: string | null;
  /** Whether the configured port was taken, so that the page is at another one. */
  readonly isElsewhere: boolean;
  /** The process of the first trader ended without a message: an alert is sent, which may take a while. */
  traderGone(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `usage` for traders that cannot be shown together. */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { config, guardian, others = [], isWithTrader = false, secret, note } = options;
  const { dashboard, metrics } = config;
  const wanted = [{ config, guardian }, ...others];
  requireDistinct(wanted.map((one) => one.config));
  const names = nameTraders(wanted.map((one) => one.config.file));
  const passes: Passes = { operate: secret, ...readPasses(dashboard, secret) };
  const scraped = { isOpen: metrics.open, token: readToken(metrics.tokenFile) };
  let page: Listening | null = null;
  const traders = wanted.map((one, i) => {
    const name = names[i] ?? '';
    const noteOf = wanted.length === 1 ? note : (text: string) => note(`${name}: ${text}`);
    // The first trader's file has the page's passwords: its channels report failed logins.
    const refusedLogins = i === 0 ? () => page?.dashboard.refusedLogins() ?? 0 : null;
    return openShownTrader({ ...one, name, isWithTrader, note: noteOf, refusedLogins });
  });
  const end = () => {
    for (const trader of traders) trader.close();
  };
  try {
    const host = makeHost(traders);
    const at = (port: number) => openDashboard({ host, passes, metrics: scraped, port });
    page = dashboard.enabled ? await listenWithin(at, dashboard.port) : null;
    return {
      url: page?.dashboard.url ?? null,
      isElsewhere: page?.isElsewhere ?? false,
      traderGone: async () => {
        traders[0]?.traderGone();
        await traders[0]?.deliver(GONE_TOLD_WITHIN_MS);
      },
      close: async () => {
        await Promise.all(traders.map((trader) => trader.deliver(LAST_WITHIN_MS)));
        end();
        await page?.dashboard.close();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

const makeHost = (traders: readonly ShownTrader[]): Host => ({
  names: traders.map(({ name }) => name),
  trader: (name) => traders.find((one) => one.name === name) ?? null,
  traders: () => {
    const rows = traders.map((trader) => trader.row());
    return { now: nowMs(), actions: ACTIONS_ON_ALL, traders: rows, sums: sumTraders(rows) };
  },
  metrics: () => ({ type: METRICS_TYPE, text: renderMetrics(...traders.map((trader) => trader.scrape())) }),
});

function readToken(file: string | null): string | null {
  if (file === null) return null;
  const token = readPrivateFile(file, 'the token file of the metrics').trim();
  secrets.hide(token);
  return token;
}

interface Listening {
  readonly dashboard: Dashboard;
  readonly isElsewhere: boolean;
}

/** At its port, or at a free one when another program has it. */
async function listenWithin(at: (port: number) => Promise<Dashboard>, port: number): Promise<Listening> {
  const endMs = performance.now() + PORT_WITHIN_MS;
  for (;;) {
    try {
      return { dashboard: await at(port), isElsewhere: false };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      if (performance.now() >= endMs) return { dashboard: await at(0), isElsewhere: true };
      await new Promise((resolve) => setTimeout(resolve, PORT_AGAIN_MS));
    }
  }
}
