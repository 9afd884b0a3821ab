/** A live start rehearsed at a venue that differs from its profile. */

import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import {
  MEMO_PROGRAM,
  memoText,
  readTransaction,
  writeMemoTransaction,
} from '../../../src/shared/protocol/drafts/solana-message.js';
import { READONLY_SIGNER, transactionHex } from '../../shell/wallet/shapes.js';
import type { Passing, Reply } from '../../support/altering-proxy.js';
import { times } from '../../support/effort.js';
import { resolvable } from '../../support/resolvable.js';
import { COSIGNER, LIVE, type Venue, venue } from './venue.js';

const STRANGER = base58.encode(new Uint8Array(32).fill(9));

type IsCall = (asked: Passing) => boolean;
const posting =
  (pattern: RegExp): IsCall =>
  ({ method, path }) =>
    method === 'POST' && pattern.test(path);
const isDraft = posting(/^\/orders\/$/);
const isCancelDraft = posting(/^\/orders\/\w+\/cancel\/$/);
const isSubmit = posting(/^\/orders\/\w+\/submit\/$/);
const isCancelSubmit = posting(/^\/orders\/\w+\/cancel\/submit\/$/);

/** The draft with another transaction, which has the same memo or is made of the original. */
function redrafted(body: string, make: (text: string, blockhash: string, wallet: string) => string): string {
  const answer = JSON.parse(body) as { data: { pubkey: string; message: string } };
  const read = readTransaction(answer.data.message);
  if (!read.ok) throw new Error(read.problem);
  const wallet = must(
    read.transaction.signers.find((signer) => signer !== COSIGNER),
    'our wallet',
  );
  const message = make(must(memoText(read.transaction), 'memo'), answer.data.pubkey, wallet);
  return JSON.stringify({ ...answer, data: { ...answer.data, message } });
}

/** A stranger must sign, too. */
const cosigned = (body: string) =>
  redrafted(body, (text, blockhash, wallet) => {
    const cosigners = { keys: [COSIGNER, STRANGER], fee_payer: COSIGNER };
    return writeMemoTransaction({ wallet, text, blockhash, version: 0, cosigners });
  });

const withProgram = (body: string) =>
  redrafted(body, (text, blockhash, wallet) => {
    // The package that reads the base58 address checks it.
    const ours = { address: wallet as never, role: READONLY_SIGNER };
    const instructions = [
      { program: MEMO_PROGRAM, text, accounts: [ours] },
      { program: STRANGER, text: 'call' },
    ];
    return transactionHex({ payer: COSIGNER, blockhash, instructions });
  });

/** Replaces the first call only; later calls are honest. */
function once<A extends readonly unknown[], R>(
  applies: (...args: A) => boolean,
  change: (...args: A) => R,
  honest: (...args: A) => R,
) {
  let isDone = false;
  return (...args: A): R => {
    if (isDone || !applies(...args)) return honest(...args);
    isDone = true;
    return change(...args);
  };
}

const failing = (reply: Reply, status: number): Partial<Reply> => {
  const error = { code: -3, slug: 'internal_error', message: 'An internal error occurred.', details: [] };
  return { status, headers: reply.headers, body: JSON.stringify({ data: null, meta: null, error }) };
};
const HTML = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>Forbidden</html>' };

/** Assertions that must hold for any behavior of the venue. */
async function stopsAt(
  { rehearse, orders }: Venue,
  step: string,
  { code = 6, said, signed = false }: { code?: number; said: readonly string[]; signed?: boolean },
) {
  const ended = await rehearse(LIVE);
  const { steps } = ended;
  expect(steps.filter(({ where }) => where === 'paper').every(({ result }) => result === 'ok')).toBe(true);
  const isBad = steps.find(({ result }) => result !== 'ok');
  const bad = must(isBad, `a step that does not go well: ${JSON.stringify(steps)}`);
  expect({ code: ended.code, step: bad.step, where: bad.where }).toEqual({ code, step, where: 'live' });
  const told = [bad.text, bad.profile ?? '', bad.came ?? ''].join('\n');
  for (const text of said) expect(told).toContain(text);
  expect(bad.todo).not.toBe('');
  if (signed) expect(steps.at(-1)).toMatchObject({ step: 'taken back', result: 'ok' });
  else expect(steps.at(-1)).toBe(bad);
  expect((await orders()).resting).toBe(0);
  return steps;
}

