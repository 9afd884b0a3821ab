/** Command `twinbook status`: the trader's present state, or the ledger's when the trader does not run. */

import { formatDecimal } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import { describeQuoting, type TraderStatus } from '../../shared/protocol/trader-status.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { describeAgreement } from '../../shell/daemon/status-text.js';
import { readNextStart } from '../../trader/engine/control/safety.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { readStanding } from '../../trader/reconcile/confirmed-differences.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { command } from '../command.js';
import { guardianStatus } from '../console-commands.js';
import type { CliIo } from '../io.js';
import { askThere, countOrders, readLedger, valueOn } from '../reach.js';
import { amountText, json, record, short, type TableCell, type TableColumn, table } from '../table.js';

type Pair = Parameters<typeof record>[0][number];

export const statusCommand = command({
  name: 'status',
  help: "prints the trader's current state; without a running trader, the state in its ledger",
  config: 'trader',
  tool: { kind: 'read', options: [] },
  hasJson: true,
  run: async ({ config, isJson, io }) => {
    const report = guardianStatus(config);
    // A running trader that does not answer in time is an error (exit code 5).
    const live = await askThere({ command: 'status' }, config, { timeoutMs: 5000 }).catch(valueOn(null, 'not_running'));
    if (live !== null) {
      const status = makeStatus(live);
      // A running trader's report on the guardian also shows whether the guardian hangs.
      const guardian = live.account.health.guardian || report;
      return isJson ? io.out(json({ running: true, ...status, guardian })) : printLive(io, status, guardian);
    }
    const stopped = await readLedger(config, (ledger) => stoppedStatus(ledger, config, report));
    return isJson ? io.out(json(stopped)) : printStopped(io, stopped);
  },
});

function stoppedStatus(ledger: LedgerReader, config: TraderConfig, guardian: string) {
  const [run] = ledger.runs(1);
  const stopFile = readStopFile(locateStopFile(config.ledger.path));
  const { mode, reason, wayBack } = readNextStart(ledger, config.risk, stopFile);
  // If the last comparison found no difference, `agreement` is null, because present agreement is not proven.
  const { open, accepted } = readStanding({ note: (key) => ledger.note(key) });
  const orders = countOrders(ledger);
  const agreement: StatusAgreement = { text: agreementText(open, accepted), open, accepted: accepted.length };
  return {
    running: false,
    last_run: run?.id ?? null,
    started: run === undefined ? null : utcText(run.startedMs),
    stopped: run === undefined || run.stoppedMs === null ? null : utcText(run.stoppedMs),
    version: run?.version ?? null,
    config_hash: run?.configHash ?? null,
    agreement: open + accepted.length === 0 ? null : agreement,
    cash: formatDecimal(ledger.cash()),
    positions: ledger.positions().length,
    open_orders: orders.open,
    unknown_orders: orders.unknown,
    /** Number of fills in the last run; a running trader's status counts the fills of the present run. */
    fills: run === undefined ? 0 : ledger.fillCount(run.startedMs),
    signing_refused: ledger.eventCount('signing_refused'),
    next_start: { mode, reason, way_back: wayBack },
    guardian,
  };
}

type StoppedStatus = ReturnType<typeof stoppedStatus>;

function printStopped(io: CliIo, { running: _, agreement, next_start: next, guardian, ...facts }: StoppedStatus) {
  const { last_run: run, stopped, open_orders: open, unknown_orders: unknown } = facts;
  const ended = stopped ?? (run === null ? null : 'not recorded: the trader was killed, or still runs elsewhere');
  const pairs: readonly Pair[] = [
    ['trader', 'not running; these facts are from its ledger'],
    ...pairsOf({ ...facts, stopped: ended }),
    ['cancel with', open + unknown > 0 ? 'twinbook cancel-all --verify' : undefined],
    [AGREEMENT, agreement?.text],
    ['next start', next.reason === '' ? next.mode : `${next.mode}, ${next.reason}`],
    ['then resume with', wayBackText(next)],
    ['guardian', guardian],
  ];
  printRecord(io, pairs, agreement);
}

/** Returns the known facts of the status, under their names in `--json`. */
const pairsOf = (facts: Readonly<Record<string, TableCell>>): readonly Pair[] =>
  Object.entries(facts).flatMap(([key, value]) => (value === null ? [] : [[key.replaceAll('_', ' '), value] as const]));

const wayBackText = ({ way_back: name }: Pick<StatusData, 'way_back'>) =>
  name === '' ? undefined : `twinbook ${name}`;

