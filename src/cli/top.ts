/**
 * `twinbook top`: markets by result, refreshed every second. It reads the running trader's reports from its control
 * socket, like the console, and the ledger on a read-only connection; the trader never waits for it.
 */

import { existsSync } from 'node:fs';
import { add, complement, type Micros, mul, sub, ZERO } from '../shared/base/micros.js';
import { cutText, type FittedColumn, fitTable, GAP } from '../shared/base/text.js';
import { RESTING_STATUSES } from '../shared/protocol/states.js';
import { describeQuoting, type MarketStatus } from '../shared/protocol/trader-status.js';
import type { TraderConfig } from '../shell/config/config.js';
import { TraderState } from '../shell/console/trader-state.js';
import { ResultBook } from '../shell/console/views/money-view.js';
import { Subscription } from '../shell/control/control-client.js';
import { formatSigned, money } from '../shell/daemon/status-text.js';
import { storedMarks } from '../trader/engine/own/account.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import { choice, command, flag, numberBetween, usual, type Values } from './command.js';
import type { CliIo, CliTerminal } from './io.js';
import { readLedger } from './reach.js';
import { amountText, json } from './table.js';

export const SORTS = {
  result: { key: 'r', column: 'result', measure: ({ resultMicros }: TopRow) => resultMicros },
  spread: { key: 's', column: 'spread', measure: measureSpread },
  position: { key: 'p', column: 'net', measure: ({ netMicros }: TopRow) => Math.abs(netMicros) },
  orders: { key: 'o', column: 'orders', measure: ({ orders }: TopRow) => orders },
  age: { key: 'a', column: 'age', measure: ({ ageMs }: TopRow) => ageMs },
  fills: { key: 'f', column: 'fills', measure: ({ fills }: TopRow) => fills },
  title: { key: 't', column: 'market', measure: null },
} as const;

export type SortBy = keyof typeof SORTS;

const OPTIONS = {
  sort: choice('--sort <by>', 'sort by this column, largest first', Object.keys(SORTS) as SortBy[], 'result'),
  every: usual('--every <seconds>', 'between two pictures', 1, numberBetween(0.2, 3600)),
  once: flag('--once', 'print one table and exit, as always without a terminal'),
};

type TopOptions = Values<typeof OPTIONS>;

const FILE_COLUMNS = 160;
/** A trader reports everything twice a second; one silent for this long is not there, ms. */
const HEAR_WITHIN_MS = 3_000;

export const addTopCommand = command({
  name: 'top',
  help: 'a live table of markets by profit, from the running trader or from its ledger',
  config: 'trader',
  options: OPTIONS,
  hasJson: true,
  run: async ({ options, config, isJson, io }) => {
    const terminal = options.once === true || isJson ? null : (io.terminal ?? null);
    const source = new TopSource(config);
    try {
      await source.begin();
      if (terminal === null) writeOnce(source, options.sort, isJson, io);
      else await watch(source, options, io, terminal);
    } finally {
      source.close();
    }
  },
});

class TopSource {
  readonly #config: TraderConfig;
  readonly #book = new ResultBook();
  readonly #trader = new TraderState();
  readonly #subscription: Subscription;
  #facts: LedgerFacts = NO_LEDGER;
  #sweeps = 0;
  #hear: () => void = () => undefined;

