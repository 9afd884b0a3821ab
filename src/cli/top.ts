/** Command `twinbook top`: markets by result, refreshed every second, from the trader's status and its ledger. */

import { setTimeout as pause } from 'node:timers/promises';
import { TwinbookError } from '../shared/base/errors.js';
import { add, sub, ZERO } from '../shared/base/micros.js';
import { cutText, GAP } from '../shared/base/text.js';
import { describeQuoting, type TraderStatus } from '../shared/protocol/trader-status.js';
import type { TraderConfig } from '../shell/config/config.js';
import { NONE, ResultBook, readHoldings, readMarks } from '../shell/console/views/money-view.js';
import { askOwner } from '../shell/control/control-client.js';
import { formatSigned, money } from '../shell/daemon/status-text.js';
import { storedMarks } from '../trader/engine/own/account.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import { command, modeText } from './command.js';
import type { CliTerminal } from './io.js';
import * as option from './options.js';
import { AT_LAST_PRICES, readLedger } from './reach.js';
import { amountText, json, jsonRow, linesText, type TableColumn, table } from './table.js';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** Keys that end the command, as terminals send them: `q`, Ctrl-C, Ctrl-D and Escape. */
const QUIT = ['q', '\u0003', '\u0004', '\u001b'];

export const addTopCommand = command({
  name: 'top',
  help: 'shows a live table of markets, highest result first, from the running trader or its ledger',
  config: 'trader',
  options: {
    every: option.number('--every <seconds>', 'time between two updates of the table, s', [0.2, 3600], 1),
    once: option.flag('--once', 'print one table and exit, which is the default without a terminal'),
  },
  hasJson: true,
  run: async ({ options: { every, once }, config, isJson, io }) => {
    const book = new ResultBook();
    let picture = await look(config, book);
    if (isJson) return io.out(json(picture.rows.map(jsonRow)));
    const { terminal, columns = 160 } = io;
    if (once === true || terminal === undefined)
      return io.out(`${linesText(drawHead(picture, columns))}\n${table(picture.rows, COLUMNS, columns)}`);
    const quit = new AbortController();
    const draw = () => io.raw.out(`\u001b[H${drawScreen(picture, terminal.size()).join('\u001b[K\r\n')}\u001b[J`);
    io.raw.out(ENTER);
    const close = terminal.listen({ key: (key) => QUIT.includes(key) && quit.abort(), resize: draw });
    void io.stopAsked().then(() => quit.abort());
    try {
      for (;;) {
        draw();
        await pause(every * 1000, undefined, { signal: quit.signal }).catch(() => undefined);
        if (quit.signal.aborted) return;
        picture = await look(config, book);
      }
    } finally {
      close();
      io.raw.out(LEAVE);
    }
  },
});

type TopPicture = Awaited<ReturnType<typeof look>>;

/** Reads the table. `status` is the running trader's status, or the error of the failed status request. */
async function look(config: TraderConfig, book: ResultBook) {
  const status = await askOwner({ command: 'status' }, config, { timeoutMs: 3_000 }).catch((error) => {
    if (error instanceof TwinbookError) return error;
    throw error;
  });
  return readLedger(config, (ledger) => {
    do book.readOn(ledger, 1);
    while (book.read < 1);
    return { status, cashMicros: ledger.cash(), rows: sortRows(makeRows(status, ledger, book)) };
  });
}

export const sortRows = (rows: readonly TopRow[]): readonly TopRow[] => {
  const measure = ({ resultMicros }: TopRow) => resultMicros ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((a, b) => measure(b) - measure(a) || a.title.localeCompare(b.title, 'en'));
};