describe('a venue that differs from its profile', () => {
  test.each([
    ['wants one more signer', cosigned, ['requires 3 signers', STRANGER, `signers `], [MEMO_PROGRAM]],
    ['calls another program', withProgram, [`the program ${STRANGER}`, 'programs Memo'], [MEMO_PROGRAM, STRANGER]],
  ])('%s: nothing is signed, and the draft is reported', async (_, change, said, programs) => {
    const there = await venue();
    there.proxy.answer = (body, asked) => (isDraft(asked) ? change(body) : body);
    const steps = await stopsAt(there, 'draft', { said });
    expect(there.asked.filter((line) => line.includes('/submit/'))).toEqual([]);
    const read = readTransaction(steps.at(-1)?.draft ?? '');
    expect(read.ok && read.transaction.instructions.map(({ program }) => program)).toEqual(programs);
  });

  test('wants one more signer for a cancel: the next draft takes the order back', async () => {
    const there = await venue();
    const isCancel = (_: string, asked: Passing) => isCancelDraft(asked);
    there.proxy.answer = once(isCancel, cosigned, (body: string) => body);
    await stopsAt(there, 'canceled', { said: [STRANGER], signed: true });
  });

  test('charges another fee', async () => {
    const there = await venue();
    there.proxy.answer = (body) => body.replace(/"taker_fee_rate":"0.01"/g, '"taker_fee_rate":"0.05"');
    await stopsAt(there, 'market', { said: ['fee_rates: maker 0, taker 0.01', 'maker 0, taker 0.05'] });
  });

  test('has another clock', async () => {
    const there = await venue();
    const ahead = new Date(Date.now() + 3_600_000).toUTCString();
    there.proxy.reply = ({ headers }) => ({ headers: { ...headers, date: ahead } });
    await stopsAt(there, 'clock', { said: ['clock_tolerance_s: 30', 'behind the venue'] });
  });

  test.each([
    ['public', '/markets/', 'public_per_minute: 120'],
    ['signed', '/orders/', 'signed_per_minute: 300'],
  ])('allows fewer %s requests', async (_, path, due) => {
    const there = await venue();
    there.proxy.reply = ({ headers }, asked) =>
      asked.path.startsWith(path)
        ? { headers: { ...headers, 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '49' } }
        : {};
    await stopsAt(there, 'rate limits and headers', { said: [due, 'X-RateLimit-Limit: 50'] });
  });

  test('lets drafts live for a shorter time', async () =>
    stopsAt(await venue('', 20), 'draft', { said: ['draft_lifetime_s: 60'] }));

  test('answers everything by the page of a proxy', async () => {
    const there = await venue();
    there.proxy.reply = () => HTML;
    const { code, steps } = await there.rehearse(LIVE);
    expect(code).toBe(6);
    expect(steps.at(-1)).toMatchObject({ step: 'clock', came: 'HTTP 403: the body is not JSON' });
    expect(await there.orders()).toEqual({ all: 0, resting: 0 });
  });
});

describe('a venue whose answer to a submit is not what it did', () => {
  type Changed = (reply: Reply, asked: Passing) => Partial<Reply> | null;
  const answers: readonly (readonly [string, Changed, number, string])[] = [
    ['an internal error', (reply) => failing(reply, 500), 6, 'HTTP 500 internal_error'],
    ['a refusal', (reply) => failing(reply, 400), 6, 'internal_error: An internal error occurred.'],
    ['the page of a proxy', () => HTML, 6, 'HTTP 403: the body is not JSON'],
    ['silence', () => null, 5, 'the answer was lost'],
  ];

  /** The first of these calls is answered so, after the exchange has done it. */
  const answerOnce = (there: Venue, isCall: IsCall, change: Changed) => {
    there.proxy.reply = once(
      (_reply, asked: Passing) => isCall(asked),
      change,
      (): Partial<Reply> => ({}),
    );
  };

  test.each(answers)('%s in place of the order: it is found and taken back', async (_, change, code, said) => {
    const there = await venue();
    answerOnce(there, isSubmit, change);
    await stopsAt(there, 'submitted', { code, said: [said, 'the order rests nevertheless'], signed: true });
    expect((await there.orders()).all).toBe(1);
  });

  const some = times(answers.slice(2), answers);
  test.each(some)('%s in place of the canceled order: it is gone', async (_, change, code, said) => {
    const there = await venue();
    answerOnce(there, isCancelSubmit, change);
    await stopsAt(there, 'canceled', { code, said: [said, 'the order is gone nevertheless'], signed: true });
  });
});

test.each([
  ['while the draft is asked for', isDraft, false],
  ['while the order is submitted', isSubmit, true],
  ['while the cancel is drafted', isCancelDraft, true],
])('Ctrl-C %s leaves nothing', async (_, isThen, signed) => {
  const there = await venue();
  const [stopAsked, stop] = resolvable();
  there.proxy.answer = (body, asked) => {
    if (isThen(asked)) stop();
    return body;
  };
  const { code, steps } = await there.rehearse(LIVE, stopAsked);
  expect(code).toBe(1);
  expect(steps.find(({ result }) => result !== 'ok')).toMatchObject({ where: 'live', text: 'stopped by you' });
  if (signed) expect(steps.at(-1)).toMatchObject({ step: 'taken back', result: 'ok' });
  expect((await there.orders()).resting).toBe(0);
});
