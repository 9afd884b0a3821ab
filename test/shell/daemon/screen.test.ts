/** Output to the terminal: only our own cursor movements. */

import { describe, expect, it } from 'vitest';
import { tellNotices } from '../../../src/shell/daemon/daemon.js';
import { openLog } from '../../../src/shell/daemon/log.js';
import { Screen } from '../../../src/shell/daemon/status-text.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';

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
