/** Commands that read the ledger, with or without a running trader. */

import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type {
  BookedFill,
  IntentRow,
  LedgerReader,
  MarketRecord,
  OrderRecord,
  PositionRow,
} from '../../trader/ledger/contract.js';
import { type AddCommand, all, command, flag, integerBetween, read, text, usual } from '../command.js';
import { marketMeant, readLedger } from '../reach.js';
import { amountText, type Cell, type Column, short, table } from '../table.js';
import { ledgerFileCommands } from './ledger-files.js';
import { pnlCommand } from './pnl.js';
import { statusCommand } from './status.js';

/** A longer table scrolls off most terminals; JSON is complete. */
const TABLE_ROWS = 50;
const MOST_ROWS = 1_000_000;

type InMarket = { readonly marketConditionId: string } | { readonly conditionId: string };

/** A field of `--json`; with a title also a column of the table. */
type Field<Item> = Partial<Column<Item>> & { readonly value: (item: Item) => Cell };

/** Keys are part of the public interface: the interface's names, amounts as decimal strings. */
type Fields<Item> = Readonly<Record<string, Field<Item>>>;

interface ReadPage {
  readonly limit: number;
  readonly marketConditionId?: string;
}

interface List<Item extends InMarket> {
  readonly name: string;
  readonly help: string;
  readonly more?: readonly [flags: string, help: string];
  readonly read: (ledger: LedgerReader, page: ReadPage, hasMore: boolean) => readonly Item[];
  readonly fields: Fields<Item>;
}

const list = <Item extends InMarket>({ name, help, more, read: readRows, fields }: List<Item>): AddCommand =>
  command({
    name,
    help,
    config: 'trader',
    options: {
      limit: read(
        '--limit <n>',
        `maximum number of rows (table: ${TABLE_ROWS}, JSON: all)`,
        integerBetween(1, MOST_ROWS),
      ),
      market: text('--market <name>', 'only this market: the beginning of its id, or words of its title'),
      ...(more === undefined ? {} : { more: flag(...more) }),
    },
    tool: { kind: 'read', options: ['limit', 'market', ...(more === undefined ? [] : [more[0].slice(2)])] },
    answer: async ({ options, config, isJson, io }) => {
      const hasMore = 'more' in options && options.more === true;
      const limit = options.limit ?? (isJson ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
      // One more than shown tells whether more exist.
      const most = Math.min(limit + 1, Number.MAX_SAFE_INTEGER);
      const { records, titles } = await readLedger(config, (ledger) => {
        const marketConditionId = marketMeant(options.market, ledger, isJson ? null : io);
        const page = marketConditionId === undefined ? { limit: most } : { limit: most, marketConditionId };
        const known = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
        return { records: readRows(ledger, page, hasMore), titles: known };
      });
      const shown = records.slice(0, limit);
      const rest = records.length > limit ? '… and more: --limit N shows them, --json shows all\n' : '';
      return {
        data: shown.map((item) => rowOf(fields, item)),
        text: (width) => table(shown, [...columnsOf(fields), titleColumn(titles)], width) + rest,
      };
    },
  });

const rowOf = <Item>(fields: Fields<Item>, item: Item): Readonly<Record<string, Cell>> =>
  Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value(item)]));

const columnsOf = <Item>(fields: Fields<Item>): readonly Column<Item>[] =>
  Object.values(fields).flatMap(({ title, value, cell = value, ...look }) =>
    title === undefined ? [] : [{ title, cell, ...look }],
  );

const titleColumn = (titles: ReadonlyMap<string, string>): Column<InMarket> => ({
  title: 'TITLE',
  cell: (item) => titles.get('marketConditionId' in item ? item.marketConditionId : item.conditionId) ?? '',
  gives: 'cut',
});

const momentText = (seconds: number | null): string | null => (seconds === null ? null : utcText(seconds * 1000));
const outcomeText = (isYes: boolean | null): string | null => (isYes === null ? null : isYes ? 'YES' : 'NO');
const ofMarket = <Item extends { readonly marketConditionId: string }>(
  rows: readonly Item[],
  wanted: string | undefined,
): readonly Item[] => rows.filter(({ marketConditionId }) => wanted === undefined || marketConditionId === wanted);

const MARKET = {
  value: (item: { readonly marketConditionId: string }) => item.marketConditionId,
  title: 'MARKET',
  cell: (item: { readonly marketConditionId: string }) => short(item.marketConditionId),
};
const OUTCOME = {
  value: (item: { readonly isYes: boolean | null }) => item.isYes,
  title: 'OUTCOME',
  cell: (item: { readonly isYes: boolean | null }) => outcomeText(item.isYes),
};
const SIDE = { value: (item: { readonly side: string | null }) => item.side, title: 'SIDE' };
const PRICE = {
  value: (item: { readonly priceMicros: Micros | null }) => amountText(item.priceMicros),
  title: 'PRICE',
  right: true,
};
const AMOUNT = {
  value: (item: { readonly amountMicros: Micros | null }) => amountText(item.amountMicros),
  title: 'AMOUNT',
  right: true,
};

const ORDERS: Fields<OrderRecord> = {
  pubkey: { value: ({ pubkey }) => pubkey, title: 'ORDER', cell: ({ pubkey }) => short(pubkey) },
  intent_id: { value: ({ intentId }) => intentId, title: 'INTENT', keep: 1 },
  market_condition_id: { ...MARKET, keep: 2 },
  is_yes: OUTCOME,
  side: SIDE,
  price: PRICE,
  amount: AMOUNT,
  filled_amount: { value: ({ filledMicros }) => amountText(filledMicros), title: 'FILLED', right: true, keep: 4 },
  status: { value: ({ status }) => status, title: 'STATUS', gives: 'cut', least: 8, keep: 3 },
};

