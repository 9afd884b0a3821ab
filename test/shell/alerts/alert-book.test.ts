import { describe, expect, test } from 'vitest';
import { AlertBook } from '../../../src/shell/alerts/alert-center.js';
import {
  findConditions,
  findNextStep,
  isUndecided,
  toldAs,
  type WatchedFacts,
} from '../../../src/shell/alerts/conditions.js';
import { m } from '../../trader/ledger/books.js';
import { agreedAt, PROCESS } from '../console/state-of-markets.js';
import { ACCOUNT_FACTS, FACTS } from './facts.js';

type Condition = ReturnType<typeof findConditions>[number];

const S = 1_000;
const MINUTE = 60 * S;
const HOUR = 60 * MINUTE;

const condition = (severity: Condition['severity'], forMs = 0): Condition => {
  return { kind: 'odd', severity, title: 'it is odd', text: 'very', forMs };
};

/** Checks once a second; the sent alerts, as `severity state second`. */
function told(holds: (second: number) => Condition | null, seconds: number): readonly string[] {
  const book = new AlertBook('run');
  const said: string[] = [];
  for (let second = 0; second < seconds; second++) {
    const one = holds(second);
    book.acknowledge({ kind: 'halted', sinceMs: 0, timeMs: 1 });
    for (const { severity, state } of book.observe(one === null ? [] : [one], second * S))
      said.push(`${severity} ${state} ${second}`);
  }
  return said;
}

