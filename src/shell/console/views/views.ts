/** Data of each view: the page requests views by name, and all its data is built here. */

import { findNextStep } from '../../alerts/conditions.js';
import type { TraderHost, ViewName, ViewQuery } from '../../dashboard/contract.js';
import { nowMs } from '../../runtime/clock.js';
import type { Reports } from '../reports.js';
import type { ShownParts } from '../shown-parts.js';
import type { Watch } from '../watch.js';
import { chartView } from './chart-view.js';
import { configView, diffView } from './config-view.js';
import { explainView } from './explain-view.js';
import { healthView } from './health-view.js';
import { logView, runsView } from './log-view.js';
import { MarkoutBook } from './markout-book.js';
import { moneyView } from './money-view.js';
import { ordersView } from './orders-view.js';
import { riskView } from './risk-view.js';
import { RoundTrips } from './round-trips.js';
import { makeTitleLookup } from './texts.js';

type Views = Readonly<Record<ViewName, (query: ViewQuery) => object | null | Promise<object>>>;

export function makeViews(shown: Omit<ShownParts, 'lists' | 'name' | 'alerts'>): TraderHost['view'] {
  const { config, trader, ledger, history, book, past, watch, reports } = shown;
  const markouts = new MarkoutBook(history);
  const trips = new RoundTrips();
  const views: Views = {
    chart: ({ market, spanMs }) => {
      if (market === null) return null;
      const rest = { market, history, marks: trader.marks, nowMs: nowMs(), spanMs };
      return ledger.read((open) => chartView({ ...rest, ledger: open })) ?? chartView({ ...rest, ledger: null });
    },
    money: ({ spanMs, atMs }) =>
      ledger.read((open) => {
        book.readOn(open, ledger.opened);
        const rows = moneyView({ trader, ledger: open, book, history, nowMs: nowMs(), spanMs, dayMs: atMs });
        return { ...rows, markouts: markouts.read(open, nowMs()) };
      }),
    risk: () => riskView(trader, ledger),
    health: () => healthView(shown),
    orders: (query) =>
      ledger.read((open) => {
        const read = trips.read(open, ledger.opened);
        return ordersView({ ledger: open, trader, query, trips: read, nowMs: nowMs() });
      }),
    explain: ({ subject }) => {
      if (subject === null) return null;
      return ledger.read((open) => explainView(subject, open, trader)) ?? explainView(subject, null, trader);
    },
    past: ({ subject, atMs }) => (subject === null || atMs === null ? null : past.ask(subject, atMs)),
    log: (query) => ledger.read((open) => logView(open, trader, query)) ?? logView(null, trader, query),
    alerts: () => alertsView(watch),
    config: () => (trader.hello === null ? null : configView(trader.hello)),
    diff: () => diffView(config.control.socket),
    runs: () =>
      ledger.read((open) => ({ ...runsView(open, trader), ...listReports(reports, makeTitleLookup(trader, open)) })),
  };
  return async (name, query) => views[name](query);
}

/** Recordings are folders named after their markets. */
function listReports(reports: Reports, title: (id: string) => string) {
  const { recordings, ...view } = reports.view();
  return { ...view, recordings: recordings.map((name) => ({ name, title: title(name.slice('market='.length)) })) };
}

export type RunsView = ReturnType<typeof runsView> & ReturnType<typeof listReports>;

const alertsView = ({ open, recent, figures }: Pick<Watch, 'open' | 'recent' | 'figures'>) => ({
  // Without code marks, which are only for places that render them.
  open: open.map((alert) => ({ ...alert, step: findNextStep(alert.kind).replaceAll('`', '') })),
  recent,
  channels: figures,
});

export type AlertsView = ReturnType<typeof alertsView>;
