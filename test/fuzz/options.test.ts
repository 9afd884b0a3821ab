import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

describe('the options of the fuzzer', () => {
  it('are read, and have defaults', () => {
    expect(readOptions(['--seconds', '0.5', '--seed', '7', '--way', 'client'])).toEqual({
      seconds: 0.5,
      seed: 7,
      way: 'client',
    });
    expect(readOptions([])).toMatchObject({ seconds: 60, way: 'both' });
  });

  it.each([
    [['--seconds', 'zero'], '--seconds must be seconds for each way, above 0, got zero'],
    [['--seconds', '0'], '--seconds must be seconds for each way, above 0, got 0'],
    [['--seed', '-1.5'], /--seed/],
    [['--seed', '1.5'], '--seed must be a whole number, got 1.5'],
    [['--way', 'sideways'], '--way must be exchange, client or both, got sideways'],
    [['--sed', '1'], /--sed/],
  ])('%j name what is wrong', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
