/** Commands that read the ledger: they work beside a running trader and without one. */

import { type Command, Option } from 'commander';
import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/utc-text.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { TraderConfig } from '../../shell/config/load.js';
import type {
  BookedFill,
  IntentRow,
  LedgerReader,
  MarketRecord,
  OperatorEvent,
  OrderRecord,
  PositionRow,
} from '../../trader/ledger/contract.js';
import { type Answer, addAnswer, type ReadOptions } from '../answer.js';
import { integerBetween } from '../arguments.js';
import { marketMeant } from '../market-meant.js';
import type { Session } from '../output/io.js';
import { type Column, short, table } from '../output/table.js';
import { addBeliefsCommand } from './beliefs.js';
import { addLedgerFileCommands } from './ledger-files.js';
import { readLedger } from './ledger-reading.js';
import { showMarketValues } from './market-values.js';
import { addPnlCommand } from './pnl.js';
import { addStatusCommand } from './status.js';

interface ListOptions extends ReadOptions {
  readonly limit?: number;
  readonly market?: string;
}

/** A table longer than this scrolls its beginning off most terminals; JSON is for programs and is complete. */
const TABLE_ROWS = 50;
const MOST_ROWS = 1_000_000;

export function addLedgerCommands(program: Command, session: Session): void {
  addStatusCommand(program, session);
  addList(program, session, {
    name: 'orders',
    summary: 'orders in the ledger, newest first',
    options: (command) => command.option('--open', 'only those that rest at the exchange'),
    read: (ledger, page, { open }: ListOptions & { readonly open?: true }) =>
      ledger.orders(open === true ? { ...page, statuses: RESTING_STATUSES } : page),
    row: orderRow,
    columns: [...ORDER_COLUMNS, TITLE],
  });
  addList(program, session, {
    name: 'drafts',
    summary: 'intents on their way: asked, drafted, signed, unknown',
    options: (command) => command.option('--all', 'also those that are settled'),
    read: (ledger, page, { all }: ListOptions & { readonly all?: true }) =>
      ledger.intents(all === true ? page : { ...page, states: UNDER_WAY }),
    row: draftRow,
    columns: [...DRAFT_COLUMNS, TITLE],
  });
  addList(program, session, {
    name: 'fills',
    summary: 'fills in the ledger, newest first',
    read: (ledger, page) => ledger.fills(page),
    row: fillRow,
    columns: [...FILL_COLUMNS, TITLE],
  });
  addList(program, session, {
    name: 'positions',
    summary: 'shares held',
    read: (ledger, { marketConditionId }) =>
      ledger
        .positions()
        .filter((row) => marketConditionId === undefined || row.marketConditionId === marketConditionId),
    row: positionRow,
    columns: [...POSITION_COLUMNS, TITLE],
  });
  addList(program, session, {
    name: 'markets',
    summary: 'markets that the trader has seen',
    options: (command) =>
      command.option('--value', 'what quoting each is worth an hour, as the running trader reckons'),
    instead: ({ value, limit }: ListOptions & { readonly value?: true }, config) =>
      value === true ? showMarketValues(config, limit, session.io) : null,
    read: (ledger, { marketConditionId }) =>
      ledger.markets().filter((row) => marketConditionId === undefined || row.conditionId === marketConditionId),
    row: marketRow,
    columns: MARKET_COLUMNS,
  });
  addLedgerFileCommands(program, session);
  addPnlCommand(program, session);
  addBeliefsCommand(program, session);
  addEventsCommand(program, session);
}

/** Commands with their reasons, limits and refusals: what somebody should be able to find tomorrow. */
function addEventsCommand(program: Command, session: Session): void {
  const command = program
    .command('events')
    .description('what was said and what happened: commands with their reasons, limits, refusals; newest first')
    .addOption(new Option('--limit <n>', 'how many').default(TABLE_ROWS).argParser(integerBetween(1, MOST_ROWS)));
  addAnswer<ReadOptions & { limit: number }>(command, session, async ({ limit }, config) => {
    const events = await readLedger(config, session.io, (ledger) => ledger.events(limit));
    return {
      data: events.map(({ timeMs, ...event }) => ({ time: timeMs, ...event })),
      text: table(events, EVENT_COLUMNS, session.io.columns),
    };
  });
}

const EVENT_COLUMNS: readonly Column<OperatorEvent>[] = [
  { title: 'TIME (UTC)', cell: ({ timeMs }) => utcText(timeMs) },
  { title: 'KIND', cell: ({ kind }) => kind, gives: 'cut' },
  { title: 'WHAT', cell: ({ text }) => text, gives: 'fold' },
];

