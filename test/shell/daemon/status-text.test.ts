import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { tellNotices } from '../../../src/shell/daemon/daemon.js';
import { linesAbove, openLog } from '../../../src/shell/daemon/log.js';
import { Screen, statusLine } from '../../../src/shell/daemon/status-text.js';
import type { TraderSnapshot } from '../../../src/trader/engine/snapshot.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';

const ONE = 1_000_000;
const BUDGET = { limit: 120, perMinute: 120, available: 80 };

const snapshot = (more: Partial<TraderSnapshot> = {}): TraderSnapshot =>
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
    markets: [],
    ...more,
    // No other field of a snapshot is shown.
  }) as TraderSnapshot;

it('the status line begins with the UTC time, and names the command that ends the mode', () => {
  const paused = snapshot({ mode: 'paused', reason: 'operator', wayBack: 'resume' });
  expect(statusLine(paused, Date.UTC(2026, 0, 2, 9, 8, 7))).toMatch(
    /^09:08:07 paused: operator \| .* \| to resume: twinbook resume$/,
  );
  expect(statusLine(snapshot(), 0)).not.toContain('back up');
});

it('the log on a terminal is its errors in words', () => {
  const said: string[] = [];
  const log = linesAbove((line) => said.push(line));
  log.write('{"level":30,"msg":"ledger backed up"}\n');
  log.write('{"level":40,"kind":"command","msg":"pause: operator"}\n');
  log.write('{"level":50,"err":{"message":"disk full"},"msg":"the ledger could not be backed up"}\n');
  log.write('{"level":50,"err":null,"msg":"a bug"}\n');
  log.write('{"level":50,"err":"torn","msg":"a bug"}\n');
  log.write('the log x cannot be written: ENOSPC\n');
  expect(said).toEqual([
    'error: the ledger could not be backed up: disk full',
    'error: a bug',
    'error: a bug',
    'the log x cannot be written: ENOSPC',
  ]);
});

const EVIL = 'order \u001b[2J\u001b]52;c;b3duZWQ=\u0007 rests\r\n12:00:00 fill: all is well\u009b1A';

function screenOf() {
  const terminal = { isUnread: false };
  const texts: string[] = [];
  const screen = new Screen({ out: (text) => texts.push(text), isUnread: () => terminal.isUnread });
  return { screen, texts, terminal };
}

describe('the screen', () => {
  it('says a text of the venue in one line that steers nothing', () => {
    const { screen, texts } = screenOf();
    screen.say(EVIL);
    expect(texts).toEqual(['order ?[2J?]52;c;b3duZWQ=? rests??12:00:00 fill: all is well?1A\n']);
  });

  it('drops lines while its output is not read, and says how many when it is read again', () => {
    const { screen, texts, terminal } = screenOf();
    screen.say('first');
    terminal.isUnread = true;
    screen.say('second');
    screen.say('third');
    expect(texts).toEqual(['first\n']);
    terminal.isUnread = false;
    screen.say('fourth');
    screen.say('fifth');
    expect(texts.slice(1)).toEqual(['2 lines were dropped: this output was read too slowly\nfourth\n', 'fifth\n']);
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

it('a command shows no control character of a name, in a message or in JSON', async () => {
  const cwd = folderOf({});
  const missing = await run(['data', 'list', 'no\u001b[2Jsuch\u009b'], { cwd });
  expect(missing.err).toContain('no?[2Jsuch?');
  expect(missing.out + missing.err).not.toMatch(/[^\P{Cc}\n]/u);
  expect((await run(['\u001b]0;owned\u0007'], { cwd })).err).toContain('?]0;owned?');
});
