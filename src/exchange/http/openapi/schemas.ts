/**
 * JSON Schemas of the wire format, built from the zod schemas that parse it. Bodies and parameters are as liberal as
 * the exchange. Records are as strict as the paper exchange's answers: every property is present, and no other.
 */

import { z } from 'zod';
import * as records from '../../../shared/protocol/records.js';
import { describeRecord } from './descriptions.js';

/** A JSON Schema, or a part of an OpenAPI document, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema as zod writes it; changed in place. */
interface Writing {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** A reference to a named schema of the document. */
export const ref = (component: string): JsonSchema => ({ $ref: `#/components/schemas/${component}` });

/** `orderRow` as a component is `OrderRow`; `orders.create` is `OrdersCreate`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Accepted input of a schema. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io: 'input', override: withoutIntegerBounds });
  return written;
}

/** Every record of the service under its component name, as the paper exchange answers it. */
export function recordSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [name, record] of namedRecords()) registry.add(record, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (name) => `#/components/schemas/${name}`,
    override: (writing) => {
      withoutIntegerBounds(writing);
      nullAsType(writing);
      exact(writing);
    },
  });
  const components = Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => {
    for (const path of NEVER_NULL[name] ?? []) forbidNull(schema, path.split('.'));
    describeRecord(name.charAt(0).toLowerCase() + name.slice(1), schema);
    return [name, schema] as const;
  });
  return { ...Object.fromEntries(components), EventListRow: eventListRow(components) };
}

/** The `data` of an answer: a record, or a list of records. */
export function dataSchema(data: z.ZodType): JsonSchema {
  if (data instanceof z.ZodArray) return { type: 'array', items: dataSchema(data.element as z.ZodType) };
  const name = namedRecords().find(([, record]) => record === data)?.[0];
  // Every call answers a record of protocol/records.ts.
  if (name === undefined) throw new Error('an endpoint answers something that records.ts does not export');
  return ref(name);
}

const namedRecords = (): readonly (readonly [string, z.ZodType])[] =>
  Object.entries(records).map(([name, record]) => [pascal(name), record]);

/** Bounds that only mean "a safe integer" do not help a reader. */
function withoutIntegerBounds({ jsonSchema }: Writing): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** `anyOf: [a string, null]` as the type `string or null`, if only the type changes. */
function nullAsType({ jsonSchema }: Writing): void {
  const [given, nothing, ...more] = jsonSchema.anyOf ?? [];
  if (typeof given?.type !== 'string' || nothing?.type !== 'null' || more.length > 0) return;
  if (given.enum !== undefined || given.type === 'object') return;
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, given, { type: [given.type, 'null'] });
}

/** Properties that a record may lack. The interface: `order_min_size` may be absent. */
const MAY_BE_ABSENT: readonly string[] = ['order_min_size'];

function exact({ jsonSchema }: Writing): void {
  if (jsonSchema.properties === undefined) return;
  jsonSchema.required = Object.keys(jsonSchema.properties).filter((name) => !MAY_BE_ABSENT.includes(name));
  jsonSchema.additionalProperties = false;
}

const SUMMARY = ['last_trade_price', 'category', 'created', 'creator', 'event', 'margin_enabled'];

const MARGIN_MARKET = ['market.title', 'market.last_trade_price', 'market.event'];

/** Values that clients must accept as null from any venue, but the paper exchange always sets. */
const NEVER_NULL: Readonly<Record<string, readonly string[]>> = {
  OrderRow: ['pubkey', 'status', 'market.title', 'outcome.text'],
  OwnTradeRow: ['market_condition_id', 'fee', 'is_maker'],
  RedeemRow: ['funds', 'onchain_funds', 'yes_shares', 'no_shares'],
  AssetRow: [
    ...[
      'token.address',
      'value.basis',
      'position.market.title',
      'position.market.state',
      'position.market.margin_enabled',
    ],
    ...['position.outcome_text', 'position.is_final', 'position.avg_trade_price'],
  ],
  PublicTradeRow: ['market_condition_id', 'maker_fee', 'taker_fee'],
  MarketSummary: SUMMARY,
  MarketListRow: [...SUMMARY, 'outcomes'],
  MarketDetail: [...SUMMARY, 'outcomes', 'yes_outcome_label', 'no_outcome_label', 'rules'],
  OrderbookConfig: ['default_slippage_rate'],
  EventRow: ['description', 'category', 'created'],
  AccountSummary: ['username', 'joined_at'],
  PositionRow: [
    ...['position_request_pubkey', ...MARGIN_MARKET],
    ...['avg_entry_price', 'realized_pnl', 'liquidation_price', 'created'],
  ],
  SettlementRow: ['total_pnl', 'created'],
  RequestRow: ['message', 'funds', ...MARGIN_MARKET, 'created'],
  CancelledRequestRow: ['message', 'funds', 'market.title', 'created'],
  MarginEstimate: ['average_price', 'best_ask', 'worst_fill_price'],
  MarginActivityRow: ['user', ...MARGIN_MARKET, 'shares', 'price', 'leverage', 'created'],
};

function forbidNull(schema: z.core.JSONSchema.BaseSchema, [name = '', ...rest]: readonly string[]): void {
  const property = schema.properties?.[name];
  if (typeof property !== 'object') throw new Error(`no property ${name} that could be null`);
  if (rest.length > 0) return forbidNull(property, rest);
  const { type, anyOf } = property;
  if (Array.isArray(type)) property.type = type[0] ?? 'null';
  const [given] = anyOf ?? [];
  if (given === undefined) return;
  delete property.anyOf;
  Object.assign(property, given);
}

/** The interface: `video_url` is "present in the single-event response". */
function eventListRow(components: readonly (readonly [string, z.core.JSONSchema.BaseSchema])[]): JsonSchema {
  const { properties = {}, required = [], ...schema } = Object.fromEntries(components)['EventRow'] ?? {};
  const { video_url: _video, ...rest } = properties;
  const description = 'A group of markets in the list: without `video_url`, with at most two of its markets.';
  return { ...schema, description, properties: rest, required: required.filter((name) => name !== 'video_url') };
}
