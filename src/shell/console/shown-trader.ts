/** One trader as the console shows it: what it tells, what its ledger says, who is told when something is wrong, and what may be pressed. */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import { ALERT_SEVERITIES } from '../config/alert-kinds.js';
import type { TraderConfig } from '../config/load.js';
import { Subscription } from '../control/telemetry/subscription.js';
import { isOfMarket, type TraderHost, type TraderRow } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';
import { acknowledge } from './acknowledge.js';
import { act, actInMarket } from './actions.js';
import { listenForCommands } from './chat-commands.js';
import { changeConfig } from './config-actions.js';
import { makeCsv } from './csv-exports.js';
import { Duty } from './duty.js';
import { LedgerConnection } from './ledger-connection.js';
import { LedgerLists } from './ledger-lists.js';
import { MarketReplay } from './market-replay.js';
import type { ScrapeFacts } from './metrics/collect.js';
import { readFileFacts } from './metrics/file-facts.js';
import { makePageState } from './page-state.js';
import { AlertStore } from './store/alert-store.js';
import { History } from './store/history.js';
import { takeSample } from './store/sample.js';
import { locateStore, StoreFile } from './store/store-file.js';
import { UpdateStore } from './store/update-store.js';
import { makeTraderRow } from './trader-row.js';
import { TraderState } from './trader-state.js';
import { groupOf } from './traders.js';
import { moneyView } from './views/money-view.js';
import { ResultBook } from './views/result-book.js';
import { makeTitleLookup } from './views/texts.js';
import { makeViews } from './views/views.js';
import { readLastRun, Watch } from './watch.js';

/** Between two points of the history, ms. */
const POINT_MS = 5_000;
/** Ours among the public trades of a market, of which fewer are told. */
const TAPE_FILLS = 50;

/** What the guardian says of itself, read from its file. */
export interface GuardianWatch {
  /** For a person. */
  status(): string;
  /** Null where none is needed. */
  isGuarded(): boolean | null;
}

export interface ShownTraderOptions {
  readonly config: TraderConfig;
  readonly guardian: GuardianWatch;
  /** Unique within a console. */
  readonly name: string;
  /** Whether the trader has started this console, and ends it. */
  readonly isWithTrader: boolean;
  /** Something for the log. */
  readonly note: (text: string) => void;
  /** Wrong passwords that the page was brought; null where another trader's channels tell of them. */
  readonly refusedLogins: (() => number) | null;
}

export interface ShownTrader extends TraderHost {
  readonly name: string;
  row(): TraderRow;
  scrape(): ScrapeFacts;
  /** Its process ended without a word. */
  traderGone(): void;
  /** Until its alerts were delivered, at most so long, ms. */
  deliver(withinMs: number): Promise<void>;
  close(): void;
}

export function openShownTrader(options: ShownTraderOptions): ShownTrader {
  const { config, guardian, name, isWithTrader, note, refusedLogins } = options;
  const { control, ledger, venue, metrics } = config;
  const trader = new TraderState();
  const access = new LedgerConnection(() => openReadOnly(ledger.path));
  const lists = new LedgerLists(access);
  const store = new StoreFile({ path: locateStore(ledger.path), note, nowMs, steadyMs: () => performance.now() });
  const history = new History(store);
  const memory = new AlertStore(store);
  const book = new ResultBook();
  const past = new MarketReplay(config.file);
  const duty = new Duty({ path: locateStore(ledger.path), startedMs: nowMs(), note });
  const watch = new Watch({
    config,
    name,
    trader,
    isGuarded: guardian.isGuarded,
    note,
    memory,
    onDuty: () => duty.take(),
    lastRun: () =>
      existsSync(ledger.path) ? access.read(readLastRun) : existsSync(dirname(ledger.path)) ? 'none' : null,
    isWithTrader,
    refusedLogins: () => refusedLogins?.() ?? 0,
  });
  const updates = new UpdateStore(store);
  const chat = listenForCommands({ config, name, trader, watch, alerts: memory, memory: updates, guardian, note });
  const watchers = new Set<() => void>();
  const subscription = new Subscription(control.socket, {
    line: (line) => {
      // Another run may write another ledger.
      if (line.type === 'hello' && line.run !== trader.hello?.run) access.close();
      trader.onLine(line);
      if (line.type === 'notice') watch.notice(line);
      for (const onChange of watchers) onChange();
    },
    onLost: (why) => {
      trader.onLost(why);
      for (const onChange of watchers) onChange();
    },
  });
  const sampling = setInterval(() => {
    const sample = watch.isOnDuty ? takeSample(trader, nowMs()) : null;
    if (sample !== null) history.add(sample);
  }, POINT_MS);
  const countAlerts = () => ALERT_SEVERITIES.reduce((sum, severity) => sum + watch.count(severity), 0);
  return {
    name,
    state: (market) =>
      makePageState({
        trader,
        name,
        lists: lists.read(),
        venue: venue.name,
        guardian: guardian.status(),
        alerts: countAlerts(),
        market,
        fills:
          market === null
            ? []
            : (access.read((open) => open.fills({ marketConditionId: market, limit: TAPE_FILLS })) ?? []),
      }),
    watch: (onChange) => {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
    view: makeViews({
      config,
      trader,
      history,
      guardian,
      nowMs,
      ledger: access,
      book,
      alerts: watch,
      past,
      marks: () => trader.marks,
    }),
    csv: (name) =>
      access.read((open) =>
        makeCsv(name, {
          ledger: open,
          title: makeTitleLookup(trader, open),
          money: () => {
            book.readOn(open, access.opened);
            return moneyView({ trader, ledger: open, book, history, nowMs: nowMs(), spanMs: 0 });
          },
        }),
      ),
    act: async (action, reason, market) => {
      switch (action) {
        case 'ack': {
          const { isDone, text } = acknowledge({ watch, alerts: memory }, null);
          return { refusal: isDone ? null : text, text };
        }
        case 'apply':
        case 'rollback':
          return changeConfig(action, reason, config.file);
        default:
          if (isOfMarket(action)) return actInMarket(action, { reason, market: market ?? '' }, control.socket);
          return act(action, reason, { socket: control.socket, ledgerPath: ledger.path });
      }
    },
    row: () =>
      makeTraderRow({
        trader,
        name,
        group: groupOf(config),
        guardian: guardian.status(),
        alerts: countAlerts(),
        critical: watch.count('critical'),
        cashMicros: () => access.read((open) => open.cash()),
        lastKnownMs: () => history.newestMs(),
      }),
    scrape: () => ({
      name,
      trader,
      mostMarkets: metrics.maxMarkets,
      eventCount: (kind) => lists.eventCount(kind),
      files: readFileFacts(ledger.path),
      isGuarded: guardian.isGuarded(),
      refusedLogins: refusedLogins?.() ?? null,
      alerts: watch,
    }),
    traderGone: () => watch.traderGone(),
    deliver: (withinMs) => watch.deliver(withinMs),
    close: () => {
      clearInterval(sampling);
      past.close();
      chat.close();
      watch.close();
      duty.close();
      store.close();
      subscription.close();
      access.close();
    },
  };
}