function printLive(io: CliIo, status: StatusData, guardian: string): void {
  const { mode, reason, way_back: _, agreement, markets, feeds, budget, started, now, ...facts } = status;
  const pairs: readonly Pair[] = [
    ['mode', reason === '' ? mode : `${mode} (${reason})`],
    ['resume with', wayBackText(status)],
    ...pairsOf({ ...facts, started: `${utcText(started)} UTC`, now: `${utcText(now)} UTC` }),
    [AGREEMENT, agreement.text],
    ['guardian', guardian],
    ...feeds.map((feed) => [`feed ${feed.name}`, feedText(feed)] as const),
    ['requests', budget.map(({ scope, remaining, limit }) => `${scope} ${remaining} of ${limit} left`).join(', ')],
  ];
  printRecord(io, pairs, agreement);
  io.out(`\n${table(markets, MARKET_COLUMNS, io.columns)}`);
}

const AGREEMENT = 'ledger';
const AMBER = ['\u001B[33m', '\u001B[39m'] as const;

/** Prints a record. On a terminal, the line about agreement is amber if an operator has accepted differences. */
function printRecord(io: CliIo, pairs: readonly Pair[], agreement: StatusAgreement | null): void {
  const isAmber = (agreement?.accepted ?? 0) > 0 && io.columns !== undefined && !io.env.NO_COLOR;
  for (const line of record(pairs, io.columns).split(/^(?=\S)/m)) {
    const [before, after] = isAmber && line.startsWith(`${AGREEMENT} `) ? AMBER : ['', ''];
    io.raw.out(before);
    io.out(line);
    io.raw.out(after);
  }
}

function feedText({ current_markets, newest_age_ms: ageMs, problems, trouble }: StatusData['feeds'][number]): string {
  const age = ageMs === null ? 'no value received yet' : `newest value ${(ageMs / 1000).toFixed(1)} s old`;
  const left = problems === 0 ? '' : `, ${problems} rows skipped`;
  return `${current_markets} markets with a current value, ${age}${left}${trouble === null ? '' : `; ${trouble}`}`;
}

const MARKET_COLUMNS: readonly TableColumn<StatusMarket>[] = [
  { title: 'MARKET', cell: (row) => short(row.market_condition_id), keep: 2 },
  { title: 'BID', cell: (row) => row.bid, right: true },
  { title: 'ASK', cell: (row) => row.ask, right: true },
  { title: 'FAIR', cell: (row) => row.fair, right: true, keep: 3 },
  { title: 'YES', cell: (row) => row.yes, right: true },
  { title: 'NO', cell: (row) => row.no, right: true },
  { title: 'ORDERS', cell: (row) => row.open_orders, right: true, keep: 1 },
  { title: 'TITLE', cell: (row) => row.title, gives: 'cut' },
  // STATE is the last column, because a strategy's reason for not quoting may be long.
  { title: 'STATE', cell: (row) => row.state, gives: 'cut' },
];

export type StatusData = ReturnType<typeof makeStatus>;
type StatusAgreement = ReturnType<typeof makeAgreement>;
type StatusMarket = ReturnType<typeof makeMarket>;

function makeStatus({ process, account, markets, dashboard, nowMs, signingRefused }: TraderStatus) {
  return {
    mode: account.mode,
    reason: account.reason,
    /** Command that ends the trader's present mode; empty if no command is needed. */
    way_back: account.wayBack,
    pid: process.pid,
    version: process.version,
    config_file: process.configFile,
    config_hash: process.configHash,
    venue: process.venue,
    base_url: process.baseUrl,
    dashboard,
    started: process.startedMs,
    now: nowMs,
    agreement: makeAgreement(account, nowMs),
    cash: amountText(account.cashMicros) ?? '',
    /** Total result: cash plus holdings at their marks, minus the invested capital. */
    result: amountText(account.resultMicros) ?? '',
    open_orders: account.openOrders,
    unknown_orders: account.unknownOrders,
    fills: account.fills,
    signing_refused: signingRefused,
    markets: markets.map(makeMarket),
    /** Feeds of the user's own values. `problems`: number of a feed's rows and lines skipped since the start. */
    feeds: account.feeds.map(({ name, current, values, ageMs, problems, trouble }) => {
      return { name, current_markets: current, values, newest_age_ms: ageMs, problems, trouble };
    }),
    budget: Object.entries(account.budgets).map(([scope, { limit, available }]) => {
      return { scope, limit, remaining: Math.max(0, available) };
    }),
  };
}

/** Describes the newest complete comparison; null before the first one. `open`: number of unaccepted differences. */
function makeAgreement(account: NonNullable<TraderStatus['account']>, nowMs: number) {
  const open = account.reconciled?.differences.length ?? null;
  return { text: describeAgreement(account, nowMs), open, accepted: account.accepted.length };
}

function makeMarket(market: TraderStatus['markets'][number]) {
  return {
    market_condition_id: market.conditionId,
    title: market.title,
    strategy: market.strategies.join(', '),
    /** State of the market, which is `quoting` or a short reason why the market is not quoted. */
    state: describeQuoting(market),
    bid: amountText(market.bidMicros),
    ask: amountText(market.askMicros),
    fair: amountText(market.fairMicros),
    yes: formatDecimal(market.yesMicros),
    no: formatDecimal(market.noMicros),
    open_orders: market.orders.length,
  };
}
