import { describe, expect, it, test } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import type { MarketStatus } from '../../../src/shared/protocol/trader-status.js';
import { tellNotices } from '../../../src/shell/daemon/daemon.js';
import { linesAbove, openLog } from '../../../src/shell/daemon/log.js';
import { Screen, statusBlock, statusLine } from '../../../src/shell/daemon/status-text.js';
import type { Snapshot } from '../../../src/trader/engine/snapshot.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';
import { market as knownMarket } from '../console/state-of-markets.js';

const ONE = 1_000_000;
const BUDGET = { limit: 120, perMinute: 120, available: 80 };

const market = (title: string, more: Partial<MarketStatus> = {}): MarketStatus => ({
  ...knownMarket(title, title),
  strategies: ['maker'],
  note: '',
  bidMicros: micros(640_000),
  askMicros: micros(700_000),
  fairMicros: micros(661_234),
  yesMicros: micros(1234 * ONE),
  noMicros: micros(3 * ONE),
  ...more,
});

const snapshot = (more: Partial<Snapshot> = {}): Snapshot =>
  ({
    mode: 'quoting',
    reason: '',
    wayBack: '',
    cashMicros: micros(975 * ONE),
    equityMicros: micros(1002 * ONE),
    resultMicros: micros(2 * ONE),
    openOrders: 4,
    unknownOrders: 0,
    fills: 10,
    feeds: [],
    budgets: { public: BUDGET, signed: BUDGET },
    silent: false,
    markets: [
      market('Will the budget bill pass its final vote by 26 November?'),
      market('Rain?', { orders: [], note: 'resolves in 50 s, which is nearer than 60 s' }),
    ],
    ...more,
    // No other field of a snapshot is shown.
  }) as Snapshot;

const header = (width: number, shown = snapshot()): string =>
  statusBlock(shown, 17_000, width).find((line) => line.startsWith('market')) ?? '';

describe('the status on a terminal', () => {
  test.each([200, 93, 92, 80, 70, 60, 50, 40, 30, 20, 12])('%i columns wide is never wider', (width) => {
    const paused = snapshot({ mode: 'paused', reason: 'odd prices since noon', wayBack: 'resume' });
    for (const shown of [snapshot(), paused]) {
      for (const line of statusBlock(shown, 17_000, width)) expect(line.length, line).toBeLessThanOrEqual(width);
    }
  });

  test('shrinks titles before anything else', () => {
    for (const width of [93, 80, 72]) {
      expect(header(width)).toMatch(/^market +bid +fair +ask +YES +NO +orders$/);
      const [row] = statusBlock(snapshot(), 0, width).slice(-2);
      expect(row).toMatch(/^Will the bud.*… +0\.64 +0\.661 +0\.7 +1234\.00 +3\.00 +2$/);
    }
  });

  test('drops columns last, the least needed first, and never half of a figure', () => {
    expect(header(64)).toMatch(/^market +bid +fair +ask +YES +NO$/);
    expect(header(60)).toMatch(/^market +bid +ask +YES +NO$/);
    expect(header(42)).toMatch(/^market +bid +ask +YES +NO$/);
    expect(header(34)).toMatch(/^market +bid +ask +YES$/);
    expect(header(26)).toMatch(/^market +bid +ask$/);
  });

  test('tells at 60 columns why a market is not quoted, and every figure and command whole', () => {
    const held = { mode: 'reducing', reason: 'the loss of the day is 12.5 of 25, of which half is used up' } as const;
    const block = statusBlock(snapshot({ ...held, wayBack: 'resume --reason TEXT' }), 17_000, 60);
    expect(block.at(-1)).toMatch(/^Rain\? +0\.64 +0\.7 +1234\.00 +3\.00 +resolves in 50/);
    const text = block.join(' ').replaceAll(/ +/g, ' ');
    expect(text).toContain(`reducing: ${held.reason}`);
    expect(text).toContain('back up with: twinbook resume --reason TEXT');
    expect(text).toContain('public 40 of 120 signed 40 of 120');
  });

  test('breaks its first lines between their parts', () => {
    expect(statusBlock(snapshot(), 17_000, 40).slice(0, 3)).toEqual([
      'quoting  00:00:17  orders 4 (0 unknown)',
      'fills 10',
      'cash 975.00  worth 1002.00  result +2.00',
    ]);
  });

  test('names the command that leads back', () => {
    const paused = snapshot({ mode: 'paused', reason: 'operator', wayBack: 'resume' });
    expect(statusBlock(paused, 0, 100)[1]).toBe('back up with: twinbook resume');
    expect(statusLine(paused, 0)).toMatch(/paused: operator \| .* \| back up with: twinbook resume$/);
    expect(statusLine(snapshot(), 0)).not.toContain('back up');
  });
});

