/** A console's alerts about a trader that it never reached: its ledger decides whether it should run. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AccountStatus } from '../../../src/shared/protocol/trader-status.js';
import type { AlertState } from '../../../src/shell/alerts/alert-center.js';
import { ShownState } from '../../../src/shell/console/trader-state.js';
import { boundBackupAge, readLastRun, Watch } from '../../../src/shell/console/watch.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { ENDED_PROVEN } from '../../../src/trader/ledger/tables.js';
import { newFolder } from '../../support/folders.js';
import { listeningWeb } from '../../support/listening.js';
import { HOLDER } from '../../trader/ledger/books.js';
import { loadedTrader } from '../config/files.js';
import { ACCOUNT, agreedAt, hello, NOTHING_BESIDE } from './state-of-markets.js';

type WatchOptions = ConstructorParameters<typeof Watch>[0];

const S = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23), toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(() => vi.useRealTimers());

const opened = (kind: string): AlertState['open'][number] => {
  const times = { sinceMs: Date.now() - 60 * S, toldMs: Date.now() - 60 * S, acknowledgedMs: null };
  return { kind, severity: 'critical', title: kind, text: 'as it was told', ...times };
};

function watchOf(
  last: ReturnType<WatchOptions['lastRun']>,
  options: Partial<WatchOptions> & { readonly open?: readonly string[] } = {},
) {
  const remembered: AlertState = { open: (options.open ?? []).map(opened), waiting: {} };
  const trader_ = new ShownState();
  const watch = new Watch({
    config: loadedTrader(),
    name: 'trader',
    trader: trader_,
    isGuarded: () => null,
    note: () => undefined,
    memory: { load: () => remembered, save: () => undefined, acknowledgements: () => [] },
    onDuty: () => true,
    lastRun: () => last,
    ledger: NOTHING_BESIDE.ledger,
    isWithTrader: false,
    refusedLogins: () => 0,
    ...options,
  });
  onTestFinished(() => watch.close());
  const kinds = () => watch.open.map(({ kind }) => kind);
  const told = () => watch.recent.map(({ kind, state }) => `${kind} ${state}`);
  /** The trader sends its account every five seconds. */
  const hear = (change: Partial<AccountStatus> = {}, seconds = 5) => {
    for (let at = 0; at < seconds; at += 5) {
      const account = { ...ACCOUNT, reconciled: agreedAt(Date.now()), ...change };
      trader_.onLine({ type: 'frame', time: Date.now(), account, markets: [], known: [] });
      vi.advanceTimersByTime(5 * S);
    }
    return told();
  };
  const greet = (startedMs = Date.now()) => trader_.onLine(hello({ startedMs }));
  const end = (reason: string, proven: boolean) => trader_.onLine({ type: 'bye', time: Date.now(), reason, proven });
  return { watch, greet, hear, kinds, told, end };
}

describe('a console that was started anew beside a trader that is silent', () => {
  test.each(['open', null] as const)('does not tell that an open alert is over (last run: %s)', (last) => {
    const open = ['trader_silent', 'trader_gone', 'killed', 'unknown_orders'];
    const { kinds, told } = watchOf(last, { open });
    vi.advanceTimersByTime(120 * S);
    expect([kinds(), told()]).toEqual([open, []]);
    vi.advanceTimersByTime(780 * S);
    expect(told().toSorted()).toEqual(open.map((kind) => `${kind} open`).toSorted());
  });

  test('tells that they are over when it hears it, and those of its state not before a frame', () => {
    const { greet, hear, kinds, told } = watchOf('open', { open: ['trader_silent', 'trader_gone', 'killed'] });
    for (let i = 0; i < 8; i++) {
      greet();
      vi.advanceTimersByTime(5 * S);
    }
    expect([kinds(), told()]).toEqual([['trader_silent', 'killed'], ['trader_gone cleared']]);
    expect([hear({}, 40).slice(0, 2), kinds()]).toEqual([['killed cleared', 'trader_silent cleared'], []]);
  });

  test('tells of one that should be there and was never heard', () => {
    const { told } = watchOf('open');
    vi.advanceTimersByTime(9 * S);
    expect(told()).toEqual([]);
    vi.advanceTimersByTime(3 * S);
    expect(told()).toEqual(['trader_silent open']);
  });
});