  constructor(config: TraderConfig) {
    this.#config = config;
    this.#subscription = new Subscription(config.control.socket, {
      line: (line) => {
        this.#trader.onLine(line);
        // A sweep over all markets begins with the account, so the second one ends the first.
        if (line.type === 'frame' && line.account !== undefined) this.#sweeps++;
        if (this.#sweeps > 1) this.#hear();
      },
      onLost: (why) => {
        this.#trader.onLost(why);
        this.#hear();
      },
    });
  }

  /** Resolves when the trader has reported all its markets, or none runs, and the ledger was read. */
  async begin(): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, HEAR_WITHIN_MS);
      this.#hear = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    await Promise.all([heard, this.look()]);
    while (this.#book.read < 1) await this.look();
  }

  /** Continues reading the ledger for some milliseconds. */
  async look(): Promise<void> {
    if (!existsSync(this.#config.ledger.path)) return;
    await readLedger(this.#config, (ledger) => {
      this.#book.readOn(ledger, 1);
      this.#facts = readFacts(ledger);
    });
  }

  get head(): TopHead {
    const trader = this.#trader;
    const rows = makeRows(trader, this.#facts, this.#book);
    const told = trader.isCurrent ? trader.account?.cashMicros : undefined;
    return { trader, cashMicros: told ?? this.#facts.cashMicros, rows, read: this.#book.read };
  }

  close(): void {
    this.#subscription.close();
  }
}

const NO_LEDGER: LedgerFacts = {
  titles: new Map(),
  holdings: new Map(),
  openOrders: new Map(),
  marks: new Map(),
  cashMicros: ZERO,
};

function writeOnce(source: TopSource, sort: SortBy, isJson: boolean, io: CliIo): void {
  const { head } = source;
  const look: TopLook = { sort, isReversed: false, from: 0 };
  if (isJson) return io.out(json(sortRows(head.rows, look).map(formatRow)));
  const { columns = FILE_COLUMNS } = io;
  const lines = [...drawHead(head, columns), '', ...drawTable(head.rows, look, columns, paintNothing)];
  io.out(`${lines.join('\n')}\n`);
}

/** The rows of `--json` are part of the public interface; null is unknown. */
const formatRow = (row: TopRow) => ({
  market: row.id,
  title: row.title,
  result: amountText(row.resultMicros),
  net: amountText(row.netMicros),
  orders: row.orders,
  spread: amountText(measureSpread(row)),
  bid: amountText(row.bidMicros),
  ask: amountText(row.askMicros),
  our_bid: amountText(row.ourBidMicros),
  our_ask: amountText(row.ourAskMicros),
  fills: row.fills,
  age_ms: row.ageMs === null ? null : Math.round(row.ageMs),
  state: row.state,
});

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

async function watch(source: TopSource, options: TopOptions, io: CliIo, terminal: CliTerminal): Promise<void> {
  let look: TopLook = { sort: options.sort, isReversed: false, from: 0 };
  // By https://no-color.org: set to any value.
  const paint = (io.env['NO_COLOR'] ?? '') === '' ? paintColours : paintNothing;
  const draw = () => {
    const lines = drawScreen(source.head, look, terminal.size(), paint);
    io.raw.out(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  };
  io.raw.out(ENTER);
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (error?: unknown) => {
        clearInterval(timer);
        close();
        if (error === undefined) resolve();
        else reject(error);
      };
      const attempt = (work: () => void) => {
        try {
          work();
        } catch (error) {
          end(error);
        }
      };
      const press = (key: string) => {
        const next = pressKey(look, key, source.head.rows.length);
        if (next === null) return end();
        look = next;
        draw();
      };
      const close = terminal.listen({ key: (key) => attempt(() => press(key)), resize: () => attempt(draw) });
      const timer = setInterval(() => source.look().then(draw).catch(end), options.every * 1000);
      void io.stopAsked().then(() => end());
      attempt(draw);
    });
  } finally {
    io.raw.out(LEAVE);
  }
}

export interface TopLook {
  readonly sort: SortBy;
  readonly isReversed: boolean;
  readonly from: number;
}

/** The largest first, unknown ones last; reversed: the least first. */
export function sortRows(rows: readonly TopRow[], { sort, isReversed }: TopLook): readonly TopRow[] {
  const sign = isReversed ? -1 : 1;
  const { measure } = SORTS[sort];
  return [...rows].sort((a, b) => {
    if (measure === null) return sign * a.title.localeCompare(b.title, 'en');
    const [one, two] = [measure(a), measure(b)];
    if (one === null || two === null) return Number(one === null) - Number(two === null) || (a.id < b.id ? -1 : 1);
    return sign * (two - one) || a.title.localeCompare(b.title, 'en');
  });
}

/** Ask less bid of the others; null when a side is empty. */
export function measureSpread({ bidMicros: bid, askMicros: ask }: TopRow): number | null {
  return bid === null || ask === null ? null : ask - bid;
}

