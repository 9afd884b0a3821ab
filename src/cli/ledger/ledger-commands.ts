/** Commands that read the ledger, with or without a running trader. */

import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/text.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { BookedFill, IntentRow, LedgerReader, MarketRecord, OrderRecord } from '../../trader/ledger/contract.js';
import { type AddCommand, all, command } from '../command.js';
import * as option from '../options.js';
import { findMarket, readLedger } from '../reach.js';
import { amountText, short, type TableCell, type TableColumn, table } from '../table.js';
import { ledgerFileCommands } from './ledger-files.js';
import { pnlCommand } from './pnl.js';
import { statusCommand } from './status.js';

/** Default maximum rows of a table: a longer table scrolls off most terminals. Output of `--json` is complete. */
const TABLE_ROWS = 50;
const MOST_ROWS = 1_000_000;

type InMarket = { readonly marketConditionId: string } | { readonly conditionId: string };

/** A key of `--json`, and the record's field with this key's value. A field with a title is also a table column. */
type ListField<Item> = readonly [key: string, field: string & keyof Item, look?: Partial<TableColumn<Item>>];

type Page = Readonly<{ limit: number; marketConditionId?: string }>;

interface List<Item extends InMarket> {
  readonly name: string;
  readonly help: string;
  readonly more?: readonly [flags: string, help: string];
  readonly read: (ledger: LedgerReader, page: Page, hasMore: boolean) => readonly Item[];
  /** Fields of a `--json` row. The keys are a public interface with the venue's names. Amounts are decimal strings. */
  readonly fields: readonly ListField<Item>[];
}

const list = <Item extends InMarket>({ name, help, more, read: readRows, fields }: List<Item>): AddCommand =>
  command({
    name,
    help,
    config: 'trader',
    options: {
      limit: option.integer('--limit <n>', `maximum number of rows (table: ${TABLE_ROWS}, JSON: all)`, [1, MOST_ROWS]),
      market: option.text('--market <name>', 'list only this market: the beginning of its id, or words of its title'),
      ...(more === undefined ? {} : { more: option.flag(...more) }),
    },
    tool: { kind: 'read', options: ['limit', 'market', ...(more === undefined ? [] : [more[0].slice(2)])] },
    answer: async ({ options, config, isJson, io }) => {
      const hasMore = 'more' in options && options.more === true;
      const limit = options.limit ?? (isJson ? Number.MAX_SAFE_INTEGER : TABLE_ROWS);
      // Reading one row more than the limit shows whether more rows exist.
      const most = Math.min(limit + 1, Number.MAX_SAFE_INTEGER);
      const { records, titles } = await readLedger(config, (ledger) => {
        const { market } = options;
        const found = market === undefined ? null : findMarket(market, ledger);
        if (market !== undefined && found === null && !isJson)
          io.err(`no market in the ledger matches "${market}"; \`twinbook markets\` lists all\n`);
        const marketConditionId = found ?? market;
        const page = { limit: most, ...(marketConditionId !== undefined && { marketConditionId }) };
        const known = new Map(ledger.markets().map(({ conditionId, title }) => [conditionId, title]));
        return { records: readRows(ledger, page, hasMore), titles: known };
      });
      const title: TableColumn<Item> = {
        title: 'TITLE',
        cell: (item) => titles.get('marketConditionId' in item ? item.marketConditionId : item.conditionId) ?? '',
        gives: 'cut',
      };
      const shown = records.slice(0, limit);
      const rest = records.length > limit ? '… more rows exist: --limit N shows them, --json shows all\n' : '';
      return {
        data: shown.map((item) => Object.fromEntries(fields.map(([key, field]) => [key, fieldValue(item, field)]))),
        text: (width) => table(shown, [...columnsOf(fields), title], width) + rest,
      };
    },
  });

const columnsOf = <Item>(fields: readonly ListField<Item>[]): readonly TableColumn<Item>[] =>
  fields.flatMap(([, field, { title, ...look } = {}]) => {
    if (title === undefined) return [];
    const isAmount = field.endsWith('Micros');
    return [{ title, cell: (item: Item) => cellOf(item, field), ...(isAmount && { right: true }), ...look }];
  });

/** Returns a field's value: a decimal text if the field's name ends in `Micros`, else the value itself. */
const fieldValue = <Item>(item: Item, field: string & keyof Item): TableCell => {
  const value = item[field];
  return field.endsWith('Micros') ? amountText(value as Micros | null) : (value as TableCell);
};

function cellOf<Item>(item: Item, field: string & keyof Item): TableCell {
  const value = fieldValue(item, field);
  if (value === null) return null;
  if (field === 'isYes') return value === true ? 'YES' : 'NO';
  if (field === 'isMaker') return value === true ? 'maker' : 'taker';
  if (field.endsWith('S')) return utcText(Number(value) * 1000);
  return field === 'pubkey' || field === 'marketConditionId' ? short(String(value)) : value;
}