test.each(['none', 'ended'] as const)('nothing is wrong with a trader that need not be there: %s', (last) => {
  const { kinds, told } = watchOf(last, { isGuarded: () => false, open: ['trader_silent'] });
  vi.advanceTimersByTime(60 * S);
  expect([kinds(), told()]).toEqual([[], ['trader_silent cleared']]);
});

test('a trader that has started its console is there, however long it waits for its exchange', () => {
  const { told } = watchOf('open', { isWithTrader: true });
  vi.advanceTimersByTime(120 * S);
  expect(told()).toEqual([]);
});

test('an end without proof raises an alert at once, with its reason, which a proof changes and only the next run ends', () => {
  const { greet, hear, kinds, told, watch, end } = watchOf('open', { isWithTrader: true });
  greet();
  end('the disk is full', false);
  vi.advanceTimersByTime(S);
  expect([told(), watch.recent[0]?.text]).toEqual([
    ['trader_gone open'],
    expect.stringMatching(/^orders may rest: the disk is full, since .*\nDo: .*cancel-all --verify/),
  ]);
  end('the trader failed', true);
  vi.advanceTimersByTime(60 * S);
  expect([kinds(), told()]).toEqual([['trader_gone'], ['trader_gone open', 'trader_gone open']]);
  expect(watch.recent[0]?.text).toMatch(/^no order rests: the trader failed, since /);
  greet();
  expect([hear({}, 35)[0], kinds()]).toEqual(['trader_gone cleared', []]);
  end('it has ended', true);
  vi.advanceTimersByTime(60 * S);
  expect(kinds()).toEqual([]);
});

test('the reason of an end without proof outlives the first message of the next trader', () => {
  const { greet, watch, end } = watchOf('open', { isWithTrader: true });
  greet();
  end('the disk is full', false);
  watch.traderGone();
  greet();
  vi.advanceTimersByTime(S);
  expect(watch.open.map(({ text }) => text)).toEqual(['orders may rest: the disk is full']);
});

test('a trader of a fleet that has started its console needs no guardian while it waits for its wallet', () => {
  const config = loadedTrader('fleet: { database: "postgresql://fleet@127.0.0.1/fleet", name: a, standby: true }');
  const { greet, told } = watchOf('open', { config, isGuarded: () => false, isWithTrader: true });
  vi.advanceTimersByTime(120 * S);
  expect(told()).toEqual([]);
  greet();
  vi.advanceTimersByTime(31 * S);
  expect(told()).toContain('guardian_absent open');
});

test.each([
  ['/uuid', '/uuid/fail'],
  ['/uuid/?run=7', '/uuid/fail?run=7'],
  ['/push/token?status=up&msg=OK&ping=', '/push/token?status=down&msg=OK&ping='],
])('a fault calls the external monitor %s as %s', async (address, called) => {
  const asked: (string | undefined)[] = [];
  const { url } = await listeningWeb(({ url }, response) => void response.end(String(asked.push(url))));
  const urlFile = join(newFolder(), 'watcher');
  writeFileSync(urlFile, `${url}${address}\n`, { mode: 0o600 });
  watchOf('ended', { config: loadedTrader(`alerts: { heartbeat: { url_file: ${urlFile} } }`) });
  vi.advanceTimersByTime(61 * S);
  await vi.waitFor(() => expect(asked).toEqual([called]), 10_000);
});

test('a first reconciliation that never comes is told of', () => {
  const { greet, hear, told } = watchOf('open');
  greet();
  for (let i = 0; i < 650; i += 5) {
    expect(told()).toEqual(i > 600 ? ['reconciled_late open'] : []);
    hear({ reconciled: null });
  }
});

test('a difference is told when a second round has found it again, a feed when it was silent for two minutes', () => {
  const { greet, hear, told, watch } = watchOf('open');
  const frame = (confirmed: string | null, current: number) => {
    const feed = { name: 'weather', current, values: 0, ageMs: null, problems: 0, trouble: null };
    hear({ disagreement: confirmed, feeds: [feed] });
  };
  greet();
  for (let i = 0; i < 22; i++) frame(null, 0);
  expect(told()).toEqual([]);
  for (let i = 0; i < 4; i++) frame(null, 0);
  expect(told()).toEqual(['feed_silent open']);
  frame('the ledger and the exchange disagree: order o', 1);
  expect([told()[0], watch.recent[0]?.text]).toEqual([
    'ledger_differs open',
    expect.stringContaining('the ledger and the exchange disagree: order o, since'),
  ]);
});

