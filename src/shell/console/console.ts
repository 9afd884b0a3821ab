/**
 * The console: a process beside the trader that shows it, and stops it also while it hangs. It has no key and no credentials: it
 * can do what the control socket allows, and leave the stop file. What it knows comes from telemetry and from a connection to the
 * ledger that only reads. It is never the reason that the trader does not start, or ends.
 */

import { parse } from 'node:path';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import { ALERT_SEVERITIES } from '../config/alert-kinds.js';
import type { TraderConfig } from '../config/load.js';
import { Subscription } from '../control/telemetry/subscription.js';
import type { PageAction } from '../dashboard/contract.js';
import { type Dashboard, openDashboard } from '../dashboard/dashboard.js';
import { nowMs } from '../runtime/clock.js';
import { readPrivateFile } from '../wallet/private-file.js';
import { secrets } from '../wallet/secrets.js';
import { act } from './actions.js';
import { LedgerConnection } from './ledger-connection.js';
import { LedgerLists } from './ledger-lists.js';
import { renderMetrics, type ScrapeFacts } from './metrics/collect.js';
import { METRICS_TYPE } from './metrics/exposition.js';
import { readFileFacts } from './metrics/file-facts.js';
import { makePageState } from './page-state.js';
import { AlertStore } from './store/alert-store.js';
import { History } from './store/history.js';
import { takeSample } from './store/sample.js';
import { locateStore, StoreFile } from './store/store-file.js';
import { TraderState } from './trader-state.js';
import { ResultBook } from './views/result-book.js';
import { makeViews } from './views/views.js';
import { Watch } from './watch.js';

/** A console that is about to end may still have the port, ms. */
const PORT_WITHIN_MS = 2_000;
const PORT_AGAIN_MS = 100;
/** For the last words of a trader that ends, ms: nobody waits longer. */
const LAST_WITHIN_MS = 2_000;
/** For saying that a trader is gone, ms. */
const GONE_TOLD_WITHIN_MS = 60_000;
/** Between two points of the history, ms. */
const POINT_MS = 5_000;

export interface ConsoleOptions {
  readonly config: TraderConfig;
  /** What opens the page. */
  readonly secret: string;
  readonly guardian: GuardianWatch;
  /** Something for the log. */
  readonly note: (text: string) => void;
}

/** What the guardian says of itself, read from its file. */
export interface GuardianWatch {
  /** For a person. */
  status(): string;
  /** Null where none is needed. */
  isGuarded(): boolean | null;
}

export interface Console {
  /** Null when the configuration wants no page. */
  readonly url: string | null;
  /** Whether the configured port was taken, so that the page is at another one. */
  readonly isElsewhere: boolean;
  /** The trader's process ended without a word: that is told, which may take a while. */
  traderGone(): Promise<void>;
  close(): Promise<void>;
}

export async function openConsole({ config, secret, guardian, note }: ConsoleOptions): Promise<Console> {
  const { control, ledger, venue, dashboard, metrics } = config;
  const trader = new TraderState();
  const access = new LedgerConnection(() => openReadOnly(ledger.path));
  const lists = new LedgerLists(access);
  const name = parse(config.file).name;
  const store = new StoreFile({ path: locateStore(ledger.path), note, nowMs, steadyMs: () => performance.now() });
  const history = new History(store);
  const watch = new Watch({
    config,
    name,
    trader,
    isGuarded: guardian.isGuarded,
    note,
    memory: new AlertStore(store),
  });
  const subscription = new Subscription(control.socket, {
    line: (line) => {
      // Another run may write another ledger.
      if (line.type === 'hello' && line.run !== trader.hello?.run) access.close();
      trader.onLine(line);
      if (line.type === 'notice') watch.notice(line);
    },
    onLost: (why) => trader.onLost(why),
  });
  const scrape = (): ScrapeFacts => ({
    name,
    trader,
    mostMarkets: metrics.maxMarkets,
    eventCount: (kind) => lists.eventCount(kind),
    files: readFileFacts(ledger.path),
    isGuarded: guardian.isGuarded(),
    alerts: watch.center,
  });
  const host = {
    state: (market: string | null) =>
      makePageState({
        trader,
        name,
        lists: lists.read(),
        venue: venue.name,
        guardian: guardian.status(),
        alerts: ALERT_SEVERITIES.reduce((sum, severity) => sum + watch.center.count(severity), 0),
        market,
      }),
    view: makeViews({
      config,
      trader,
      history,
      guardian,
      nowMs,
      ledger: access,
      book: new ResultBook(),
      center: watch.center,
      marks: () => trader.marks,
    }),
    metrics: () => ({ type: METRICS_TYPE, text: renderMetrics(scrape()) }),
    act: (action: PageAction, reason: string) =>
      act(action, reason, { socket: control.socket, ledgerPath: ledger.path }),
  };
  const sampling = setInterval(() => {
    const sample = takeSample(trader, nowMs());
    if (sample !== null) history.add(sample);
  }, POINT_MS);
  const end = () => {
    clearInterval(sampling);
    watch.close();
    store.close();
    subscription.close();
    access.close();
  };
  try {
    const scraped = { isOpen: metrics.open, token: readToken(metrics.tokenFile) };
    const at = (port: number) => openDashboard({ host, secret, metrics: scraped, address: dashboard.host, port });
    const page = dashboard.enabled ? await listenWithin(at, dashboard.port) : null;
    return {
      url: page?.dashboard.url ?? null,
      isElsewhere: page?.isElsewhere ?? false,
      traderGone: () => {
        watch.traderGone();
        return watch.deliver(GONE_TOLD_WITHIN_MS);
      },
      close: async () => {
        await watch.deliver(LAST_WITHIN_MS);
        end();
        await page?.dashboard.close();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

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

/** At its port, or at a free one when somebody else keeps that. */
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
