/**
 * The console process shows one or several traders and can stop a trader that hangs. The console has no key and no
 * credentials: it may only use the control sockets and write stop files. Data comes from telemetry and from read-only
 * connections to the ledgers. A failure of the console neither prevents a trader's start nor ends a trader.
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import type { ProcessStatus } from '../../shared/protocol/trader-status.js';
import { findWriter } from '../../trader/ledger/lock.js';
import { readSecret } from '../alerts/senders.js';
import { isConsoleWanted, type TraderConfig } from '../config/config.js';
import { followStatus, NO_TRADER } from '../control/control-client.js';
import type { Host, TraderHost } from '../dashboard/contract.js';
import { openDashboard } from '../dashboard/dashboard.js';
import { nowMs } from '../runtime/clock.js';
import { ACTIONS_ON_ALL, acknowledge, act, changeConfig } from './actions.js';
import { LedgerConnection, makeTitleLookup } from './ledger-lists.js';
import { METRICS_TYPE, renderMetrics, type ScrapeFacts } from './metrics.js';
import { Reports } from './own-commands.js';
import { readPasses } from './page-access.js';
import { makePageState, makeTraderRow, type ShownParts } from './page-state.js';
import { AlertStore, History, locateStore, StoreFile, takeSample } from './store.js';
import { listenForCommands } from './telegram.js';
import { ShownState } from './trader-state.js';
import { ResultBook } from './views/money-view.js';
import { makeCsv } from './views/orders-view.js';
import { makeViews } from './views/views.js';
import { Duty, readFileFacts, readLastRun, Watch } from './watch.js';

/** Maximum number of traders in one console: each trader needs a connection, a store and a row on the page. */
const MOST_TRADERS = 16;

const misuse = (what: string, hint: string) => new TwinbookError('usage', what, hint);
/** Throws `usage` for traders that cannot be shown together. The error contains the traders' files and the reason. */
export function requireDistinct(configs: readonly TraderConfig[]): void {
  const [first, ...others] = configs;
  if (first === undefined || others.length === 0) return;
  if (configs.length > MOST_TRADERS)
    throw misuse(`${configs.length} traders; a console shows at most ${MOST_TRADERS}`, 'Start a second console.');
  if (!first.dashboard.enabled)
    throw misuse(
      `${first.file}: dashboard.enabled is false, but its dashboard address must show all of these traders`,
      'Set dashboard.enabled to true in the file that -c names.',
    );
  const known = new Map<string, string>();
  const requireNew = (place: string, file: string) => {
    const before = known.get(place);
    known.set(place, file);
    if (before === undefined) return;
    const text = before === file ? `${file} is named twice` : `${before} and ${file} share the ${place}`;
    throw misuse(text, 'Name each trader once.');
  };
  for (const config of configs) {
    requireNew(`ledger ${followLinks(config.ledger.path)}`, config.file);
    requireNew(`control socket ${followLinks(config.control.socket)}`, config.file);
    if (isConsoleWanted(config) && config.dashboard.start)
      throw misuse(
        `${config.file}: dashboard.start is true, so its trader starts another console, which would send each alert twice`,
        'Set dashboard.start to false in the file of every trader that this console shows.',
      );
  }
}

const followLinks = (path: string): string => {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? `${realpathSync(folder)}/${basename(path)}` : path;
};

/** Names traders by file name; equal names get the folder's name in front. Throws `usage` if names are still equal. */
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

/** Maximum wait for the page's port, ms, because an earlier console may use the port until it has ended. */
const PORT_WITHIN_MS = 2_000;
const PORT_AGAIN_MS = 100;
/** Maximum time for sending the last alerts when the console ends, ms. */
const LAST_WITHIN_MS = 2_000;
/** Maximum time for sending the alert that a trader is gone, ms. */
const GONE_TOLD_WITHIN_MS = 60_000;

interface ConsoleOptions extends Pick<ShownParts, 'config' | 'guardian'> {
  /** Further traders to show. The file of the first trader (`config`) determines the page's address and passwords. */
  readonly others?: readonly Pick<ShownParts, 'config' | 'guardian'>[];
  /** Whether the trader started this console and will end it. */
  readonly isWithTrader?: boolean;
  /** Password or token of the operator's page. */
  readonly secret: string;
  readonly note: (text: string) => void;
}