const DRAFTS: Fields<IntentRow> = {
  intent_id: { value: ({ id }) => id, title: 'INTENT' },
  kind: { value: ({ kind }) => kind, title: 'KIND' },
  state: { value: ({ state }) => state, title: 'STATE' },
  market_condition_id: { ...MARKET, keep: 2 },
  is_yes: { ...OUTCOME, keep: 5 },
  side: { ...SIDE, keep: 5 },
  price: { ...PRICE, keep: 5 },
  amount: { ...AMOUNT, keep: 4 },
  draft_pubkey: { value: ({ draftPubkey }) => draftPubkey },
  expires: {
    value: ({ expiresAtS }) => expiresAtS,
    title: 'EXPIRES (UTC)',
    cell: ({ expiresAtS }) => momentText(expiresAtS),
    keep: 1,
  },
  submit_count: { value: ({ submitCount }) => submitCount },
  strategy: { value: ({ strategy }) => strategy },
  last_reason: { value: ({ lastReason }) => lastReason, title: 'REASON', gives: 'cut', keep: 3 },
};

const FILLS: Fields<BookedFill> = {
  timestamp: {
    value: ({ timestampS }) => timestampS,
    title: 'TIME (UTC)',
    cell: ({ timestampS }) => momentText(timestampS),
  },
  pubkey: { value: ({ pubkey }) => pubkey, title: 'TRADE', cell: ({ pubkey }) => short(pubkey), keep: 4 },
  order_pubkey: { value: ({ orderPubkey }) => orderPubkey },
  market_condition_id: { ...MARKET, keep: 1 },
  is_yes: OUTCOME,
  side: SIDE,
  price: PRICE,
  amount: AMOUNT,
  fee: { value: ({ feeMicros }) => amountText(feeMicros), title: 'FEE', right: true, keep: 3 },
  is_maker: {
    value: ({ isMaker }) => isMaker,
    title: 'ROLE',
    cell: ({ isMaker }) => (isMaker === null ? null : isMaker ? 'maker' : 'taker'),
    keep: 2,
  },
};

const POSITIONS: Fields<PositionRow> = {
  market_condition_id: MARKET,
  is_yes: OUTCOME,
  shares: { value: ({ sharesMicros }) => amountText(sharesMicros), title: 'SHARES', right: true },
};

const MARKETS: Fields<MarketRecord> = {
  condition_id: { value: ({ conditionId }) => conditionId, title: 'MARKET' },
  title: { value: ({ title }) => title },
  state: { value: ({ state }) => state, title: 'STATE' },
  event_condition_id: { value: ({ eventConditionId }) => eventConditionId },
  maker_fee: { value: ({ makerFeeRateMicros: fee }) => amountText(fee), title: 'MAKER FEE', right: true, keep: 1 },
  taker_fee: { value: ({ takerFeeRateMicros: fee }) => amountText(fee), title: 'TAKER FEE', right: true, keep: 2 },
  resolution_date: {
    value: ({ resolutionS }) => resolutionS,
    title: 'RESOLVES (UTC)',
    cell: ({ resolutionS }) => momentText(resolutionS),
    keep: 3,
  },
};

const UNDER_WAY = ['intended', 'drafted', 'signed', 'unknown'] as const;

export const addLedgerCommands = all(
  statusCommand,
  list({
    name: 'orders',
    help: 'orders in the ledger, newest first',
    more: ['--open', 'only those that rest at the exchange'],
    read: (ledger, page, isOpen) => ledger.orders(isOpen ? { ...page, statuses: RESTING_STATUSES } : page),
    fields: ORDERS,
  }),
  list({
    name: 'drafts',
    help: 'intents on their way: asked, drafted, signed, unknown',
    more: ['--all', 'also those that are settled'],
    read: (ledger, page, isAll) => ledger.intents(isAll ? page : { ...page, states: UNDER_WAY }),
    fields: DRAFTS,
  }),
  list({
    name: 'fills',
    help: 'fills in the ledger, newest first',
    read: (ledger, page) => ledger.fills(page),
    fields: FILLS,
  }),
  list({
    name: 'positions',
    help: 'shares held',
    read: (ledger, { marketConditionId }) => ofMarket(ledger.positions(), marketConditionId),
    fields: POSITIONS,
  }),
  list({
    name: 'markets',
    help: 'markets that the trader has seen',
    read: (ledger, { marketConditionId: wanted }) =>
      ledger.markets().filter(({ conditionId }) => wanted === undefined || conditionId === wanted),
    fields: MARKETS,
  }),
  ledgerFileCommands,
  pnlCommand,
  command({
    name: 'events',
    help: 'events: commands with their reasons, limits, refusals; newest first',
    config: 'trader',
    options: { limit: usual('--limit <n>', 'how many', TABLE_ROWS, integerBetween(1, MOST_ROWS)) },
    tool: { kind: 'read', options: ['limit'] },
    answer: async ({ options: { limit }, config }) => {
      const events = await readLedger(config, (ledger) => ledger.events(limit));
      const columns: readonly Column<(typeof events)[number]>[] = [
        { title: 'TIME (UTC)', cell: ({ timeMs }) => utcText(timeMs) },
        { title: 'KIND', cell: ({ kind }) => kind, gives: 'cut' },
        { title: 'WHAT', cell: (event) => event.text, gives: 'fold' },
      ];
      return {
        data: events.map(({ timeMs, ...event }) => ({ time: timeMs, ...event })),
        text: (width) => table(events, columns, width),
      };
    },
  }),
);
