/** Health of trader, venue, feeds, files and guardian. */

import type { AccountStatus, MarketStatus } from '../../../shared/protocol/trader-status.js';
import { REQUEST_BUCKETS } from '../../control/telemetry/request-timings.js';
import { nowMs } from '../../runtime/clock.js';
import { type FileFacts, readFileFacts } from '../metrics/file-facts.js';
import type { ShownParts } from '../shown-parts.js';

const MB = 1_000_000;
/** A larger difference of the clocks is alarming, ms. */
const CLOCK_OFF_MS = 2_000;
const DISK_LOW_BYTES = 2_000 * MB;

type Sources = Pick<ShownParts, 'trader' | 'guardian'>;

export function healthView({ config, trader, guardian }: Sources & Pick<ShownParts, 'config'>) {
  const { account, markets } = trader;
  const figures = account === null ? [] : traderFigures(account, { trader, guardian });
  return {
    figures: [...figures, ...fileFigures(readFileFacts(config.ledger.path))],
    requests: (account?.health.requests ?? []).map(requestRow),
    budgets: Object.entries(account?.budgets ?? {}).map(([scope, budget]) => ({
      ...budget,
      scope,
      available: Math.max(0, budget.available),
    })),
    spent: account?.spent ?? [],
    feeds: account?.feeds ?? [],
    books: [...markets.values()].map(bookRow).sort((a, b) => (a.seen ?? 0) - (b.seen ?? 0)),
  };
}

export type HealthView = ReturnType<typeof healthView>;

const figure = (name: string, value: string, isBad = false) => ({ name, value, is_bad: isBad });
const ms = (value: number): string => `${value.toFixed(1)} ms`;
/** Three digits, in the unit in which it is at least one. */
function bytesText(bytes: number | null): string {
  if (bytes === null) return '–';
  const [value, unit] = bytes >= 1_000 * MB ? [bytes / (1_000 * MB), 'GB'] : [bytes / MB, 'MB'];
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}

/** Time since then. */
function sinceText(timeMs: number | null): string {
  if (timeMs === null) return 'never';
  const seconds = Math.max(0, (nowMs() - timeMs) / 1000);
  if (seconds < 120) return `${seconds.toFixed(0)} s ago`;
  return seconds < 7_200 ? `${(seconds / 60).toFixed(0)} min ago` : `${(seconds / 3_600).toFixed(1)} h ago`;
}

function traderFigures(account: AccountStatus, { trader, guardian }: Sources) {
  const { health, clockOffsetMs: offset, reconciled, silent, unsent, upkeep } = account;
  const { hasJournal: isWanted, journalEnded: ended } = upkeep;
  return [
    figure('Trader heard', sinceText(trader.frameMs), !trader.isCurrent),
    figure('Steps of this run', String(health.steps)),
    figure('Step, p50', ms(health.stepP50Ms)),
    figure('Step, p99', ms(health.stepP99Ms)),
    figure('Step, longest', ms(health.stepMaxMs)),
    figure('Beats late, p99', ms(health.beatLateP99Ms)),
    figure('Telemetry slowed', health.brake === 0 ? 'no' : `level ${health.brake}`, health.brake > 0),
    figure('Readers', `${health.readers}, ${health.readersCut} dropped`),
    figure('Exchange answers', silent ? 'no' : 'yes', silent),
    figure(
      'Clock of the exchange',
      offset === null ? '–' : `${Math.abs(offset)} ms ${offset < 0 ? 'behind ours' : 'ahead of ours'}`,
      Math.abs(offset ?? 0) > CLOCK_OFF_MS,
    ),
    figure('Requests given up', String(unsent)),
    figure(
      'Compared with the exchange',
      sinceText(reconciled?.comparedMs ?? null),
      (reconciled?.differences.length ?? 0) > 0,
    ),
    figure('Guardian', guardian.status(), guardian.isGuarded() === false),
    figure('Journal', ended === null ? (isWanted ? 'written' : 'not wanted') : `ended: ${ended}`, ended !== null),
    figure('Memory of the trader', bytesText(health.memoryBytes)),
  ];
}

const fileFigures = (files: FileFacts) => [
  figure('Memory of the console', bytesText(process.memoryUsage.rss())),
  figure('Ledger', bytesText(files.ledgerBytes)),
  figure('Ledger, not yet in its file', bytesText(files.walBytes)),
  figure('Newest backup', sinceText(files.backupMs)),
  figure('Free on the disk', bytesText(files.diskFreeBytes), (files.diskFreeBytes ?? DISK_LOW_BYTES) < DISK_LOW_BYTES),
];

const requestRow = ({ seconds: { counts }, ...row }: AccountStatus['health']['requests'][number]) => ({
  ...row,
  p50: withinText(counts, 0.5),
  p95: withinText(counts, 0.95),
  p99: withinText(counts, 0.99),
});

/** `≤ 0.2 s`: the histogram's bound below which this fraction is. */
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

function bookRow({ conditionId: id, title, bookSeenMs: seen, health }: MarketStatus) {
  const trouble = [...(health?.crossed === true ? ['crossed'] : []), ...(health?.frozen === true ? ['frozen'] : [])];
  return { id, title, seen, trouble: trouble.join(', ') };
}
