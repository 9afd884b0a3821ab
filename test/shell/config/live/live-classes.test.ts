/** No setting goes unmarked: each says whether a running trader takes it up. */

import { expect, it } from 'vitest';
import { strategyClass, traderClass } from '../../../../src/shell/config/live/live-classes.js';
import { strategyFileSchema, traderSchema } from '../../../../src/shell/config/schema.js';
import { jsonSchema, listSettings } from '../../../../src/shell/config/schema-tree.js';

it.each([
  ['a trader’s file', traderSchema, traderClass],
  ['a strategy file', strategyFileSchema, strategyClass],
] as const)('every setting of %s is marked', (_, schema, classOf) => {
  const settings = listSettings(jsonSchema(schema)).map(({ name }) => name);
  expect(settings.length).toBeGreaterThan(8);
  expect(settings.filter((name) => classOf(name) === undefined)).toEqual([]);
});

it('knows nothing of what is no setting', () => {
  expect(traderClass('risk.max_nothing')).toBeUndefined();
  expect(traderClass('merge.new_thing')).toBeUndefined();
  expect(strategyClass('schedule.other')).toBeUndefined();
});
