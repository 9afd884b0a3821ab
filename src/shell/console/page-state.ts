/** Content of the page, from the trader's last messages and its ledger. */

import type { Role } from '../../shared/protocol/operator-commands.js';
import type { AccountStatus, ProcessStatus } from '../../shared/protocol/trader-status.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { ALERT_SEVERITIES } from '../config/schema.js';
import { nowMs } from '../runtime/clock.js';
import { listActions, STOPPED_MODES } from './actions.js';
import { marketDetail, marketRow, moneyText, type TraderFacts } from './page-market.js';
import type { ShownParts } from './shown-parts.js';
import type { TraderState } from './trader-state.js';
import type { Watch } from './watch.js';

/** Maximum own fills matched with a market's public trades. */
const TAPE_FILLS = 50;

interface PageParts extends Pick<ShownParts, 'trader' | 'name' | 'lists' | 'ledger' | 'guardian'> {
  readonly config: { readonly venue: { readonly name: string } };
  readonly watch: Pick<Watch, 'count'>;
}

/** State of one trader for the page. @param market shown with details; null for none */
export function makePageState(
  { trader, name, lists, ledger, config, guardian, watch }: PageParts,
  market: string | null,
) {
  const { hello, account } = trader;
  const markets = [...trader.markets.values()];
  const timeMs = nowMs();
  const judged = judgeMode(trader);
  const wanted = trader.markets.get(market ?? '');
  const facts: TraderFacts = {
    nowMs: timeMs,
    stopped: !trader.isCurrent || STOPPED_MODES.includes(judged.mode) ? judged.mode : null,
    paused: account?.pausedMarkets.map(({ conditionId }) => conditionId) ?? [],
  };
  const listFills = (id: string) =>
    ledger.read((open) => open.fills({ marketConditionId: id, limit: TAPE_FILLS })) ?? [];
  return {
    trader: name,
    ...judged,
    /** When this console saw the mode begin, by the trader's clock; null if it began before. */
    mode_since: trader.isCurrent ? trader.modeSinceMs : null,
    /** False: everything below is old. */
    answers: trader.isCurrent,
    /** The trader's clock at its last message; null before the first. */
    heard: trader.frameMs,
    guardian: guardian.status(),
    silent: account?.silent ?? false,
    now: timeMs,
    started: hello?.startedMs ?? 0,
    pid: hello?.pid ?? 0,
    version: hello?.version ?? '',
    venue: config.venue.name,
    base_url: hello?.baseUrl ?? '',
    config_hash: hello?.configHash ?? '',
    way_back: account?.wayBack ?? '',
    actions: listActions({
      mode: judged.mode,
      answers: trader.isCurrent,
      openOrders: account?.openOrders ?? 0,
      isHolding: markets.some(({ yesMicros, noMicros }) => yesMicros !== noMicros),
      wayBack: account?.wayBack ?? '',
    }),
    /** When the newest stop was proven, Unix ms; null until nothing rests. */
    proven: account?.proven === true ? account.provenMs : null,
    alerts: countAlerts(watch),
    brake: account?.health.brake ?? 0,
    losses: account === null || hello === null ? [] : listLosses(account, hello),
    cash: moneyText(account?.cashMicros ?? null),
    result: moneyText(account?.resultMicros ?? null),
    result_day: moneyText(account?.days?.current.resultMicros ?? null),
    open_orders: account?.openOrders ?? 0,
    unknown_orders: account?.unknownOrders ?? 0,
    fill_count: account?.fills ?? 0,
    budget: Object.entries(account?.budgets ?? {}).map(([scope, { limit, available }]) => ({
      scope,
      limit,
      remaining: Math.max(0, available),
    })),
    agreement: account === null ? null : describeAgreement(account),
    markets: markets.map((market) => marketRow(market, facts)),
    market: wanted === undefined ? null : marketDetail(wanted, listFills(wanted.conditionId), facts),
    ...lists.read(),
  };
}

export type PageState = ReturnType<typeof makePageState>;

/** As sent to the page. */
export interface ServedState extends PageState {
  readonly role: Role;
  /** Names of all shown traders. */
  readonly traders: readonly string[];
}

/** A trader silent for seconds hangs or is gone: its state is old. */
export function judgeMode(trader: TraderState): { readonly mode: string; readonly reason: string } {
  const { account, bye, lost, silentMs } = trader;
  if (bye !== null) return { mode: bye.proven ? 'stopped' : 'ending', reason: bye.reason };
  if (trader.isCurrent && account !== null) return { mode: account.mode, reason: account.reason };
  if (silentMs === null || (lost === null && account === null)) return { mode: 'starting', reason: lost ?? '' };
  const since = `${Math.round(silentMs / 1000)} s`;
  return { mode: 'not answering', reason: lost === null ? `nothing was heard for ${since}` : `${lost}, for ${since}` };
}

/** The newest complete comparison of ledger and exchange; null before the first. */
function describeAgreement({ reconciled, accepted }: AccountStatus) {
  if (reconciled === null) return null;
  const { comparedMs, differences } = reconciled;
  return {
    compared: comparedMs,
    differences: differences.map(
      ({ what, subject, ledger, exchange }) => `${what} ${subject}: ledger ${ledger}, exchange ${exchange}`,
    ),
    text: agreementText(differences.length, accepted),
    accepted: accepted.length,
  };
}

/** Loss limits and their used part; a negative loss is a gain. */
const listLosses = (account: AccountStatus, { limits }: ProcessStatus) => [
  { name: 'of this day', loss: moneyText(account.losses.dayLossMicros), limit: moneyText(limits.maxLossDayMicros) },
  { name: 'from the top', loss: moneyText(account.losses.drawdownMicros), limit: moneyText(limits.maxDrawdownMicros) },
];

/** Alerts that are open. */
export const countAlerts = (watch: Pick<Watch, 'count'>): number =>
  ALERT_SEVERITIES.reduce((sum, severity) => sum + watch.count(severity), 0);
