/** Makes the data of each view; the page requests views by name. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { AccountStatus, ProcessStatus } from '../../../shared/protocol/trader-status.js';
import type { LedgerReader } from '../../../trader/ledger/contract.js';
import { findNextStep } from '../../alerts/conditions.js';
import { askOwner } from '../../control/control-client.js';
import { REQUEST_BUCKETS } from '../../control/telemetry.js';
import type { TraderHost, ViewQuery } from '../../dashboard/contract.js';
import { nowMs } from '../../runtime/clock.js';
import { ANSWER_WITHIN_MS } from '../actions.js';
import { findPage, groupRefusals, makeTitleLookup } from '../ledger-lists.js';
import type { Reports } from '../own-commands.js';
import type { ShownParts } from '../page-state.js';
import type { ShownState } from '../trader-state.js';
import { type FileFacts, readFileFacts, type Watch } from '../watch.js';
import { explainView } from './explain-view.js';
import { MarkoutBook, moneyView } from './money-view.js';
import { chartView, ordersView, RoundTrips } from './orders-view.js';
import { riskView } from './risk-view.js';

/** Number of newest events that the page's filters search, usually the events of several weeks. */
const MOST_EVENTS = 5_000;
const RUNS = 200;
type LogSearch = Pick<ViewQuery, 'words' | 'page' | 'side'>;

/** Maximum time difference, ms, at which a notice and an equal ledger event are shown as one line. */
const SAME_MS = 2_000;

/**
 * Lists the ledger's events except fills, and notices without an event, newest first. `ledger` is null while the ledger
 * cannot be read. The query's field `side` holds a severity; empty for all.
 */
export function logView(ledger: LedgerReader | null, { notices, markets }: ShownState, query: LogSearch) {
  const events = ledger?.events(MOST_EVENTS) ?? [];
  const others = notices
    .map(({ time: timeMs, severity, kind, text }) => ({ timeMs, severity, kind, text }))
    .filter(({ timeMs, kind, text }) => {
      const isSame = (event: (typeof events)[number]) =>
        Math.abs(event.timeMs - timeMs) <= SAME_MS && event.kind === kind && event.text === text;
      return !events.some(isSame);
    });
  const wanted = [...others, ...events]
    .filter(({ kind, severity }) => kind !== 'fill' && severity.startsWith(query.side))
    .sort((a, b) => b.timeMs - a.timeMs);
  const refusals = [...markets.values()].flatMap((market) => market.refusals);
  return { lines: findPage(wanted, query), refusals: groupRefusals(refusals) };
}

export const runsView = (ledger: LedgerReader, { hello, isCurrent }: ShownState) => ({
  runs: ledger.runs(RUNS).map((run) => ({ ...run, isCurrent: isCurrent && run.id === hello?.run })),
});

const MB = 1_000_000;
/** Clock difference between exchange and trader, ms, above which the page marks it as bad. */
const CLOCK_OFF_MS = 2_000;
const DISK_LOW_BYTES = 2_000 * MB;

function healthView(shown: Pick<ShownParts, 'config' | 'trader' | 'guardian'>) {
  const { account, markets } = shown.trader;
  const figures = account === null ? [] : traderFigures(account, shown);
  return {
    figures: [...figures, ...fileFigures(readFileFacts(shown.config.ledger.path))],
    requests: (account?.health.requests ?? []).map(({ seconds: { counts }, ...row }) => ({
      ...row,
      p50: withinText(counts, 0.5),
      p95: withinText(counts, 0.95),
      p99: withinText(counts, 0.99),
    })),
    budgets: Object.entries(account?.budgets ?? {}).map(([scope, budget]) => ({
      ...budget,
      scope,
      available: Math.max(0, budget.available),
    })),
    feeds: account?.feeds ?? [],
    books: [...markets.values()]
      .map(({ conditionId: id, title, bookSeenMs: seen, health }) => {
        const trouble = [health?.crossed === true ? 'crossed' : '', health?.frozen === true ? 'frozen' : ''];
        return { id, title, seen, trouble: trouble.filter((word) => word !== '').join(', ') };
      })
      .sort((a, b) => (a.seen ?? 0) - (b.seen ?? 0)),
  };
}

