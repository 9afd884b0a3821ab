import { describe, expect, test } from 'vitest';
import { analyse } from '../../src/report/analysis/analyse.js';
import { summaryTable } from '../../src/report/summary.js';
import { makeBracket } from './session.js';
import { aFill, aMarket, aSession, ONE } from './sessions.js';

const bracket = makeBracket().map(analyse);

describe('the table for the terminal', () => {
  test('puts the models side by side within 100 columns', () => {
    const text = summaryTable(bracket);
    expect(text).toMatch(/^Fill model +risk-averse +power:3 +optimistic$/m);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    expect(text.endsWith('\n')).toBe(true);
  });

  test('stays within 100 columns for any number of models, with long names', () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      analyse({
        ...aSession([]),
        assumptions: { ...aSession([]).assumptions, fillModel: `a-model-with-a-long-name:${index}` },
      }),
    );
    for (const count of [0, 1, 2, 4, 5, 9])
      for (const line of summaryTable(many.slice(0, count)).split('\n'))
        expect(line.length, line).toBeLessThanOrEqual(100);
    expect(summaryTable(many).match(/^Fill model/gm)).toHaveLength(3);
  });

  test('prints the figures of the analysis', () => {
    const session = aSession([
      aMarket({ fills: [aFill({ feeMicros: 20_000 })], endYesMicros: 10 * ONE, endMarkMicros: 380_000 }),
    ]);
    const text = summaryTable([analyse(session)]);
    expect(text).toMatch(/^Result +−0\.22$/m);
    expect(text).toMatch(/^ {2}spread earned +\+0\.10$/m);
    expect(text).toMatch(/^ {2}inventory drift +−0\.30$/m);
    expect(text).toMatch(/^ {2}fees +−0\.02$/m);
  });

  test('flags a sign that flips', () => {
    const of = (micros: number) =>
      analyse(
        aSession([
          aMarket({
            fills: [aFill(), aFill({ timeMs: 2_000, isBuy: false, side: 'ask', cashMicros: 4 * ONE + micros })],
          }),
        ]),
      );
    expect(summaryTable([of(-ONE), of(ONE)])).toContain('SIGN FLIPS. ');
    expect(summaryTable([of(ONE), of(ONE)])).not.toContain('SIGN FLIPS');
  });

  test('says what a session is missing', () => {
    expect(summaryTable([analyse(aSession([aMarket()]))])).toContain('! None of 4 orders was filled');
    expect(summaryTable([analyse(aSession([]))])).toContain('! No market was in this session');
  });

  test('lets no title move the cursor', () => {
    const broken = aMarket({ title: 'a\u001b[2Jb', endYesMicros: ONE });
    expect(summaryTable([analyse(aSession([broken]))])).not.toContain('\u001b');
  });
});