const age = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}s`;

const COLUMNS: readonly TableColumn<TopRow>[] = [
  { title: 'market', cell: ({ title }) => title, gives: 'cut', keep: 10 },
  { title: 'result', cell: ({ resultMicros }) => formatSigned(resultMicros), right: true, keep: 9 },
  { title: 'net', cell: ({ netMicros }) => money(netMicros), right: true, keep: 8 },
  { title: 'orders', cell: ({ orders }) => orders, right: true, keep: 7 },
  { title: 'spread', cell: ({ spreadMicros }) => amountText(spreadMicros), right: true, keep: 6 },
  { title: 'age', cell: ({ ageMs }) => (ageMs === null ? null : age(ageMs)), right: true, keep: 5 },
  { title: 'bid', cell: ({ ourBidMicros }) => amountText(ourBidMicros), right: true, keep: 3 },
  { title: 'ask', cell: ({ ourAskMicros }) => amountText(ourAskMicros), right: true, keep: 3 },
  { title: 'fills', cell: ({ fills }) => fills, right: true, keep: 2 },
  { title: '', cell: ({ state }) => (state === 'quoting' ? '' : state), gives: 'cut', least: 16, keep: 4 },
];

/** Returns the lines above the table of markets, shortened to the width; the most important line is first. */
function drawHead({ status, cashMicros, rows }: TopPicture, width: number): readonly string[] {
  if (status instanceof TwinbookError) {
    const results = rows.map(({ resultMicros }) => resultMicros);
    const sum = results.includes(null) ? null : results.reduce<number>((total, result) => total + (result ?? 0), 0);
    const worth = `result ${formatSigned(sum)}${GAP}cash ${money(cashMicros)}`;
    const prices = `The trader ${status.code === 'not_running' ? 'is not running' : 'gave no status'}: ${AT_LAST_PRICES}`;
    return [`${status.message}; the figures are from the ledger`, worth, prices].map((line) => cutText(line, width));
  }
  const { account } = status;
  const unknown = account.unknownOrders === 0 ? [] : [`${account.unknownOrders} UNKNOWN`];
  const counts = [`orders ${account.openOrders}`, `fills ${account.fills}`, ...unknown];
  const spent = Object.entries(account.budgets).map(
    ([scope, { available, limit }]) => `${scope} ${Math.max(0, available)} of ${limit} requests left`,
  );
  return [
    `${modeText(account)}${account.silent ? ' (exchange silent)' : ''}`,
    [`result ${formatSigned(account.resultMicros)}`, `cash ${money(account.cashMicros)}`, ...counts].join(GAP),
    spent.join(GAP),
  ].map((line) => cutText(line, width));
}

/** Returns the lines of a whole screen, limited to the terminal's lines and columns. */
export function drawScreen(picture: TopPicture, { columns, rows }: ReturnType<CliTerminal['size']>): readonly string[] {
  return [...drawHead(picture, columns), '', ...table(picture.rows, COLUMNS, columns).trimEnd().split('\n')]
    .map((line) => cutText(line, columns))
    .slice(0, Math.max(1, rows));
}

/** A market's row; null means unknown. Its fields determine the keys of `--json`, a public interface. */
type TopRow = ReturnType<typeof makeRows>[number];

function makeRows(status: TraderStatus | TwinbookError, ledger: LedgerReader, book: ResultBook) {
  const live = status instanceof TwinbookError ? [] : status.markets;
  const shown = new Map(live.map((market) => [market.conditionId, market]));
  const titles = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
  const openOrders = new Map<string, number>();
  for (const { marketConditionId: id } of ledger.restingOrders()) openOrders.set(id, (openOrders.get(id) ?? 0) + 1);
  const holdings = readHoldings(ledger, new Map([...storedMarks(ledger), ...readMarks(live)]));
  const ids = new Set([...shown.keys(), ...holdings.keys(), ...book.markets.keys()]);
  ids.delete('');
  return [...ids].map((id) => {
    const market = shown.get(id);
    const sum = book.markets.get(id);
    const held = holdings.get(id) ?? NONE;
    const booked = sum === undefined ? ZERO : sub(sum.realisedMicros, sum.feesMicros);
    const isSeen = !(status instanceof TwinbookError) && market !== undefined && market.bookSeenMs !== null;
    const { bestBidMicros: bidMicros = null, bestAskMicros: askMicros = null } = market ?? {};
    return {
      market: id,
      title: market?.title ?? titles.get(id) ?? id,
      /** Result of the market: realised profit minus fees, plus the gain of holdings at their mark. */
      resultMicros: held.unrealised === null ? null : add(booked, held.unrealised),
      /** Position in the market, as YES shares minus NO shares. */
      netMicros: sub(held.yes, held.no),
      orders: market?.orders.length ?? openOrders.get(id) ?? 0,
      spreadMicros: bidMicros === null || askMicros === null ? null : askMicros - bidMicros,
      bidMicros,
      askMicros,
      ourBidMicros: market?.bidMicros ?? null,
      ourAskMicros: market?.askMicros ?? null,
      fills: sum?.fills ?? 0,
      ageMs: isSeen ? Math.max(0, Math.round(status.nowMs - (market.bookSeenMs ?? 0))) : null,
      state: market === undefined ? '' : describeQuoting(market),
    };
  });
}
