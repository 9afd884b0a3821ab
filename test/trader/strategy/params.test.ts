import { describe, expect, test } from 'vitest';

import { objectSchema, paramTable, readParams } from '../../../src/trader/strategy/read-params.js';
import { m } from '../market/fixtures.js';
import { sample } from './fixtures.js';

test('what is missing takes its default, shares become Micros', () =>
  expect(readParams(sample, undefined)).toEqual({
    problems: [],
    values: {
      half_spread_ticks: 2,
      risk_aversion: 0.5,
      order_shares: m(25),
      post_only: true,
      mode: 'join',
      steps: [{ at_ticks: 1 }],
    },
  }));

test('what is given is read', () => {
  const raw = { half_spread_ticks: 7, order_shares: '12.5', mode: 'improve', steps: [{ at_ticks: 3 }, {}] };
  const read = { half_spread_ticks: 7, order_shares: m(12.5), steps: [{ at_ticks: 3 }, { at_ticks: 1 }] };
  expect(readParams(sample, raw).values).toMatchObject(read);
});

describe('what is wrong is named, with what came and what is wanted', () => {
  test.each([
    [
      { half_spread_tick: 3 },
      ['half_spread_tick'],
      "unknown parameter 'half_spread_tick'; did you mean half_spread_ticks?",
    ],
    [{ zebra: 3 }, ['zebra'], "unknown parameter 'zebra'; known parameters: half_spread_ticks, risk_aversion"],
    [{ half_spread_ticks: 0 }, ['half_spread_ticks'], 'got 0, wanted a whole number of ticks from 1 to 100'],
    [{ half_spread_ticks: 2.5 }, ['half_spread_ticks'], 'got 2.5, wanted a whole number of ticks'],
    [{ half_spread_ticks: '2' }, ['half_spread_ticks'], 'got "2", wanted a whole number'],
    [{ half_spread_ticks: null }, ['half_spread_ticks'], 'got null, wanted'],
    [{ risk_aversion: Number.NaN }, ['risk_aversion'], 'wanted a number (per share) from 0 to 1'],
    [{ order_shares: 25 }, ['order_shares'], 'got 25, wanted shares as a decimal string from "1" to "500"'],
    [{ order_shares: '0.5' }, ['order_shares'], 'got "0.5", wanted shares'],
    [{ order_shares: '1e2' }, ['order_shares'], 'got "1e2", wanted shares'],
    [{ post_only: 'yes' }, ['post_only'], 'got "yes", wanted true or false'],
    [{ mode: 'undercut' }, ['mode'], 'got "undercut", wanted one of join, improve'],
    [{ steps: [] }, ['steps'], 'got 0 rows, wanted a list of 1 to 2 rows'],
    [{ steps: 'x' }, ['steps'], 'got "x", wanted a list'],
    [{ steps: [{}, { at_ticks: 10 }] }, ['steps', 1, 'at_ticks'], 'got 10, wanted a whole number of ticks from 0 to 9'],
    [{ steps: [{ at_tick: 1 }] }, ['steps', 0, 'at_tick'], 'did you mean at_ticks?'],
    [{ steps: [7] }, ['steps', 0], 'got 7, wanted parameters as `name: value` lines'],
    [[], [], 'got [], wanted parameters as `name: value` lines'],
    [{ mode: 'improve', post_only: false }, [], 'mode improve needs post_only'],
  ])('%j', (raw, path, message) => {
    const { values, problems } = readParams(sample, raw);
    expect(values).toBeNull();
    expect(problems).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test('all at once, and names of the prototype are no parameters', () => {
    const raw: unknown = JSON.parse('{"__proto__": 1, "toString": 1, "mode": 5}');
    expect(readParams(sample, raw).problems.map(({ path }) => path[0])).toEqual(['__proto__', 'toString', 'mode']);
  });
});

test('the table has a row for each parameter and each field of a list', () => {
  const rows = paramTable(sample);
  expect(rows.map(({ name }) => name)).toEqual([
    'half_spread_ticks',
    'risk_aversion',
    'order_shares',
    'post_only',
    'mode',
    'steps',
    'steps[].at_ticks',
  ]);
  expect(rows[0]).toEqual({
    name: 'half_spread_ticks',
    unit: 'ticks',
    range: '1 to 100',
    default: '2',
    live: 'restart',
    help: 'Half-spread.',
  });
});

test('the schema closes the object and names ranges', () =>
  expect(objectSchema(sample.params)).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: {
      half_spread_ticks: { type: 'integer', minimum: 1, maximum: 100, default: 2 },
      order_shares: { type: 'string' },
      mode: { enum: ['join', 'improve'] },
      steps: { type: 'array', items: { properties: { at_ticks: { type: 'integer' } } } },
    },
  }));