/** Terms of orders and fills, as fields of the printed rows. */
const TERMS: readonly ListField<Pick<OrderRecord, 'isYes' | 'side' | 'priceMicros' | 'amountMicros'>>[] = [
  ['is_yes', 'isYes', { title: 'OUTCOME' }],
  ['side', 'side', { title: 'SIDE' }],
  ['price', 'priceMicros', { title: 'PRICE' }],
  ['amount', 'amountMicros', { title: 'AMOUNT' }],
];

export const addLedgerCommands = all(
  statusCommand,
  list<OrderRecord>({
    name: 'orders',
    help: 'lists the orders in the ledger, newest first',
    more: ['--open', 'list only orders that rest at the exchange'],
    read: (ledger, page, isOpen) => ledger.orders(isOpen ? { ...page, statuses: RESTING_STATUSES } : page),
    fields: [
      ['pubkey', 'pubkey', { title: 'ORDER' }],
      ['intent_id', 'intentId', { title: 'INTENT', keep: 1 }],
      ['market_condition_id', 'marketConditionId', { title: 'MARKET', keep: 2 }],
      ...TERMS,
      ['filled_amount', 'filledMicros', { title: 'FILLED', keep: 4 }],
      ['status', 'status', { title: 'STATUS', gives: 'cut', least: 8, keep: 3 }],
    ],
  }),
  list<IntentRow>({
    name: 'drafts',
    help: 'lists the intents in progress: intended, drafted, signed or unknown',
    more: ['--all', 'list also finished intents'],
    read: (ledger, page, isAll) =>
      ledger.intents(isAll ? page : { ...page, states: ['intended', 'drafted', 'signed', 'unknown'] }),
    fields: [
      ['intent_id', 'id', { title: 'INTENT' }],
      ['kind', 'kind', { title: 'KIND' }],
      ['state', 'state', { title: 'STATE' }],
      ['market_condition_id', 'marketConditionId', { title: 'MARKET', keep: 2 }],
      ['is_yes', 'isYes', { title: 'OUTCOME', keep: 5 }],
      ['side', 'side', { title: 'SIDE', keep: 5 }],
      ['price', 'priceMicros', { title: 'PRICE', keep: 5 }],
      ['amount', 'amountMicros', { title: 'AMOUNT', keep: 4 }],
      ['draft_pubkey', 'draftPubkey'],
      ['expires', 'expiresAtS', { title: 'EXPIRES (UTC)', keep: 1 }],
      ['submit_count', 'submitCount'],
      ['strategy', 'strategy'],
      ['last_reason', 'lastReason', { title: 'REASON', gives: 'cut', keep: 3 }],
    ],
  }),
  list<BookedFill>({
    name: 'fills',
    help: 'lists the fills in the ledger, newest first',
    read: (ledger, page) => ledger.fills(page),
    fields: [
      ['timestamp', 'timestampS', { title: 'TIME (UTC)' }],
      ['pubkey', 'pubkey', { title: 'TRADE', keep: 4 }],
      ['order_pubkey', 'orderPubkey'],
      ['market_condition_id', 'marketConditionId', { title: 'MARKET', keep: 1 }],
      ...TERMS,
      ['fee', 'feeMicros', { title: 'FEE', keep: 3 }],
      ['is_maker', 'isMaker', { title: 'ROLE', keep: 2 }],
    ],
  }),
  list({
    name: 'positions',
    help: 'lists the shares held in each market',
    read: (ledger, { marketConditionId: wanted }) =>
      ledger.positions().filter(({ marketConditionId }) => wanted === undefined || marketConditionId === wanted),
    fields: [
      ['market_condition_id', 'marketConditionId', { title: 'MARKET' }],
      ['is_yes', 'isYes', { title: 'OUTCOME' }],
      ['shares', 'sharesMicros', { title: 'SHARES' }],
    ],
  }),
  list<MarketRecord>({
    name: 'markets',
    help: 'lists the markets that the trader has seen',
    read: (ledger, { marketConditionId: wanted }) =>
      ledger.markets().filter(({ conditionId }) => wanted === undefined || conditionId === wanted),
    fields: [
      ['condition_id', 'conditionId', { title: 'MARKET' }],
      ['title', 'title'],
      ['state', 'state', { title: 'STATE' }],
      ['event_condition_id', 'eventConditionId'],
      ['maker_fee', 'makerFeeRateMicros', { title: 'MAKER FEE', keep: 1 }],
      ['taker_fee', 'takerFeeRateMicros', { title: 'TAKER FEE', keep: 2 }],
      ['resolution_date', 'resolutionS', { title: 'RESOLVES (UTC)', keep: 3 }],
    ],
  }),
  ledgerFileCommands,
  pnlCommand,
  command({
    name: 'events',
    help: 'lists events, newest first: commands and their reasons, reached limits, refusals and others',
    config: 'trader',
    options: { limit: option.integer('--limit <n>', 'maximum number of events', [1, MOST_ROWS], TABLE_ROWS) },
    tool: { kind: 'read', options: ['limit'] },
    answer: async ({ options: { limit }, config }) => {
      const events = await readLedger(config, (ledger) => ledger.events(limit));
      const columns: readonly TableColumn<(typeof events)[number]>[] = [
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