const UNDER_WAY = ['intended', 'drafted', 'signed', 'unknown'] as const;

interface ReadPage {
  readonly limit: number;
  readonly marketConditionId?: string;
}

/** Everything listed is of one market, or is one. */
type InMarket = { readonly marketConditionId: string } | { readonly conditionId: string };

interface List<Item extends InMarket, Row, Options> {
  readonly name: string;
  readonly summary: string;
  readonly options?: (command: Command) => Command;
  /** What is shown in place of the list with these options; null for the list. */
  readonly instead?: (options: Options, config: TraderConfig) => Promise<Answer> | null;
  readonly read: (ledger: LedgerReader, page: ReadPage, options: Options) => readonly Item[];
  readonly row: (item: Item) => Row;
  /** Of the table, which knows each market's title too. */
  readonly columns: readonly Column<Row & Titled>[];
}

interface Titled {
  readonly title: string;
}

const TITLE: Column<Titled> = { title: 'TITLE', cell: (row) => row.title, gives: 'cut' };

function addList<Item extends InMarket, Row, Options extends ListOptions>(
  program: Command,
  session: Session,
  list: List<Item, Row, Options>,
): void {
  const command = program
    .command(list.name)
    .description(list.summary)
    .addOption(
      new Option('--limit <n>', `maximum number of rows (table: ${TABLE_ROWS}, JSON: all)`).argParser(
        integerBetween(1, MOST_ROWS),
      ),
    )
    .option('--market <name>', 'only this market: the beginning of its id, or words of its title');
  list.options?.(command);
  const { io } = session;
  addAnswer<Options>(command, session, async (options, config) => {
    const instead = list.instead?.(options, config) ?? null;
    if (instead !== null) return instead;
    const limit = options.limit ?? (options.json === true ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
    // One more than is shown tells whether there are more.
    const most = Math.min(limit + 1, Number.MAX_SAFE_INTEGER);
    const { records, titles } = await readLedger(config, io, (ledger) => {
      const marketConditionId = marketMeant(options.market, ledger, options.json === true ? null : io);
      const page = marketConditionId === undefined ? { limit: most } : { limit: most, marketConditionId };
      const titles = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
      return { records: list.read(ledger, page, options), titles };
    });
    const shown = records.slice(0, limit);
    const more = records.length > limit ? '… and more: --limit N shows them, --json shows all\n' : '';
    const titled = () => shown.map((item) => addTitle(list, item, titles));
    return { data: shown.map(list.row), text: () => table(titled(), list.columns, io.columns) + more };
  });
}

function addTitle<Item extends InMarket, Row, Options>(
  list: List<Item, Row, Options>,
  item: Item,
  titles: ReadonlyMap<string, string>,
): Row & Titled {
  const marketId = 'marketConditionId' in item ? item.marketConditionId : item.conditionId;
  return { ...list.row(item), title: titles.get(marketId) ?? '' };
}

const text = (value: Micros): string => formatDecimal(value);
const textOrNull = (value: Micros | null): string | null => (value === null ? null : formatDecimal(value));
const formatOutcome = (isYes: boolean | null): string | null => (isYes === null ? null : isYes ? 'YES' : 'NO');

/** The rows of `--json` are part of the program's surface: names as the interface spells them. */
const orderRow = (order: OrderRecord) => ({
  pubkey: order.pubkey,
  intent_id: order.intentId,
  market_condition_id: order.marketConditionId,
  is_yes: order.isYes,
  side: order.side,
  price: text(order.priceMicros),
  amount: text(order.amountMicros),
  filled_amount: text(order.filledMicros),
  status: order.status,
});

const ORDER_COLUMNS: readonly Column<ReturnType<typeof orderRow>>[] = [
  { title: 'ORDER', cell: (row) => short(row.pubkey) },
  { title: 'INTENT', cell: (row) => row.intent_id, keep: 1 },
  { title: 'MARKET', cell: (row) => short(row.market_condition_id), keep: 2 },
  { title: 'OUTCOME', cell: (row) => formatOutcome(row.is_yes) },
  { title: 'SIDE', cell: (row) => row.side },
  { title: 'PRICE', cell: (row) => row.price, right: true },
  { title: 'AMOUNT', cell: (row) => row.amount, right: true },
  { title: 'FILLED', cell: (row) => row.filled_amount, right: true, keep: 4 },
  { title: 'STATUS', cell: (row) => row.status, gives: 'cut', least: 8, keep: 3 },
];

const draftRow = (intent: IntentRow) => ({
  intent_id: intent.id,
  kind: intent.kind,
  state: intent.state,
  market_condition_id: intent.marketConditionId,
  is_yes: intent.isYes,
  side: intent.side,
  price: textOrNull(intent.priceMicros),
  amount: textOrNull(intent.amountMicros),
  draft_pubkey: intent.draftPubkey,
  expires: intent.expiresAtS,
  submit_count: intent.submitCount,
  strategy: intent.strategy,
  last_reason: intent.lastReason,
});

const DRAFT_COLUMNS: readonly Column<ReturnType<typeof draftRow>>[] = [
  { title: 'INTENT', cell: (row) => row.intent_id },
  { title: 'KIND', cell: (row) => row.kind },
  { title: 'STATE', cell: (row) => row.state },
  { title: 'MARKET', cell: (row) => short(row.market_condition_id), keep: 2 },
  { title: 'OUTCOME', cell: (row) => formatOutcome(row.is_yes), keep: 5 },
  { title: 'SIDE', cell: (row) => row.side, keep: 5 },
  { title: 'PRICE', cell: (row) => row.price, right: true, keep: 5 },
  { title: 'AMOUNT', cell: (row) => row.amount, right: true, keep: 4 },
  { title: 'EXPIRES (UTC)', cell: (row) => (row.expires === null ? null : utcText(row.expires * 1000)), keep: 1 },
  { title: 'REASON', cell: (row) => row.last_reason, gives: 'cut', keep: 3 },
];

const fillRow = (fill: BookedFill) => ({
  pubkey: fill.pubkey,
  order_pubkey: fill.orderPubkey,
  market_condition_id: fill.marketConditionId,
  is_yes: fill.isYes,
  side: fill.side,
  price: text(fill.priceMicros),
  amount: text(fill.amountMicros),
  fee: textOrNull(fill.feeMicros),
  is_maker: fill.isMaker,
  timestamp: fill.timestampS,
});

const FILL_COLUMNS: readonly Column<ReturnType<typeof fillRow>>[] = [
  { title: 'TIME (UTC)', cell: (row) => utcText(row.timestamp * 1000) },
  { title: 'TRADE', cell: (row) => short(row.pubkey), keep: 4 },
  { title: 'MARKET', cell: (row) => short(row.market_condition_id), keep: 1 },
  { title: 'OUTCOME', cell: (row) => formatOutcome(row.is_yes) },
  { title: 'SIDE', cell: (row) => row.side },
  { title: 'PRICE', cell: (row) => row.price, right: true },
  { title: 'AMOUNT', cell: (row) => row.amount, right: true },
  { title: 'FEE', cell: (row) => row.fee, right: true, keep: 3 },
  { title: 'ROLE', cell: (row) => (row.is_maker === null ? null : row.is_maker ? 'maker' : 'taker'), keep: 2 },
];

const positionRow = (position: PositionRow) => ({
  market_condition_id: position.marketConditionId,
  is_yes: position.isYes,
  shares: text(position.sharesMicros),
});

const POSITION_COLUMNS: readonly Column<ReturnType<typeof positionRow>>[] = [
  { title: 'MARKET', cell: (row) => short(row.market_condition_id) },
  { title: 'OUTCOME', cell: (row) => formatOutcome(row.is_yes) },
  { title: 'SHARES', cell: (row) => row.shares, right: true },
];

const marketRow = (market: MarketRecord) => ({
  condition_id: market.conditionId,
  title: market.title,
  state: market.state,
  event_condition_id: market.eventConditionId,
  maker_fee: text(market.makerFeeRateMicros),
  taker_fee: text(market.takerFeeRateMicros),
  resolution_date: market.resolutionS,
});

const MARKET_COLUMNS: readonly Column<ReturnType<typeof marketRow>>[] = [
  { title: 'MARKET', cell: (row) => row.condition_id },
  { title: 'STATE', cell: (row) => row.state },
  { title: 'MAKER FEE', cell: (row) => row.maker_fee, right: true, keep: 1 },
  { title: 'TAKER FEE', cell: (row) => row.taker_fee, right: true, keep: 2 },
  {
    title: 'RESOLVES (UTC)',
    cell: (row) => (row.resolution_date === null ? null : utcText(row.resolution_date * 1000)),
    keep: 3,
  },
  { title: 'TITLE', cell: (row) => row.title, gives: 'cut' },
];