describe('an alert', () => {
  test('is told once, and once more when it is over for half a minute', () => {
    const warning = condition('warning');
    expect(told((second) => (second < 100 ? warning : null), 300)).toEqual(['warning open 0', 'warning cleared 129']);
  });

  test('is sent every quarter of an hour while it is critical', () =>
    expect(told(() => condition('critical'), 1_900)).toEqual([
      'critical open 0',
      'critical open 900',
      'critical open 1800',
    ]));

  test('is not sent again when it ends and begins again', () =>
    expect(told((second) => (second % 20 < 10 ? condition('warning') : null), 200)).toEqual(['warning open 0']));

  test('is told again and is over in its time though the clock was set back', () => {
    const book = new AlertBook('run');
    const look = (second: number, holds: boolean) =>
      book.observe(holds ? [condition('critical')] : [], second * S).map(({ state }) => state);
    expect(look(HOUR / S, true)).toEqual(['open']);
    expect([look(0, true), look(899, true), look(900, true)]).toEqual([[], [], ['open']]);
    expect([look(0, false), look(29, false), look(30, false)]).toEqual([[], [], ['cleared']]);
  });

  test('is sent again in time although the clock was set back between two consoles', () => {
    const before = new AlertBook('run');
    before.observe([condition('critical')], 24 * HOUR);
    const book = new AlertBook('again');
    book.goOn(before.open, HOUR);
    expect(book.observe([condition('critical')], HOUR + 15 * MINUTE).map(({ state }) => state)).toEqual(['open']);
  });

  test('that was not told yet is told in its time though the clock was set back', () => {
    const book = new AlertBook('run');
    const look = (second: number) => book.observe([condition('critical', 5 * S)], second * S).length;
    expect([look(HOUR / S), look(0), look(4), look(5)]).toEqual([0, 0, 0, 1]);
  });

  test('is told when it has held for its time, and one that has not is nobody’s business', () => {
    expect(told((second) => (second >= 10 ? condition('critical', 5 * S) : null), 30)).toEqual(['critical open 15']);
    expect(told((second) => (second % 5 === 0 ? null : condition('critical', 5 * S)), 60)).toEqual([]);
  });

  test('is not told again once a person has seen it, until it is over and comes back', () => {
    const book = new AlertBook('run');
    const critical = [condition('critical')];
    book.observe(critical, 0);
    book.acknowledge({ kind: 'odd', sinceMs: 1, timeMs: 5 });
    expect(book.open[0]?.acknowledgedMs).toBeNull();
    book.acknowledge({ kind: 'odd', sinceMs: 0, timeMs: 5 });
    expect(book.observe(critical, 20 * MINUTE)).toEqual([]);
    expect(book.observe([], 21 * MINUTE).map(({ state }) => state)).toEqual(['cleared']);
    expect(book.observe(critical, 22 * MINUTE).map(({ state }) => state)).toEqual(['open']);
    expect(book.open[0]?.acknowledgedMs).toBeNull();
  });

  test.each([
    ['very', ['critical open 0', 'critical open 900']],
    ['different', ['critical open 0', 'critical open 40', 'critical open 940']],
  ])('that is acknowledged and returns within 30 s, %s, is sent again, but not more often', (text, expected) => {
    const halt = { ...condition('critical'), kind: 'halted' };
    const holds = (second: number) =>
      second < 20 ? halt : second % 40 < 20 || second > 300 ? { ...halt, text } : null;
    expect(told(holds, 1_000)).toEqual(expected);
  });

  test('goes on after a restart of who tells it: told again in its time, or over', () => {
    const before = new AlertBook('run');
    before.observe([condition('critical')], 0);
    const book = new AlertBook('again');
    book.goOn(before.open, 60 * S);
    expect(book.observe([condition('critical')], 61 * S)).toEqual([]);
    expect(book.observe([condition('critical')], 900 * S).map(({ state }) => state)).toEqual(['open']);
    const over = new AlertBook('again');
    over.goOn(before.open, 60 * S);
    expect([over.observe([], 89 * S), over.observe([], 90 * S).map(({ state }) => state)]).toEqual([[], ['cleared']]);
  });

  test('has an id that no other message has', () => {
    const book = new AlertBook('run');
    const ids = [
      ...book.observe([condition('critical')], 0),
      ...book.observe([condition('critical')], 20 * MINUTE),
      book.once('info', 'daily_summary', 'the day', 'good', 0),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });
});

const failed = (at: number) => ({ upkeep: { ...ACCOUNT_FACTS.upkeep, backupFailed: { at, why: 'no room' } } });
const reconciled = (ms: number) => ({ reconciled: agreedAt(ms) });
/** The failed backup was made good since. */
const ACCOUNT = { ...ACCOUNT_FACTS, ...reconciled(9 * MINUTE), ...failed(9 * MINUTE - 1) };
const BACKUP = { backupMs: 9 * MINUTE, backupWithinMs: HOUR };
const WELL = { ...FACTS, ...BACKUP, nowMs: 10 * MINUTE, silentMs: 100, refusedLogins: 2, account: ACCOUNT };
const NO_BACKUP = { backupMs: null, backupWithinMs: HOUR };
const { upkeep, budgets, losses } = ACCOUNT_FACTS;
const BLOCKED = { ...budgets, public: { ...budgets.public, blockedUntilMs: 1 } };
const FEED = { name: 'weather', current: 0, values: 0, ageMs: null, problems: 0, trouble: null };

test('nothing is wrong with a trader that works, nor with one that has ended as it should', () => {
  expect(findConditions(WELL)).toEqual([]);
  expect(findConditions({ ...WELL, hasEnded: true, silentMs: MINUTE, isGuarded: false })).toEqual([]);
});

test.each([
  ['trader_gone', { gone: 'it has ended', silentMs: MINUTE }],
  ['trader_silent', { silentMs: 10_001 }],
  ['guardian_absent', { isGuarded: false }],
  ['disk_low', { diskFreeBytes: 1e9 }],
  ['killed', { account: { ...ACCOUNT, mode: 'killed' } }],
  ['halted', { account: { ...ACCOUNT, mode: 'halted' } }],
  ['ledger_differs', { account: { ...ACCOUNT, disagreement: 'order x' } }],
  ['unknown_orders', { account: { ...ACCOUNT, unknownOrders: 1 } }],
  ['venue_silent', { account: { ...ACCOUNT, silent: true } }],
  ['throttled', { account: { ...ACCOUNT, budgets: BLOCKED } }],
  ['clock_off', { account: { ...ACCOUNT, clockOffsetMs: -2_001 } }],
  ['reconciled_late', { account: { ...ACCOUNT, ...reconciled(-1) } }],
  ['loss', { account: { ...ACCOUNT, losses: { ...losses, dayLossMicros: m(40_500_000) } } }],
  ['feed_silent', { account: { ...ACCOUNT, feeds: [FEED] } }],
  ['backup_failed', { account: { ...ACCOUNT, ...failed(9 * MINUTE) } }],
  ['backup_failed', { ...NO_BACKUP, account: { ...ACCOUNT, ...failed(0) } }],
  ['backup_old', { nowMs: 9 * MINUTE + HOUR + 1, account: { ...ACCOUNT, ...reconciled(HOUR) } }],
  ['backup_old', { ...NO_BACKUP, nowMs: HOUR + 1, account: { ...ACCOUNT, ...reconciled(HOUR), upkeep } }],
  ['journal_ended', { account: { ...ACCOUNT, upkeep: { ...upkeep, journalEnded: 'no space left on device' } } }],
  ['login_refused', { refusedLogins: 3 }],
])('%s is told of, with what helps', (kind, wrong) => {
  expect(findConditions({ ...WELL, ...wrong }).map((one) => one.kind)).toEqual([kind]);
  expect(findNextStep(kind)).not.toBe('');
});

test('no backup is old where none is scheduled, and a restart makes none newer', () => {
  const late = { ...WELL, nowMs: 9 * MINUTE + HOUR + 1, account: { ...ACCOUNT, ...reconciled(HOUR), upkeep } };
  const restarted = { ...late, process: { ...PROCESS, startedMs: HOUR } };
  expect(findConditions({ ...late, backupMs: 0, backupWithinMs: null })).toEqual([]);
  expect(findConditions(restarted)).toMatchObject([{ kind: 'backup_old' }]);
  expect(findConditions({ ...restarted, backupMs: null })).toEqual([]);
});

test.each([
  ['ledger_differs', { account: { ...ACCOUNT, reconciled: null } }, {}],
  ['backup_failed', { backupMs: MINUTE - 1 }, { backupMs: MINUTE }],
  ['backup_failed', NO_BACKUP, {}],
  ['backup_old', NO_BACKUP, { ...NO_BACKUP, backupWithinMs: null }],
])('%s goes on in a new run until its end is proven', (kind, unproven, proven) => {
  const isOpen = (facts: Partial<WatchedFacts>) => isUndecided(kind, MINUTE, { ...WELL, ...facts });
  expect([isOpen(unproven), isOpen(proven)]).toEqual([true, false]);
});

test('only what the trader says shows that its upkeep is in order again, and the page itself that nobody tries', () => {
  const unheard = { ...WELL, account: null };
  const kinds = ['backup_failed', 'backup_old', 'journal_ended', 'login_refused'];
  expect(kinds.filter((kind) => !isUndecided(kind, 0, unheard))).toEqual(['login_refused']);
});

test('notices that a person must look into are told of, and the usual ones are not', () => {
  expect([toldAs('signing_refused', 'loud')?.severity, toldAs('fill', 'info')]).toEqual(['critical', null]);
  expect(toldAs('constructor', 'loud')).toBeNull();
  // Keys that a user presses, and requests that a timer sends every few minutes.
  expect([toldAs('command', 'loud')?.severity, toldAs('command', 'info')]).toEqual(['warning', null]);
  expect(toldAs('configured', 'loud')?.title).toBe('the configuration was changed');
});

test.each([
  ['critical', 'signing_refused signed_elsewhere foreign_order fill_differs settled_trade_failed'],
  ['warning', 'strategy_failed market_failed configured'],
])('as %s, and with the command that helps: %s', (severity, kinds) => {
  for (const kind of kinds.split(' ')) {
    expect(toldAs(kind, 'loud')?.severity, kind).toBe(severity);
    expect(findNextStep(kind), kind).toContain('`twinbook ');
  }
});

test('says since when it holds, where that is known, and what to do next', () => {
  const book = new AlertBook('run');
  const silence = findConditions({ ...WELL, silentMs: 11 * S });
  expect(book.observe(silence, WELL.nowMs).map(({ text }) => text)).toEqual([
    'the trader has sent no message for 11 s, since 00:09:49 UTC\nDo: see `twinbook status`; `twinbook kill` still works',
  ]);
  const late = findConditions({ ...WELL, account: { ...ACCOUNT, ...reconciled(-5 * MINUTE) } });
  expect(book.observe(late, WELL.nowMs)[0]?.text).toContain('since 23:55:00 UTC\nDo: run `twinbook reconcile`');
  const old = findConditions({ ...WELL, nowMs: 24 * HOUR, account: { ...ACCOUNT, ...reconciled(0) } });
  const text = new AlertBook('run').observe(old, 24 * HOUR).find(({ kind }) => kind === 'reconciled_late')?.text;
  expect(text).toContain('since 1970-01-01 00:00:00 UTC');
  expect(book.once('warning', 'strategy_failed', 'a strategy failed', 'it threw', 1_600_000_000_000).text).toBe(
    'it threw\nDo: `twinbook resume --market MARKET` restarts the strategy or the market',
  );
  expect(book.once('info', 'daily_summary', 'the day', 'good', 0).text).toBe('good; at 1970-01-01 00:00:00 UTC');
});
