import { describe, expect, test } from 'vitest';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { summaryTable } from '../../../src/lab/report/summary.js';
import { findTooWide } from '../../cli/too-wide.js';
import { makeBracket } from './session.js';
import { aFill, aMarket, aRoundTrip, aSession, ONE, under } from './sessions.js';

const bracket = makeBracket().map(analyse);

describe('the table for the terminal', () => {
  test('stays within 100 columns for any number of models, with long names', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      analyse(aSession([], under(`a-model-with-a-long-name:${index}`))),
    );
    for (const count of [0, 1, 2, 4, 5, 9])
      for (const line of summaryTable(many.slice(0, count)).split('\n'))
        expect(line.length, line).toBeLessThanOrEqual(100);
    expect(summaryTable(many).match(/^Fill model/gm)).toHaveLength(2);
  });

  test('stays within a narrower terminal, below each other, and cuts no figure', () => {
    expect(summaryTable(bracket)).toMatch(/^Fill model +risk-averse +power:3 +optimistic$/m);
    const wide = new Set(summaryTable(bracket).match(/[−+]?\d[\d,.]*/g));
    for (const columns of [80, 60, 20]) {
      const text = summaryTable(bracket, columns);
      expect(findTooWide(text, Math.max(columns, 45))).toEqual([]);
      expect(text.match(/^Fill model/gm)).toHaveLength(columns === 80 ? 1 : columns === 60 ? 2 : 3);
      expect([...wide].filter((figure) => !text.includes(figure))).toEqual([]);
    }
  });

  test('prints the figures of the analysis', () => {
    const held = { endYesMicros: 10 * ONE, endMarkMicros: 380_000 };
    const text = summaryTable([analyse(aSession([aMarket({ fills: [aFill({ feeMicros: 20_000 })], ...held })]))]);
    expect(text).toMatch(/^Result +−0\.22$/m);
    expect(text).toMatch(/^ {2}spread earned +\+0\.10$/m);
    expect(text).toMatch(/^ {2}inventory drift +−0\.30$/m);
    expect(text).toMatch(/^ {2}fees +−0\.02$/m);
  });

  test('flags a sign that flips', () => {
    const of = (micros: number) => analyse(aSession([aMarket({ fills: aRoundTrip(micros) })]));
    expect(summaryTable([of(-ONE), of(ONE)])).toContain('SIGN FLIPS. ');
    expect(summaryTable([of(ONE), of(ONE)])).not.toContain('SIGN FLIPS');
  });

  test('says what a session is missing', () => {
    expect(summaryTable([analyse(aSession([aMarket()]))])).toContain('! None of 4 orders was filled');
    expect(summaryTable([analyse(aSession([]))])).toContain('! No market was in this session');
  });

  test('shows no interval and no ratio below eight events', () => {
    const of = (events: number) => {
      const { byEvent, ...rest } = analyse(aSession([aMarket()]));
      return { ...rest, byEvent: { ...byEvent, events, sharpe: 1.5, intervalMicros: [ONE, 3 * ONE] as const } };
    };
    expect(summaryTable([of(8)])).toMatch(
      /interval, from +\+1\.00\n.*interval, to +\+3\.00\nSharpe per event +1\.50\n/,
    );
    expect(summaryTable([of(7)])).toMatch(/interval, from +–\n.*interval, to +–\nSharpe per event +–\n/);
  });

  test('names what stood in the way when nothing was traded', () => {
    const refusals = [
      { by: 'guard', name: 'resolves in 840 s', count: 42 },
      { by: 'risk', name: 'max_open_orders', count: 3 },
      { by: 'exchange', name: 'throttled', count: 1 },
      ...[1, 2, 3].map((n) => ({ by: 'risk' as const, name: `limit-${n}`, count: 1 })),
    ] as const;
    expect(summaryTable([analyse({ ...aSession([aMarket()]), refusals })]).replaceAll(/\n +/g, ' ')).toContain(
      'Most frequent reasons: the strategy, “resolves in 840 s”, in 42 samples; risk limit max_open_orders, 3 times; the exchange, throttled, 1 time; risk limit limit-1, 1 time; risk limit limit-2, 1 time; and 1 more reason.',
    );
    expect(summaryTable([analyse(aSession([aMarket()]))])).toContain('Nothing was refused.');
  });

  test('lets no title move the cursor', () => {
    const broken = aMarket({ title: 'a\u001b[2Jb', endYesMicros: ONE });
    expect(summaryTable([analyse(aSession([broken]))])).not.toContain('\u001b');
  });
});
