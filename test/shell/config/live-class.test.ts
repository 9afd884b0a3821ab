import { expect, it } from 'vitest';
import { liveClass, strategyFileSchema, traderSchema } from '../../../src/shell/config/schema.js';

it.each([
  [traderSchema, 'capital', 'limit'],
  [traderSchema, 'risk.max_fills', 'limit'],
  [traderSchema, 'strategies', 'limit'],
  [traderSchema, 'merge.min_shares', 'free'],
  [traderSchema, 'economics.request_price', 'free'],
  [traderSchema, 'polling.marks', 'restart'],
  [traderSchema, 'no.such', 'restart'],
  [strategyFileSchema, 'strategy', 'reason'],
  [strategyFileSchema, 'markets.select.state', 'free'],
  [strategyFileSchema, 'params', 'free'],
  [strategyFileSchema, 'schedule.quote_hours', 'free'],
  [strategyFileSchema, 'risk', 'limit'],
] as const)('setting %# is taken up by its class', (schema, setting, wanted) => {
  expect(liveClass(schema, setting)).toBe(wanted);
});