describe('the screen', () => {
  test('is drawn anew when the terminal becomes narrower, over all rows that the old block takes then', () => {
    let columns = 80;
    let out = '';
    const print = (text: string) => {
      out += text;
    };
    const screen = new Screen({ out: print, move: print, columns: () => columns, isUnread: () => false });
    screen.redraw();
    expect(out).toBe('');
    screen.show(snapshot(), 0);
    const lengths = out
      .trimEnd()
      .split('\n')
      .map((line) => line.length);
    columns = 40;
    out = '';
    screen.redraw();
    const rows = lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / 40)), 0);
    expect(rows).toBeGreaterThan(lengths.length);
    expect(out.startsWith(`\r\u001b[${rows}A\u001b[0J`)).toBe(true);
    for (const line of out.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(40);
  });

  test('has errors of the log above it in words, and nothing that the status says itself', () => {
    const said: string[] = [];
    const log = linesAbove((line) => said.push(line));
    log.write('{"level":30,"msg":"ledger backed up"}\n');
    log.write('{"level":40,"kind":"command","msg":"pause: operator"}\n');
    log.write('{"level":50,"err":{"message":"disk full"},"msg":"the ledger could not be backed up"}\n');
    log.write('the log x cannot be written: ENOSPC\n');
    expect(said).toEqual([
      'error: the ledger could not be backed up: disk full',
      'the log x cannot be written: ENOSPC',
    ]);
  });
});

const EVIL = 'order \u001b[2J\u001b]52;c;b3duZWQ=\u0007 rests\r\n12:00:00 fill: all is well\u009b1A';

function screenOf() {
  const terminal = { isUnread: false };
  const texts: string[] = [];
  const moves: string[] = [];
  const screen = new Screen({
    out: (text) => texts.push(text),
    move: (sequence) => moves.push(sequence),
    columns: () => null,
    isUnread: () => terminal.isUnread,
  });
  return { screen, texts, moves, terminal };
}

describe('the screen', () => {
  it('says a text of the venue in one line that steers nothing', () => {
    const { screen, texts, moves } = screenOf();
    screen.say(EVIL);
    expect(texts).toEqual(['order ?[2J?]52;c;b3duZWQ=? rests??12:00:00 fill: all is well?1A\n']);
    expect(moves).toEqual([]);
  });

  it('drops lines while its output is not read, and says how many when it is read again', () => {
    const { screen, texts, moves, terminal } = screenOf();
    screen.say('first');
    terminal.isUnread = true;
    screen.say('second');
    screen.say('third');
    expect(texts).toEqual(['first\n']);
    terminal.isUnread = false;
    screen.say('fourth');
    screen.say('fifth');
    expect(texts.slice(1)).toEqual(['2 lines were not shown: this output was not read\nfourth\n', 'fifth\n']);
    expect(moves).toEqual([]);
  });

  it('says why a strategy does nothing at this hour, and not what is for the log alone', () => {
    const { screen, texts } = screenOf();
    const log = openLog({ level: 'fatal', file: null }, { write: () => undefined });
    const hours = 'strategy mine is outside its quote hours';
    const notices = [
      { kind: 'quote_hours', text: hours },
      { kind: 'started', text: 'quoting begins' },
    ].map((notice) => ({ ...notice, timeMs: 0, severity: 'info' as const }));
    tellNotices(notices, log, screen);
    expect(texts.map((text) => text.slice('00:00:00 '.length))).toEqual([`${hours}\n`]);
  });
});

describe('a command', () => {
  it('shows no control character of a name, in a message or in JSON', async () => {
    const cwd = folderOf({});
    const missing = await run(['data', 'list', 'no\u001b[2Jsuch\u009b'], { cwd });
    expect(missing.err).toContain('no?[2Jsuch?');
    expect(missing.out + missing.err).not.toMatch(/[^\P{Cc}\n]/u);
    const unknown = await run(['\u001b]0;owned\u0007'], { cwd });
    expect(unknown.err).toContain('?]0;owned?');
  });
});
