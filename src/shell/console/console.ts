/**
 * The console process shows one or several traders and can stop a trader that hangs. The console has no key and no
 * credentials: it may only use the control sockets and write stop files. Data comes from telemetry and from read-only
 * connections to the ledgers. The console never prevents a trader's start and never ends a trader.
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { readSecret } from '../alerts/senders.js';
import { isConsoleWanted, type TraderConfig } from '../config/config.js';
import type { Passes } from '../dashboard/admission.js';
import type { Host } from '../dashboard/contract.js';
import { openDashboard } from '../dashboard/dashboard.js';
import { nowMs } from '../runtime/clock.js';
import { ACTIONS_ON_ALL } from './actions.js';
import { METRICS_TYPE, renderMetrics } from './metrics.js';
import { readPasses } from './page-access.js';
import type { ShownParts } from './page-state.js';
import { openShownTrader, type ShownTrader } from './shown-trader.js';

/** Maximum traders of one console: each trader costs a connection, a store and a place on the page. */
export const MOST_TRADERS = 16;

const misuse = (what: string, hint: string) => new TwinbookError('usage', what, hint);

/** Throws `usage` for traders that cannot be shown together. The error names their files and the requirement. */
export function requireDistinct(configs: readonly TraderConfig[]): void {
  const [first, ...others] = configs;
  if (first === undefined || others.length === 0) return;
  if (configs.length > MOST_TRADERS)
    throw misuse(`${configs.length} traders; a console shows at most ${MOST_TRADERS}`, 'Start a second console.');
  if (!first.dashboard.enabled)
    throw misuse(
      `${first.file}: dashboard.enabled is false, and several traders are shown at its address`,
      'Set it to true in the file that -c names.',
    );
  const known = new Map<string, string>();
  const requireNew = (what: string, path: string, { file }: TraderConfig) => {
    const before = known.get(`${what} ${path}`);
    known.set(`${what} ${path}`, file);
    if (before === undefined) return;
    const twice = `${file} is named twice`;
    throw misuse(before === file ? twice : `${before} and ${file} share the ${what} ${path}`, 'Name each trader once.');
  };
  for (const config of configs) {
    requireNew('ledger', followLinks(config.ledger.path), config);
    requireNew('control socket', followLinks(config.control.socket), config);
    if (isConsoleWanted(config) && config.dashboard.start)
      throw misuse(
        `${config.file}: dashboard.start is true, so its trader starts another console, which would send each alert twice`,
        'Set dashboard.start to false in the file of every trader that this console shows.',
      );
  }
}

/** Returns the real path of a file that may not exist. */
const followLinks = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? `${realpathSync(folder)}/${basename(path)}` : path;
};

/** Names traders by file, without the ending; equal names get the folder. Throws `usage` for equal results. */
export function nameTraders(files: readonly string[]): readonly string[] {
  const short = files.map((file) => parse(file).name);
  const names = files.map((file, i) => {
    const name = short[i] ?? '';
    return short.filter((other) => other === name).length === 1 ? name : `${basename(dirname(file))}/${name}`;
  });
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return names;
  const what = files.filter((_, i) => names[i] === twice).join(' and ');
  throw misuse(`${what} would both be shown as ${twice}`, 'Rename one of the files.');
}

/** Time to wait for the port, ms: a console that is ending may still have it. */
const PORT_WITHIN_MS = 2_000;
const PORT_AGAIN_MS = 100;
/** Maximum wait for the last messages of a trader that ends, ms. */
const LAST_WITHIN_MS = 2_000;
/** Longest time to report that a trader is gone, ms. */
const GONE_TOLD_WITHIN_MS = 60_000;

/** A shown trader: its file, and its guardian's report. */
export type ConsoleTrader = Pick<ShownParts, 'config' | 'guardian'>;

export interface ConsoleOptions extends ConsoleTrader {
  /** Further traders to show. The first trader's file determines the page's address and users. */
  readonly others?: readonly ConsoleTrader[];
  /** Whether the trader has started this console and ends it. */
  readonly isWithTrader?: boolean;
  /** Password or token of the operator's page. */
  readonly secret: string;
  readonly note: (text: string) => void;
}

/** Opens a console. Throws `usage` for traders that cannot be shown together. */
export async function openConsole(options: ConsoleOptions) {
  const { config, guardian, others = [], isWithTrader = false, secret, note } = options;
  const { dashboard, metrics } = config;
  const wanted = [{ config, guardian }, ...others];
  requireDistinct(wanted.map((one) => one.config));
  const names = nameTraders(wanted.map((one) => one.config.file));
  const passes: Passes = { operate: secret, ...readPasses(dashboard, secret) };
  const scraped = {
    isOpen: metrics.open,
    token: metrics.tokenFile === null ? null : readSecret(metrics.tokenFile, 'the token file of the metrics'),
  };
  let page: Awaited<ReturnType<typeof listenWithin>> | null = null;
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
      /** Null when the configuration has no page. */
      url: page?.dashboard.url ?? null,
      /** Whether the configured port was taken, so that the page is at another one. */
      isElsewhere: page?.isElsewhere ?? false,
      /** The process of the first trader ended without a message: an alert is sent, which may take a while. */
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
  traders: () => ({ now: nowMs(), actions: ACTIONS_ON_ALL, traders: traders.map((trader) => trader.row()) }),
  metrics: () => ({ type: METRICS_TYPE, text: renderMetrics(...traders.map((trader) => trader.scrape())) }),
});

/** Listens at the configured port, or at a free port if another program has the configured one. */
async function listenWithin(at: (port: number) => ReturnType<typeof openDashboard>, port: number) {
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
