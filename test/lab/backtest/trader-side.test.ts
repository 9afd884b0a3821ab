import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { completeSettings } from '../../../src/lab/backtest/run.js';
import { plan } from './plans.js';

setFlagsFromString('--allow-natives-syntax');
// V8's intrinsic, which TypeScript cannot parse.
const haveSameClass = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
setFlagsFromString('--no-allow-natives-syntax');

test('the settings of all backtests of a process are objects of one hidden class', () => {
  const { trader } = plan([]);
  const first = completeSettings(trader);
  expect(haveSameClass(first, { ...first, more: 1 })).toBe(false);
  for (let backtest = 0; backtest < 100; backtest++)
    expect(haveSameClass(first, completeSettings({ ...trader }))).toBe(true);
});
