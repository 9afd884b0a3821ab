/// <reference lib="dom" />
/** The page's own functions, without a browser: how it shows figures and old data, and when it repeats a request. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServedState } from '../../../src/shell/console/page-state.js';
import { deriveKey, deriveSessionKey, PROOF_HEADER, prove } from '../../../src/shell/dashboard/sessions.js';

const SECRET = 'a secret of thirty-two characters';

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

it('shows the state as old while the console does not answer, with the time of the last answer', async () => {
  const { lose, model, route, update } = await import('../../../src/shell/dashboard/page/model.js');
  const { App, documentTitle } = await import('../../../src/shell/dashboard/page/app.js');
  vi.useFakeTimers({ now: new Date(2026, 10, 3, 12, 0, 8), toFake: ['Date'] });
  const now = new Date(2026, 10, 3, 12).getTime();
  const answer = { mode: 'quoting', trader: 'one', answers: true, now, open_orders: null, proven: null, way_back: '' };
  const state = { ...answer, config_hash: '', mode_since: null, heard: null, actions: [] } as unknown as ServedState;
  const before = { ...model };
  const shown = () => {
    const parts = App({ go: () => undefined, logIn: () => undefined }) as unknown as { props: { id: string } }[];
    return [documentTitle(), parts.find(({ props }) => props.id === 'main')?.props];
  };
  expect(lose('Gone.')).toBe('Gone.');
  update({ state, wanted: { ...route(), view: 'log' } });
  expect(shown()).toEqual(['Log · quoting · one · Twinbook', expect.objectContaining({ class: '' })]);
  expect(lose('Gone.')).toBe('Gone. The last answer is from 12:00:00.');
  expect(shown()).toEqual(['Log · no answer · one · Twinbook', expect.objectContaining({ class: 'old' })]);
  update({ state });
  expect(shown()).toEqual(['Log · quoting · one · Twinbook', expect.objectContaining({ class: '' })]);
  update(before);
});

/** A console that knows the page's secret and gives these answers. `sent`: paths of the requests. */
async function playSession(...answers: (readonly [status: number, body: object])[]) {
  const key = await deriveKey(SECRET, { salt: 'salt', rounds: 1 });
  let [greeting, opened] = ['', 0];
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (path: string, how: RequestInit) => {
    if (path === '/session') return Response.json({ open: true });
    if (path === '/session/greeting') {
      greeting = (JSON.parse(String(how.body)) as { nonce: string }).nonce;
      const proof = prove(key, ['server', greeting, `nonce${++opened}`, 'here']);
      return Response.json({ salt: 'salt', rounds: 1, nonce: `nonce${opened}`, proofs: [proof] });
    }
    sent.push(path);
    const [status, body] = answers.shift() ?? [500, {}];
    const count = Number(new Headers(how.headers).get('authorization')?.split(' ')[2]);
    const sessionKey = deriveSessionKey(key, [greeting, `nonce${opened}`, 'here']);
    const proof = prove(sessionKey, ['answer', count, status], JSON.stringify(body));
    return Response.json(body, { status, headers: { [PROOF_HEADER]: proof } });
  });
  const { ask, setSecret } = await import('../../../src/shell/dashboard/page/session.js');
  setSecret(SECRET);
  return { ask, sent };
}

it.each([
  ['a read, is sent again', 'GET', false, [200, 2]],
  ['an action of an unknown session, is sent again', 'POST', true, [200, 2]],
  ['an action that may be performed already, is not sent again', 'POST', false, ['failed', 1]],
] as const)('a request that the console refuses with 401: %s', async (_, method, isUnknown, outcome) => {
  const { ask, sent } = await playSession([401, { isUnknown }], [200, {}]);
  const answer = await ask('/asked', { method }).catch(() => ({ status: 'failed' }));
  expect([answer.status, sent.length]).toEqual(outcome);
});

it('an action is repeated on Enter only if its refusal demands a reason, and within two minutes', async () => {
  const errors = ['the trader did not answer', 'these changes need a reason: all', 'this command needs a reason'];
  const { sent } = await playSession(...errors.map((error) => [409, { error }] as const));
  const why = { value: '', focus: () => sent.push('focus'), setAttribute: () => undefined };
  vi.stubGlobal('HTMLInputElement', Object);
  vi.stubGlobal('document', { getElementById: () => why });
  vi.useFakeTimers({ toFake: ['performance'] });
  const { ActionButton, Controls } = await import('../../../src/shell/dashboard/page/controls.js');
  const { model } = await import('../../../src/shell/dashboard/page/model.js');
  model.role = 'operate';
  const click = () => ActionButton({ name: 'resume', label: '', help: '', role: 'stop' })?.props.onClick();
  const enter = () => JSON.stringify(Controls(), (name, one) => (name === 'onKeyDown' ? one({ key: 'Enter' }) : one));
  for (const act of [click, enter, click, enter, () => vi.advanceTimersByTime(120_000), enter]) {
    act();
    await vi.waitFor(() => expect(model.said.words).not.toContain('…'), 10_000);
  }
  const resume = '/actions/resume?';
  expect(sent).toEqual([resume, resume, 'focus', resume, 'focus']);
});