const figure = (name: string, value: string, isBad = false) => ({ name, value, is_bad: isBad });
const ms = (value: number): string => `${value.toFixed(1)} ms`;
/** Formats bytes with three digits, in the unit in which the number is at least one. */
function bytesText(bytes: number | null): string {
  if (bytes === null) return '–';
  const [value, unit] = bytes >= 1_000 * MB ? [bytes / (1_000 * MB), 'GB'] : [bytes / MB, 'MB'];
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}
function sinceText(timeMs: number | null): string {
  if (timeMs === null) return 'never';
  const seconds = Math.max(0, (nowMs() - timeMs) / 1000);
  if (seconds < 120) return `${seconds.toFixed(0)} s ago`;
  return seconds < 7_200 ? `${(seconds / 60).toFixed(0)} min ago` : `${(seconds / 3_600).toFixed(1)} h ago`;
}

function traderFigures(account: AccountStatus, { trader, guardian }: Pick<ShownParts, 'trader' | 'guardian'>) {
  const { health, clockOffsetMs: offset, reconciled, silent, unsent, upkeep } = account;
  const { comparedMs, differences } = reconciled ?? {};
  const { hasJournal: isWanted, journalEnded: ended } = upkeep;
  return [
    figure('Last message', sinceText(trader.frameMs), !trader.isCurrent),
    figure('Processing steps of this run', String(health.steps)),
    figure('Step, p50', ms(health.stepP50Ms)),
    figure('Step, p99', ms(health.stepP99Ms)),
    figure('Step, longest', ms(health.stepMaxMs)),
    figure('Delay of timed steps, p99', ms(health.beatLateP99Ms)),
    figure('Telemetry slowed', health.brake === 0 ? 'no' : 'yes', health.brake > 0),
    figure('Readers', `${health.readers} connected, ${health.readersCut} disconnected for being slow`),
    figure('Exchange answers', silent ? 'no' : 'yes', silent),
    figure(
      'Clock of the exchange, against ours',
      offset === null ? '–' : `${Math.abs(offset)} ms ${offset < 0 ? 'behind ours' : 'ahead of ours'}`,
      Math.abs(offset ?? 0) > CLOCK_OFF_MS,
    ),
    figure('Requests dropped before sending', String(unsent)),
    figure('Last comparison with the exchange', sinceText(comparedMs ?? null), Boolean(differences?.length)),
    figure('Guardian', guardian.status(), guardian.isGuarded() === false),
    figure('Journal', ended === null ? (isWanted ? 'written' : 'not wanted') : `ended: ${ended}`, ended !== null),
    figure('Memory used by the trader', bytesText(health.memoryBytes)),
  ];
}

const fileFigures = (files: FileFacts) => [
  figure('Memory used by the console', bytesText(process.memoryUsage.rss())),
  figure('Ledger', bytesText(files.ledgerBytes)),
  figure('Ledger’s write-ahead log', bytesText(files.walBytes)),
  figure('Newest backup', sinceText(files.backupMs)),
  figure('Free disk space', bytesText(files.diskFreeBytes), (files.diskFreeBytes ?? DISK_LOW_BYTES) < DISK_LOW_BYTES),
];

/** Returns the bound of the bucket that contains the given quantile of a histogram, such as `≤ 0.2 s`. */
export function withinText(counts: readonly number[], part: number): string {
  const all = counts.reduce((a, b) => a + b, 0);
  if (all === 0) return '–';
  let sum = 0;
  const place = counts.findIndex((count) => {
    sum += count;
    return sum >= part * all;
  });
  const bound = REQUEST_BUCKETS[place];
  return bound === undefined ? `> ${REQUEST_BUCKETS.at(-1)} s` : `≤ ${bound} s`;
}

