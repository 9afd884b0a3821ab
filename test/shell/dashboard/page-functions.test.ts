/// <reference lib="dom" />
/** The page's own functions, without a browser: how it shows figures and old data, and when it repeats a request. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const element = { style: {} };

beforeEach(() => {
  vi.stubGlobal('document', { body: { appendChild: () => element }, createElement: () => element });
  vi.stubGlobal('location', { hash: '', search: '', host: 'here', href: 'http://here/', origin: 'http://here' });
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The text of what a template made. */
const textOf = (made: unknown): string => {
  if (typeof made !== 'object' || made === null) return made === null || made === undefined ? '' : String(made);
  const { props } = made as { props?: { children?: unknown } };
  return Array.isArray(made) ? made.map(textOf).join('') : textOf(props?.children);
};

describe('a figure', () => {
  const importFormat = () => import('../../../src/shell/dashboard/page/format.js');

  it('that rounds to zero has neither sign nor colour', async () => {
    const { gain, gainKind } = await importFormat();
    const shown = ['-0.004', '0.004', '0', '-0.005', '0.005', '-12'].map((value) => [
      textOf(gain(value)),
      gainKind(value),
    ]);
    expect(shown).toEqual([
      ['0.00', ''],
      ['0.00', ''],
      ['0.00', ''],
      ['−0.01', 'bad'],
      ['+0.01', 'good'],
      ['−12.00', 'bad'],
    ]);
  });

  it('that is a price is shown with all its decimals, at most four', async () => {
    const { price } = await importFormat();
    const shown = ['0.004', '0.455', '0.6', '0.12345', ''].map((value) => textOf(price(value)));
    expect([...shown, textOf(price('0.6', 3))]).toEqual(['0.004', '0.455', '0.60', '0.1235', '–', '0.600']);
  });

  it('that is a time of another year names the year', async () => {
    const { moment } = await importFormat();
    vi.useFakeTimers({ now: new Date(2027, 0, 10, 12), toFake: ['Date'] });
    expect([new Date(2027, 0, 9, 8), new Date(2026, 11, 24, 8)].map((at) => moment(at.getTime()))).toEqual([
      '9 Jan 08:00:00',
      '24 Dec 2026 08:00:00',
    ]);
  });
});
