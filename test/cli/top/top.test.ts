import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawScreen, sortRows } from '../../../src/cli/top.js';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { micros } from '../../../src/shared/base/micros.js';
import { measureText } from '../../../src/shared/base/text.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { fillLedger } from '../../trader/ledger/old-ledger.js';
import { run } from '../run.js';

const HOSTILE = '\u001b[2J\u001b]0;owned\u0007 \u202egnihton\u0000';
const TITLES = [
  'Will it rain in Oslo on the first of May, and for longer than an hour?',
  '東京で雪が降りますか、それとも晴れますか',
  '👩‍👩‍👧 é🇳🇴 wins',
  HOSTILE,
];

const rowOf = (title: string, place: number) =>
  ({
    market: `market-${place}`,
    title,
    resultMicros: (place - 1) * 1_234_560_000,
    fills: 10 * place,
    netMicros: -place * 12_500_000,
    orders: place,
    bidMicros: 410_000,
    askMicros: 430_000 + place * 10_000,
    spreadMicros: 20_000 + place * 10_000,
    ourBidMicros: 400_000,
    ourAskMicros: null,
    ageMs: place === 3 ? null : 700 + place,
    state: place === 2 ? `paused: ${HOSTILE} because of something long that nobody has room for` : 'quoting',
  }) as Parameters<typeof sortRows>[0][number];
const ROWS = TITLES.map(rowOf);
const status = new TwinbookError('not_running', `no trader ${HOSTILE}`);
const draw = (columns: number, rows = 24) =>
  drawScreen({ status, cashMicros: micros(990_000_000), rows: ROWS }, { columns, rows });
const namesAt = (columns: number) =>
  draw(columns)
    .find((line) => line.startsWith('market'))
    ?.split(/ +/);

describe('the screen of top', () => {
  it('has no line that is wider than the terminal, nor more lines, and nothing that steers it', () => {
    for (const columns of [1, 7, 20, 40, 60, 61, 79, 80, 132]) {
      for (const rows of [1, 4, 9, 24]) {
        const lines = draw(columns, rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(measureText(line), `${columns}: ${line}`).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{C}/u);
        }
      }
    }
  });

  it('drops what matters least: whole at 80 columns, useful at 60', () => {
    expect(namesAt(120)).toEqual(['market', 'result', 'net', 'orders', 'spread', 'age', 'bid', 'ask', 'fills']);
    expect(namesAt(80)).toEqual(['market', 'result', 'net', 'orders', 'spread', 'age', 'bid', 'ask']);
    expect(namesAt(60)).toEqual(['market', 'result', 'net', 'orders', 'spread', 'age']);
    expect(namesAt(40)).toEqual(['market', 'result', 'net', 'orders']);
  });

  it('sets figures below each other whatever the titles are written in', () => {
    const [names = '', ...lines] = draw(80).slice(4);
    const edge = measureText(names.slice(0, names.indexOf('result') + 'result'.length));
    for (const line of lines.slice(0, 4)) {
      const at = /[+-]?[\d.]+\d/.exec(line);
      expect(measureText(line.slice(0, (at?.index ?? 0) + (at?.[0].length ?? 0))), line).toBe(edge);
    }
  });

  it('sorts the largest result first, and unknown ones last', () => {
    const rows = ROWS.map((row, place) => (place === 3 ? { ...row, resultMicros: null } : row));
    expect(sortRows(rows).map(({ market }) => Number(market.at(-1)))).toEqual([2, 1, 0, 3]);
  });
});

describe('twinbook top', () => {
  function place(): string {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    fillLedger(ledger);
    ledger.transaction(() => ledger.setNote('marks', '[["m",600000],["a",600000]]'));
    ledger.close();
    return cwd;
  }
  const CONFIG = ['-c', 'trader.yaml'];

  it('only reads the ledger where no trader runs, and its rows add up to the result of pnl', async () => {
    const cwd = place();
    const { out, code } = await run(['top', '--json', ...CONFIG], { cwd });
    expect(code).toBe(0);
    const rows = JSON.parse(out) as readonly { readonly result: string; readonly fills: number }[];
    const pnl = JSON.parse((await run(['pnl', '--json', ...CONFIG], { cwd })).out) as { readonly total: string };
    expect(rows.reduce((sum, { result }) => sum + Number(result), 0)).toBeCloseTo(Number(pnl.total), 6);
    expect(Number(pnl.total)).not.toBe(0);
    expect(rows.reduce((sum, { fills }) => sum + fills, 0)).toBe(4);
    const plain = await run(['top', ...CONFIG], { cwd });
    expect(plain.out).toMatch(/no trader is running .*; the figures are from the ledger\n.*\n.*: holdings are valued/);
    expect(plain.out).not.toContain('\u001b');
    const writer = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
    expect((await run(['top', '--once', ...CONFIG], { cwd })).code).toBe(0);
    writer.transaction(() => writer.setNote('after', 'it'));
    expect(writer.note('after')).toBe('it');
    writer.close();
  });

  it('stays on a terminal until it is left by a key or a signal, and gives the screen back', async () => {
    const cwd = place();
    const left = { keys: false };
    const at = (keys: readonly string[]) => ({
      size: () => ({ columns: 60, rows: 12 }),
      listen: ({ key, resize }: { key: (text: string) => void; resize: () => void }) => {
        queueMicrotask(() => {
          resize();
          for (const one of keys) key(one);
        });
        return () => {
          left.keys = true;
        };
      },
    });
    const never = () => new Promise<void>(() => undefined);
    const shown = await run(['top', ...CONFIG], { cwd, terminal: at(['t', 'q']), stopAsked: never });
    expect([shown.code, shown.out.startsWith('\u001b[?1049h\u001b[?25l')]).toEqual([0, true]);
    expect(shown.out.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(shown.out.split('\u001b[H')).toHaveLength(3);
    expect(left.keys).toBe(true);
    expect((await run(['top', ...CONFIG], { cwd, terminal: at([]) })).out.endsWith('\u001b[?1049l')).toBe(true);
  });
});
