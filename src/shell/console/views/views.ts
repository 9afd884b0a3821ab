/** Which view shows what: the page asks by name, and everything that it may see is made here. */

import { findNextStep } from '../../alerts/next-steps.js';
import type { TraderConfig } from '../../config/load.js';
import type {
  AlertRow,
  AlertsView,
  ChartView,
  OpenAlertRow,
  PageViews,
  ViewName,
  ViewQuery,
} from '../../dashboard/views.js';
import type { LedgerConnection } from '../ledger-connection.js';
import type { MarketReplay } from '../market-replay.js';
import { readFileFacts } from '../metrics/file-facts.js';
import type { History } from '../store/history.js';
import type { TraderState } from '../trader-state.js';
import type { Watch } from '../watch.js';
import { chartView } from './chart-view.js';
import { configView, diffView } from './config-view.js';
import { explainView } from './explain-view.js';
import { healthView } from './health-view.js';
import { logView, runsView } from './log-view.js';
import { MarkoutBook } from './markout-book.js';
import { moneyView } from './money-view.js';
import { ordersView } from './orders-view.js';
import type { ResultBook } from './result-book.js';
import { riskView } from './risk-view.js';
import { listScenarios } from './scenarios.js';

type ToldAlerts = Pick<Watch, 'open' | 'recent' | 'figures'>;

export interface ViewSources {
  readonly config: TraderConfig;
  readonly trader: TraderState;
  readonly ledger: LedgerConnection;
  readonly history: History;
  readonly book: ResultBook;
  readonly alerts: ToldAlerts;
  readonly past: MarketReplay;
  readonly guardian: { status(): string; isGuarded(): boolean | null };
  /** When another mode or configuration began, oldest first. */
  readonly marks: () => ChartView['marks'];
  readonly nowMs: () => number;
}

type Views = { readonly [Name in ViewName]: (query: ViewQuery) => PageViews[Name] | null | Promise<PageViews[Name]> };

export function makeViews(
  sources: ViewSources,
): (name: ViewName, query: ViewQuery) => Promise<PageViews[ViewName] | null> {
  const { config, trader, ledger, history, book, alerts, guardian } = sources;
  const markouts = new MarkoutBook(history);
  const views: Views = {
    chart: ({ market, spanMs }) => {
      if (market === null) return null;
      const rest = { market, history, marks: sources.marks(), nowMs: sources.nowMs(), spanMs };
      return ledger.read((open) => chartView({ ...rest, ledger: open })) ?? chartView({ ...rest, ledger: null });
    },
    money: ({ spanMs }) =>
      ledger.read((open) => {
        book.readOn(open, ledger.opened);
        const nowMs = sources.nowMs();
        const rows = moneyView({ trader, ledger: open, book, history, nowMs, spanMs });
        return { ...rows, markouts: markouts.read(open, nowMs) };
      }),
    risk: () => {
      const view = riskView(trader);
      return view && { ...view, scenarios: ledger.read((open) => listScenarios(trader, open)) ?? [] };
    },
    health: () =>
      healthView({
        trader,
        nowMs: sources.nowMs(),
        files: readFileFacts(config.ledger.path),
        guardian: guardian.status(),
        isGuarded: guardian.isGuarded(),
        memoryBytes: process.memoryUsage.rss(),
      }),
    orders: ({ market }) => ledger.read((open) => ordersView(open, trader, market)),
    explain: ({ subject }) => {
      if (subject === null) return null;
      return ledger.read((open) => explainView(subject, open, trader)) ?? explainView(subject, null, trader);
    },
    past: ({ subject, atMs }) => (subject === null || atMs === null ? null : sources.past.ask(subject, atMs)),
    log: () => ledger.read((open) => logView(open, trader)) ?? logView(null, trader),
    alerts: () => alertsView(alerts),
    config: () => (trader.hello === null ? null : configView(trader.hello)),
    diff: () => diffView(config.control.socket),
    runs: () => ledger.read((open) => runsView(open, trader)),
  };
  return async (name, query) => views[name](query);
}

const alertsView = ({ open, recent, figures }: ToldAlerts): AlertsView => ({
  open: open.map(
    ({ kind, severity, title, text, sinceMs, acknowledgedMs }): OpenAlertRow => ({
      time: sinceMs,
      severity,
      kind,
      state: 'open',
      title,
      text,
      // Marks of code are for where they are drawn as such.
      step: findNextStep(kind).replaceAll('`', ''),
      seen: acknowledgedMs,
    }),
  ),
  recent: recent.map(
    ({ timeMs, severity, kind, state, title, text }): AlertRow => ({
      time: timeMs,
      severity,
      kind,
      state,
      title,
      text,
    }),
  ),
  channels: figures,
});