test('wrong passwords are told of from the third within ten minutes, and are over when none has come for as long', () => {
  let wrong = 2;
  const { told, watch } = watchOf('none', { refusedLogins: () => wrong });
  vi.advanceTimersByTime(300 * S);
  expect(told()).toEqual([]);
  wrong = 3;
  vi.advanceTimersByTime(2 * S);
  expect(watch.recent[0]?.text).toMatch(
    /^the page received 3 wrong passwords .*\nDo: .*`twinbook alerts --ack login_refused`/,
  );
  vi.advanceTimersByTime(700 * S);
  expect(told()).toEqual(['login_refused cleared', 'login_refused open']);
});

test('a backup is old when two of its times, and an hour, have gone by', () => {
  const { greet, hear } = watchOf('open');
  greet(Date.now() - 13 * 3_600 * S + 20 * S);
  expect(hear({}, 15)).toEqual([]);
  expect(hear({}, 15)).toEqual(['backup_old open']);
});

test.each([
  ['0 0 */6 * * *', 13],
  ['0 30 4 * * *', 49],
  // Working hours: none is due over a weekend.
  ['0 0 8-18 * * 1-5', 125],
])('backups of %s are old after %d hours', (schedule, hours) => {
  expect(boundBackupAge(schedule)).toBe(hours * 3_600 * S);
});

test('who is not on duty tells nothing, shows what the other one remembers, and takes over', () => {
  let isOnDuty = false;
  const { watch, told, kinds } = watchOf('open', { onDuty: () => isOnDuty, open: ['killed'] });
  vi.advanceTimersByTime(60 * S);
  expect([watch.isOnDuty, told(), kinds(), watch.count('critical')]).toEqual([false, [], ['killed'], 1]);
  isOnDuty = true;
  vi.advanceTimersByTime(5 * S);
  expect([watch.isOnDuty, kinds(), told()]).toEqual([true, ['killed', 'trader_silent'], ['trader_silent open']]);
});

test('an event in the ledger is sent once: stored before the console came, between two consoles, or after a restore', () => {
  const open = (name: string) => {
    const ledger = openLedger(join(folder, name), HOLDER);
    onTestFinished(() => ledger.close());
    const add = (kind: string, agoMs = 0) =>
      ledger.transaction(() => ledger.addEvent({ timeMs: Date.now() - agoMs, severity: 'loud', kind, text: 'odd' }));
    return { ledger, add };
  };
  const folder = newFolder();
  const [before, restored] = [open('before.sqlite'), open('restored.sqlite')];
  let state: AlertState | null = null;
  const console = ({ ledger } = before) => {
    const save = (next: AlertState) => {
      state = next;
    };
    const memory: WatchOptions['memory'] = { load: () => state, save, acknowledgements: () => [] };
    const { watch, told } = watchOf('ended', { memory, ledger: { read: (work) => work(ledger) } });
    vi.advanceTimersByTime(5 * S);
    return { told, watch };
  };
  before.add('foreign_order', 3_600 * S);
  before.add('fill_differs', 5 * S);
  const first = console();
  before.add('cancel_undone');
  void first.watch.deliver(0);
  expect(first.told()).toEqual(['cancel_undone once', 'fill_differs once']);
  first.watch.close();
  before.add('signed_elsewhere');
  expect(console().told()).toEqual(['signed_elsewhere once']);
  expect(console(restored).told()).toEqual([]);
  restored.add('foreign_order');
  expect(console(restored).told()).toEqual(['foreign_order once']);
});

test('the newest run of a ledger says whether a trader ought to be there', () => {
  const ledger = openLedger(join(newFolder(), 'ledger.sqlite'), HOLDER);
  onTestFinished(() => ledger.close());
  const found = [readLastRun(ledger)];
  for (const [id, startedMs, note] of [
    ['one', 1, 'stopped, but it is not proven that no order rests'],
    ['two', 2, ENDED_PROVEN],
  ] as const) {
    ledger.transaction(() => ledger.startRun({ id, version: '1', configHash: 'h', startedMs }));
    found.push(readLastRun(ledger));
    ledger.transaction(() => ledger.stopRun(id, 3, note));
    found.push(readLastRun(ledger));
  }
  expect(found).toEqual(['none', 'open', 'open', 'open', 'ended']);
});
