import { expect, test } from 'vitest';
import { strategyFrom } from '../../../src/trader/strategy/read-params.js';
import { sample } from './fixtures.js';

test('a module whose default export is a strategy is taken, also when a loader wrapped it twice', () => {
  expect(strategyFrom({ default: sample }, 'x.ts')).toBe(sample);
  expect(strategyFrom({ default: { default: sample } }, 'x.js')).toBe(sample);
});

const integer = { kind: 'integer', unit: 'ticks', min: 1, max: 3, default: 2, help: 'h' };

test.each([
  [{}, 'x.ts is not a strategy: the module has no default export'],
  [null, 'the module has no default export'],
  [{ default: () => 1 }, 'the module has no default export'],
  [{ default: { ...sample, name: 'My Strategy' } }, 'name must be lower case with dashes'],
  [{ default: { ...sample, summary: undefined } }, 'summary must be text'],
  [{ default: { ...sample, create: 'x' } }, 'create must be a function'],
  [{ default: { ...sample, check: 'x' } }, 'check must be a function'],
  [{ default: { ...sample, observes: ['fills'] } }, 'observes must be a list of the kinds rested, canceled'],
  [{ default: { ...sample, observes: 'jump' } }, 'observes must be a list of the kinds rested, canceled'],
  [{ default: { ...sample, params: 5 } }, 'params must be an object'],
  [{ default: { ...sample, params: { a: { kind: 'integer' } } } }, 'parameter a must have a help text'],
  [{ default: { ...sample, params: { a: { ...integer, kind: 'int' } } } }, 'parameter a has the unknown kind "int"'],
  [{ default: { ...sample, params: { a: { ...integer, unit: 1 } } } }, 'parameter a must have a unit'],
  [{ default: { ...sample, params: { a: { kind: 'choice', help: 'h' } } } }, 'parameter a must have choices'],
  [{ default: { ...sample, params: { a: { kind: 'rows', help: 'h' } } } }, 'parameter a must have fields'],
  [{ default: { ...sample, params: { a: { ...integer, default: 9 } } } }, 'invalid default for parameter a: got 9'],
])('%j is refused', (exports, message) => expect(() => strategyFrom(exports, 'x.ts')).toThrow(message));