export const configView = (
  { config, configHash: hash, configFile: file }: ProcessStatus,
  query: Omit<LogSearch, 'side'>,
) => ({
  hash,
  file,
  settings: findPage(
    flattenSettings('', config).filter(({ name }) => !['config_hash', 'file'].includes(name)),
    query,
  ),
});

/** Lists settings by path, such as `risk.max_loss_day` or `strategies.maker.params.size`; list items by name. */
function flattenSettings(name: string, value: unknown): readonly { readonly name: string; readonly value: string }[] {
  if (typeof value !== 'object' || value === null) return [{ name, value: String(value ?? '–') }];
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, i) => [readName(item) ?? String(i + 1), item])
    : Object.entries(value);
  if (entries.length === 0) return [{ name, value: Array.isArray(value) ? 'none' : '–' }];
  // A list of plain values is shown as one setting.
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return [{ name, value: value.join(', ') }];
  return entries.flatMap(([key, inner]) => flattenSettings(name === '' ? key : `${name}.${key}`, inner));
}

const readName = (item: unknown): string | null =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string' ? item.name : null;

async function diffView({ config }: Pick<ShownParts, 'config'>): Promise<{ readonly lines: readonly string[] }> {
  try {
    const question = { command: 'config', action: 'diff', reason: '', hash: '', file: '', dryRun: true } as const;
    const { lines } = await askOwner(question, config, { timeoutMs: ANSWER_WITHIN_MS });
    return { lines };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    return { lines: [`${error.message}${error.hint === '' ? '' : `\n  ${error.hint}`}`] };
  }
}

export function makeViews(shown: Omit<ShownParts, 'name' | 'alerts'>): TraderHost['view'] {
  const views: Readonly<Record<string, (query: ViewQuery) => object | null | Promise<object>>> = listViews(shown);
  return async (name, query) => (Object.hasOwn(views, name) ? (views[name]?.(query) ?? null) : null);
}

type Views = ReturnType<typeof listViews>;

/** Data of the view with this name. */
export type View<Name extends keyof Views> = NonNullable<Awaited<ReturnType<Views[Name]>>>;

function listViews(shown: Omit<ShownParts, 'name' | 'alerts'>) {
  const { trader, ledger, watch, reports } = shown;
  const money = { ...shown, markouts: new MarkoutBook(shown.history) };
  const trips = new RoundTrips();
  return {
    chart: (query: ViewQuery) => chartView(shown, query),
    money: (query: ViewQuery) => moneyView(money, query),
    risk: () => riskView(trader, ledger),
    health: () => healthView(shown),
    orders: (query: ViewQuery) => ordersView(shown, trips, query),
    explain: ({ subject }: ViewQuery) => {
      if (subject === null) return null;
      return ledger.read((open) => explainView(subject, open, trader)) ?? explainView(subject, null, trader);
    },
    log: (query: ViewQuery) => ledger.read((open) => logView(open, trader, query)) ?? logView(null, trader, query),
    alerts: () => alertsView(watch),
    config: (query: ViewQuery) => (trader.hello === null ? null : configView(trader.hello, query)),
    diff: () => diffView(shown),
    runs: () =>
      ledger.read((open) => ({ ...runsView(open, trader), ...listReports(reports, makeTitleLookup(trader, open)) })),
  };
}

/** Adds the market's title to each recording, found by the market id in the recording's folder name. */
function listReports(reports: Reports, title: (id: string) => string) {
  const { recordings, ...view } = reports.view();
  return { ...view, recordings: recordings.map((name) => ({ name, title: title(name.slice('market='.length)) })) };
}

const alertsView = ({ open, recent, figures }: Pick<Watch, 'open' | 'recent' | 'figures'>) => ({
  // Backticks are removed, because the page would show them as characters.
  open: open.map((alert) => ({ ...alert, step: findNextStep(alert.kind).replaceAll('`', '') })),
  recent,
  channels: figures,
});
