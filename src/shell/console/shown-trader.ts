/** One trader in the console, with telemetry, ledger, alerts and buttons. */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import { Subscription } from '../control/control-client.js';
import type { TraderHost } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';
import { acknowledge, act, changeConfig } from './actions.js';
import { LedgerConnection, makeTitleLookup } from './ledger-lists.js';
import type { ScrapeFacts } from './metrics.js';
import { Reports } from './own-commands.js';
import type { ShownParts } from './page-state.js';
import { makePageState, makeTraderRow } from './page-state.js';
import { AlertStore, History, locateStore, StoreFile, takeSample } from './store.js';
import { listenForCommands } from './telegram.js';
import { TraderState } from './trader-state.js';
import { ResultBook } from './views/money-view.js';
import { makeCsv } from './views/orders-view.js';
import { makeViews } from './views/views.js';
import { Duty, readFileFacts, readLastRun, Watch } from './watch.js';

/** Time between two points of the history, ms. */
const POINT_MS = 5_000;

export interface ShownTraderOptions extends Pick<ShownParts, 'config' | 'guardian' | 'name'> {
  /** Whether the trader has started this console and ends it. */
  readonly isWithTrader: boolean;
  readonly note: (text: string) => void;
  /** Number of wrong passwords at the page; null if another trader's channels report the number. */
  readonly refusedLogins: (() => number) | null;
}

export function openShownTrader(options: ShownTraderOptions) {
  const { config, guardian, name, isWithTrader, note, refusedLogins } = options;
  const { control } = config;
  const ledgerPath = config.ledger.path;
  const trader = new TraderState();
  const ledger = new LedgerConnection(() => openReadOnly(ledgerPath));
  const store = new StoreFile({ path: locateStore(ledgerPath), note, nowMs, steadyMs: () => performance.now() });
  const history = new History(store);
  const alerts = new AlertStore(store);
  const book = new ResultBook();
  const reports = new Reports({
    configFile: config.file,
    ledgerPath,
    recordings: config.recording.dir,
    journals: config.journal.dir,
  });
  const duty = new Duty({ path: locateStore(ledgerPath), startedMs: nowMs(), note });
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
    isWithTrader,
    refusedLogins: () => refusedLogins?.() ?? 0,
  });
  const shown: ShownParts = { name, config, guardian, trader, ledger, history, book, watch, alerts, reports };
  const endCommands = listenForCommands({ ...shown, store, note });
  const subscription = new Subscription(control.socket, {
    line: (line) => {
      // A new run may write a different ledger.
      if (line.type === 'hello' && line.process.run !== trader.hello?.run) ledger.close();
      trader.onLine(line);
      if (line.type === 'notice') watch.notice(line);
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
        case 'ack': {
          const { isDone, text } = acknowledge(shown, null);
          return { refusal: isDone ? null : text, text };
        }
        case 'report':
          return reports.start('ledger', null);
        case 'backtest':
        case 'parity':
          return reports.start(action, market);
        case 'apply':
        case 'rollback':
          return changeConfig(action, reason, config.file);
        default:
          return act(action, reason, { socket: control.socket, ledgerPath }, market);
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
      isGuarded: guardian.isGuarded(),
      refusedLogins: refusedLogins?.() ?? null,
      alerts: watch,
    }),
    /** The trader's process ended without a message. */
    traderGone: () => watch.traderGone(),
    /** Waits until the trader's alerts were delivered, with an upper bound, ms. */
    deliver: (withinMs: number) => watch.deliver(withinMs),
    close: () => {
      clearInterval(sampling);
      reports.close();
      endCommands();
      watch.close();
      duty.close();
      store.close();
      subscription.close();
      ledger.close();
    },
  };
}

export type ShownTrader = ReturnType<typeof openShownTrader>;