export async function openConsole(options: ConsoleOptions) {
  const { config, guardian, others = [], isWithTrader = false, secret, note } = options;
  const { dashboard, metrics } = config;
  const wanted = [{ config, guardian }, ...others];
  requireDistinct(wanted.map((one) => one.config));
  const names = nameTraders(wanted.map((one) => one.config.file));
  const passes = { operate: secret, ...readPasses(dashboard, secret) };
  const scraped = {
    isOpen: metrics.open,
    token: metrics.tokenFile === null ? null : readSecret(metrics.tokenFile, 'the token file of the metrics'),
  };
  let page: Awaited<ReturnType<typeof listenWithin>> | null = null;
  const traders = wanted.map((one, i) => {
    const name = names[i] ?? '';
    const noteOf = wanted.length === 1 ? note : (text: string) => note(`${name}: ${text}`);
    // Only the first trader's channels report failed logins, because its file defines the page's passwords.
    const refusedLogins = i === 0 ? () => page?.dashboard.refusedLogins() ?? 0 : null;
    return openShownTrader({ ...one, name, isWithTrader, note: noteOf, refusedLogins });
  });
  const end = () => {
    for (const trader of traders) trader.close();
  };
  try {
    const host: Host = {
      names,
      trader: (name) => traders.find((one) => one.name === name) ?? null,
      traders: () => ({ now: nowMs(), actions: ACTIONS_ON_ALL, traders: traders.map((trader) => trader.row()) }),
      metrics: () => ({ type: METRICS_TYPE, text: renderMetrics(...traders.map((trader) => trader.scrape())) }),
    };
    const at = (port: number) => openDashboard({ host, passes, metrics: scraped, port });
    page = dashboard.enabled ? await listenWithin(at, dashboard.port) : null;
    return {
      /** Address of the page; null when the configuration has no page. */
      url: page?.dashboard.url ?? null,
      isElsewhere: page?.isElsewhere ?? false,
      /** Call this if the first trader's process ended abnormally. Sends an alert, and waits up to a minute for it. */
      traderGone: async () => {
        // The next trader's console needs the page's port.
        void page?.dashboard.close();
        await setImmediate(); // The trader's last message may have arrived together with its end.
        traders[0]?.endStream();
        traders[0]?.watch.traderGone();
        await traders[0]?.watch.deliver(GONE_TOLD_WITHIN_MS);
      },
      close: async () => {
        await Promise.all(traders.map(({ watch }) => watch.deliver(LAST_WITHIN_MS)));
        end();
        await page?.dashboard.close();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

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

/** Makes a check that throws if a process at the control socket does not write this ledger. */
function makeWriterCheck(ledgerPath: string) {
  let unnamed: string | null = null;
  return ({ pid, run, configFile }: ProcessStatus): void => {
    const other = `the control socket is used by process ${pid} (${configFile}), which does not write the ledger ${ledgerPath}`;
    let writer: ReturnType<typeof findWriter>;
    try {
      writer = findWriter(ledgerPath);
    } catch (error) {
      // A lock may lack its holder's name for a moment; if the name stays missing, the holder may be this trader.
      if (unnamed === run) return;
      unnamed = run;
      throw error;
    }
    if (writer === null) throw new Error(`${NO_TRADER}: ${other}`);
    if (writer.pid !== pid) throw new Error(other);
  };
}

/** Time between two points of the charts' history, ms. */
const POINT_MS = 5_000;

interface ShownTraderOptions extends Pick<ShownParts, 'config' | 'guardian' | 'name'> {
  readonly isWithTrader: boolean;
  readonly note: (text: string) => void;
  /** Returns the number of wrong passwords at the page; null if another trader's alert channels report it. */
  readonly refusedLogins: (() => number) | null;
}

function openShownTrader(options: ShownTraderOptions) {
  const { config, guardian, name, isWithTrader, note, refusedLogins } = options;
  const ledgerPath = config.ledger.path;
  const storePath = locateStore(ledgerPath);
  const trader = new ShownState(undefined, isWithTrader);
  const ledger = new LedgerConnection(ledgerPath);
  const store = new StoreFile({ path: storePath, note, nowMs, steadyMs: () => performance.now() });
  const history = new History(store);
  const alerts = new AlertStore(store);
  const book = new ResultBook();
  const reports = new Reports(config);
  const duty = new Duty({ path: storePath, startedMs: nowMs(), note });
  const watch = new Watch({
    config,
    name,
    trader,
    isGuarded: guardian.isGuarded,
    note,
    memory: alerts,
    onDuty: () => duty.take(),
    lastRun: () =>
      existsSync(ledgerPath) ? ledger.read(readLastRun) : existsSync(dirname(ledgerPath)) ? 'none' : null,
    ledger,
    isWithTrader,
    refusedLogins: () => refusedLogins?.() ?? 0,
  });
  const shown: ShownParts = { name, config, guardian, trader, ledger, history, book, watch, alerts, reports };
  const endCommands = listenForCommands({ ...shown, store, note });
  const requireWriter = makeWriterCheck(ledgerPath);
  const endStream = followStatus(config.control.socket, {
    line: (line) => {
      if (line.type === 'hello' && line.process.run !== trader.hello?.run) {
        requireWriter(line.process);
        // The trader of a new run may write a different ledger file.
        ledger.close();
      }
      trader.onLine(line);
      // Notices with the severity `loud` are omitted, because `Watch` reads them from the ledger.
      if (line.type === 'notice' && line.severity === 'info') watch.notice(line);
    },
    onLost: (why) => trader.onLost(why),
  });
  const sampling = setInterval(() => {
    const sample = watch.isOnDuty ? takeSample(trader, nowMs()) : null;
    if (sample !== null) history.add(sample);
  }, POINT_MS);
  const host: TraderHost = {
    state: (market) => makePageState(shown, market),
    view: makeViews(shown),
    report: (file) => reports.read(file),
    csv: (file) => ledger.read((open) => makeCsv(file, open, makeTitleLookup(trader, open))),
    act: async (action, reason, market) => {
      switch (action) {
        case 'ack':
          return acknowledge(shown, null);
        case 'report':
          return reports.start('ledger', null);
        case 'backtest':
        case 'parity':
          return reports.start(action, market);
        case 'apply':
        case 'rollback':
          return changeConfig(action, reason, config.file);
        default:
          return act(action, reason, config, market);
      }
    },
  };
  return {
    ...host,
    name,
    row: () => makeTraderRow(shown),
    scrape: (): ScrapeFacts => ({
      name,
      trader,
      eventCount: (kind) => ledger.read((open) => open.eventCount(kind)),
      files: readFileFacts(ledgerPath),
      isGuarded: watch.hasEnded ? null : guardian.isGuarded(),
      refusedLogins: refusedLogins?.() ?? null,
      alerts: watch,
    }),
    watch,
    endStream,
    close: () => {
      clearInterval(sampling);
      reports.close();
      endCommands();
      watch.close();
      duty.close();
      store.close();
      endStream();
      ledger.close();
    },
  };
}