const price = (value: number | null): string => amountText(value) ?? '-';
const age = (ms: number | null): string => (ms === null ? '-' : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}s`);

const COLUMNS: readonly FittedColumn<TopRow>[] = [
  { name: 'market', cell: ({ title }) => title, isText: true, gives: 'cut', most: 42, keep: 10 },
  { name: 'result', cell: ({ resultMicros }) => formatSigned(resultMicros), keep: 9 },
  { name: 'net', cell: ({ netMicros }) => money(netMicros), keep: 8 },
  { name: 'orders', cell: ({ orders }) => String(orders), keep: 7 },
  { name: 'spread', cell: (row) => price(measureSpread(row)), keep: 6 },
  { name: 'age', cell: ({ ageMs }) => age(ageMs), keep: 5 },
  { name: 'bid', cell: ({ ourBidMicros }) => price(ourBidMicros), keep: 3 },
  { name: 'ask', cell: ({ ourAskMicros }) => price(ourAskMicros), keep: 3 },
  { name: 'fills', cell: ({ fills }) => String(fills), keep: 2 },
  { name: '', cell: ({ state }) => (state === 'quoting' ? '' : state), isText: true, gives: 'cut', least: 16, keep: 4 },
];

type Paint = (text: string, as: 'head' | 'sorted' | 'gain' | 'loss') => string;

export const paintNothing: Paint = (text) => text;

export const paintColours: Paint = (text, as) => `\u001b[${SGR[as]}m${text}\u001b[0m`;

const SGR = { head: '7', sorted: '7;1', gain: '32', loss: '31' } as const;

/** The table with its heads, sorted, each line at most this wide. */
export function drawTable(rows: readonly TopRow[], look: TopLook, width: number, paint: Paint): readonly string[] {
  const shown = sortRows(rows, look);
  const { columns, lines } = fitTable(COLUMNS, shown, width);
  return lines.map((cells, place) => {
    const row = shown[place - 1];
    const painted = cells.map((text, column) => {
      const name = columns[column]?.name ?? '';
      if (row === undefined) return paint(text, name === SORTS[look.sort].column ? 'sorted' : 'head');
      if (name !== 'result' || row.resultMicros === null || row.resultMicros === 0) return text;
      return paint(text, row.resultMicros > 0 ? 'gain' : 'loss');
    });
    return painted.join(GAP).trimEnd();
  });
}

export interface TopHead {
  readonly trader: TraderState;
  readonly cashMicros: number;
  readonly rows: readonly TopRow[];
  /** Read fraction of the ledger's bookings, 0 to 1. */
  readonly read: number;
}

/** Lines above the table, each cut to the width; the most important first. */
export function drawHead({ trader, cashMicros, rows, read }: TopHead, width: number): readonly string[] {
  const { account } = trader;
  const live = trader.isCurrent && account !== null;
  const known = rows.filter(({ resultMicros }) => resultMicros !== null);
  const sum = known.length < rows.length ? null : known.reduce((total, row) => total + (row.resultMicros ?? 0), 0);
  const mode = live
    ? `${account.mode}${account.reason === '' ? '' : `: ${account.reason}`}${account.silent ? ' (exchange silent)' : ''}`
    : `${whyNotLive(trader)}: figures of the ledger`;
  const spent = live
    ? Object.entries(account.budgets).map(
        ([scope, { available, limit }]) => `${scope} ${Math.max(0, available)} of ${limit} requests left`,
      )
    : [];
  const worth = [`result ${formatSigned(live ? account.resultMicros : sum)}`, `cash ${money(cashMicros)}`];
  const reading = read < 1 ? [`reading the ledger: ${Math.floor(read * 100)} %`] : [];
  const counts = live
    ? [`orders ${account.openOrders}`, `fills ${account.fills}`, ...unknown(account.unknownOrders)]
    : [];
  return [mode, [...worth, ...counts, ...reading].join(GAP), ...(spent.length === 0 ? [] : [spent.join(GAP)])].map(
    (line) => cutText(line, width),
  );
}

const unknown = (orders: number): readonly string[] => (orders === 0 ? [] : [`${orders} UNKNOWN`]);

function whyNotLive({ lost, bye, silentMs }: TraderState): string {
  if (lost !== null) return lost;
  if (bye !== null) return bye.reason;
  return silentMs === null ? 'nothing heard yet' : `nothing heard for ${Math.round(silentMs / 1000)} s`;
}

const KEYS = `q leaves  ${Object.entries(SORTS)
  .map(([name, { key }]) => `${key} ${name}`)
  .join('  ')}  again: other way  j k rows`;

/** A whole screen: at most as many lines and columns as the terminal. */
export function drawScreen(
  head: TopHead,
  look: TopLook,
  { columns, rows }: ReturnType<CliTerminal['size']>,
  paint: Paint,
): readonly string[] {
  const above = [...drawHead(head, columns), ''];
  const [names = '', ...lines] = drawTable(head.rows, look, columns, paint);
  const room = Math.max(1, rows - above.length - 3);
  const from = Math.min(look.from, Math.max(0, lines.length - room));
  const shown = lines.slice(from, from + room);
  const hidden = lines.length - shown.length;
  const rest = hidden > 0 ? cutText(`… ${from} above, ${hidden - from} below`, columns) : '';
  const empty = lines.length === 0 ? [cutText('no market yet', columns)] : [];
  return [...above, names, ...shown, ...empty, rest, cutText(KEYS, columns)].slice(0, Math.max(1, rows));
}

/** As sent by terminals. */
const QUIT = ['q', 'Q', '\u0003', '\u0004', '\u001b'];
/** Rows by which a letter or an arrow moves the view. */
const MOVES = new Map([
  ['j', 1],
  ['\u001b[B', 1],
  ['k', -1],
  ['\u001b[A', -1],
  [' ', 10],
  ['\u001b[6~', 10],
  ['b', -10],
  ['\u001b[5~', -10],
]);

/** The view after a key; null to quit. */
export function pressKey(look: TopLook, key: string, rows: number): TopLook | null {
  if (QUIT.includes(key)) return null;
  const move = MOVES.get(key);
  if (move !== undefined) return { ...look, from: Math.max(0, Math.min(rows - 1, look.from + move)) };
  const [sort] = (Object.keys(SORTS) as SortBy[]).filter((name) => SORTS[name].key === key);
  if (sort === undefined) return look;
  return { sort, isReversed: sort === look.sort && !look.isReversed, from: 0 };
}

/** A shown market. Amounts and prices are micros; null is unknown. */
export type TopRow = ReturnType<typeof makeRow>;
export type LedgerFacts = ReturnType<typeof readFacts>;

interface Holding {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly costMicros: Micros;
}

const NOTHING: Holding = { yesMicros: ZERO, noMicros: ZERO, costMicros: ZERO };

/** Reads changed facts; bookings go into the book. */
export function readFacts(ledger: LedgerReader) {
  const holdings = new Map<string, Holding>();
  for (const { marketConditionId: id, isYes, sharesMicros, costMicros } of ledger.positions()) {
    const before = holdings.get(id) ?? NOTHING;
    holdings.set(id, {
      yesMicros: isYes ? sharesMicros : before.yesMicros,
      noMicros: isYes ? before.noMicros : sharesMicros,
      costMicros: add(before.costMicros, costMicros),
    });
  }
  const openOrders = new Map<string, number>();
  for (const { marketConditionId: id } of ledger.orders({ statuses: RESTING_STATUSES, limit: MOST_ORDERS }))
    openOrders.set(id, (openOrders.get(id) ?? 0) + 1);
  const titles = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
  return { titles, holdings, openOrders, marks: storedMarks(ledger), cashMicros: ledger.cash() };
}

const MOST_ORDERS = 10_000;

export function makeRows(trader: TraderState, facts: LedgerFacts, book: ResultBook): readonly TopRow[] {
  const ids = new Set([...trader.markets.keys(), ...facts.holdings.keys(), ...book.markets.keys()]);
  ids.delete('');
  return [...ids].map((id) => makeRow(id, trader, facts, book));
}

function makeRow(id: string, trader: TraderState, facts: LedgerFacts, book: ResultBook) {
  const told = trader.markets.get(id);
  const sum = book.markets.get(id);
  const held = facts.holdings.get(id) ?? NOTHING;
  const gained = measureGain(held, told?.markMicros ?? facts.marks.get(id) ?? null);
  const booked = sum === undefined ? ZERO : sub(sum.realisedMicros, sum.feesMicros);
  return {
    id,
    title: told?.title ?? facts.titles.get(id) ?? id,
    /** Realised minus fees, plus holdings at their mark. */
    resultMicros: gained === null ? null : add(booked, gained),
    fills: sum?.fills ?? 0,
    /** YES minus NO, shares. */
    netMicros: sub(held.yesMicros, held.noMicros),
    orders: told?.orders.length ?? facts.openOrders.get(id) ?? 0,
    bidMicros: told?.bestBidMicros ?? null,
    askMicros: told?.bestAskMicros ?? null,
    ourBidMicros: told?.bidMicros ?? null,
    ourAskMicros: told?.askMicros ?? null,
    ageMs: measureAge(told, trader),
    state: told === undefined ? '' : describeQuoting(told),
  };
}

/** Null for a holding of unknown value. */
function measureGain({ yesMicros, noMicros, costMicros }: Holding, mark: Micros | null): Micros | null {
  if (yesMicros === 0 && noMicros === 0) return ZERO;
  if (mark === null) return null;
  // Rounded like the ledger's total.
  const value = add(mul(mark, yesMicros, 'floor'), mul(complement(mark), noMicros, 'floor'));
  return sub(value, costMicros);
}

/** By the trader's clock, plus the time since its report. */
function measureAge(told: MarketStatus | undefined, { frameMs, silentMs }: TraderState): number | null {
  if (told === undefined || told.bookSeenMs === null || frameMs === null) return null;
  return Math.max(0, frameMs - told.bookSeenMs) + (silentMs ?? 0);
}
