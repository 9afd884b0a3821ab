import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  deriveKey,
  deriveSessionKey,
  Guesses,
  isProof,
  MOST_SESSIONS,
  prove,
  Sessions,
} from '../../../src/shell/dashboard/sessions.js';

type Handshake = Parameters<typeof deriveSessionKey>[1];

const SECRET = 'a secret of thirty-two characters';
const VIEW_SECRET = 'another secret of 32 characters..';
const ADDRESS = '127.0.0.1:8788';
const KILL = { method: 'POST', target: '/actions/kill?', body: '{"reason":""}' };

const proveServer = (key: Buffer, handshake: Handshake) => prove(key, ['server', ...handshake]);
const provePage = (key: Buffer, handshake: Handshake) => prove(key, ['page', ...handshake]);

const drawNonce = () => randomBytes(32).toString('hex');

async function place(secret = SECRET) {
  const clock = { nowMs: 0 };
  const guesses = new Guesses(() => clock.nowMs);
  const sessions = await Sessions.make(
    [
      ['operate', secret],
      ['view', VIEW_SECRET],
    ],
    guesses,
    () => clock.nowMs,
  );
  const keys = new Map<string, Buffer>();
  const greet = async (given = secret, address = ADDRESS) => {
    const pageNonce = drawNonce();
    const greeting = sessions.greet(pageNonce, ADDRESS);
    if (greeting === null) throw new Error('that nonce is one');
    const handshake: Handshake = [pageNonce, greeting.nonce, address];
    const key = keys.get(given) ?? (await deriveKey(given, greeting));
    keys.set(given, key);
    return { greeting, handshake, key };
  };
  const open = async (given = secret) => {
    const { handshake, key } = await greet(given);
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('open');
    const sessionKey = deriveSessionKey(key, handshake);
    return (count: number, asked = KILL) =>
      `Twinbook ${handshake[1]} ${count} ${prove(sessionKey, ['request', count, asked.method, asked.target], asked.body)}`;
  };
  return { clock, guesses, sessions, greet, open };
}

describe('a handshake', () => {
  it('proves the server first, and then the page, to the secret alone', async () => {
    const { sessions, greet } = await place();
    const { greeting, handshake, key } = await greet();
    expect(greeting.proofs[0]).toEqual(proveServer(key, handshake));
    expect(greeting.proofs).not.toContain(proveServer(await deriveKey(`${SECRET}r`, greeting), handshake));
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('open');
  });

  it.each<[string, (key: Buffer, handshake: Handshake) => string]>([
    ['a proof of the server, sent back', proveServer],
    ['a proof for another address', (key, [page, server]) => provePage(key, [page, server, 'localhost:8788'])],
    ['a proof for another nonce of the page', (key, [, ...of]) => provePage(key, [drawNonce(), ...of])],
    ['a proof for another server nonce', (key, [page, , address]) => provePage(key, [page, drawNonce(), address])],
    ['the key', (key) => key.toString('hex')],
    ['nothing', () => ''],
  ])('refuses %s, and counts a guess', async (_, forge) => {
    const { sessions, greet, guesses } = await place();
    const { handshake, key } = await greet();
    expect(sessions.open(handshake[1], forge(key, handshake))).toBe('wrong');
    expect(guesses.count).toBe(1);
    // Each nonce is valid for one attempt.
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('wrong');
  });

  it('opens one session, within thirty seconds', async () => {
    const { sessions, greet, clock, guesses } = await place();
    const { handshake, key } = await greet();
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('open');
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('wrong');
    const late = await greet();
    clock.nowMs = 30_001;
    expect(sessions.open(late.handshake[1], provePage(late.key, late.handshake))).toBe('wrong');
    expect(guesses.count).toBe(0);
  });

  it('is remembered with 19,999 others', async () => {
    const { sessions, greet } = await place();
    const [first, second] = [await greet(), await greet()];
    for (let i = 0; i < 19_999; i++) sessions.greet(drawNonce(), ADDRESS);
    const [open, openSecond] = [first, second].map(({ handshake, key }) =>
      sessions.open(handshake[1], provePage(key, handshake)),
    );
    expect([open, openSecond]).toEqual(['wrong', 'open']);
  });

  it('is not even tried for a minute after ten wrong proofs, while open sessions go on', async () => {
    const { sessions, greet, open, clock } = await place('short one');
    const proven = await open();
    for (let i = 0; i < 10; i++)
      expect(sessions.open(sessions.greet(drawNonce(), ADDRESS)?.nonce ?? '', drawNonce())).toBe('wrong');
    const { handshake, key } = await greet();
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('too many guesses');
    expect(sessions.admit(proven(1), KILL)?.session.role).toBe('operate');
    // A random secret cannot be guessed, so this lock does not hold for it.
    await open(VIEW_SECRET);
    clock.nowMs = 60_000;
    const later = await greet();
    expect(sessions.open(later.handshake[1], provePage(later.key, later.handshake))).toBe('open');
  });

  it('takes a nonce of 32 bytes and nothing else', async () => {
    const { sessions } = await place();
    const nonce = drawNonce();
    for (const odd of ['', 'a', nonce.slice(1), `${nonce}0`, nonce.toUpperCase().replace(/\d/g, 'A')])
      expect(sessions.greet(odd, ADDRESS)).toBeNull();
  });

  it('slows down guesses of a short password, and not of a drawn token', async () => {
    const roundsOf = async (secret: string) =>
      (await Sessions.make([['operate', secret]], new Guesses())).greet(drawNonce(), ADDRESS)?.rounds;
    expect([await roundsOf('short one'), await roundsOf(SECRET)]).toEqual([600_000, 1]);
  });
});

describe('a session', () => {
  it('admits a request that it proves, once', async () => {
    const { sessions, open } = await place();
    const proven = await open();
    expect(sessions.admit(proven(2), KILL)).toMatchObject({ count: 2, session: { role: 'operate' } });
    expect(sessions.admit(proven(2), KILL)).toBeNull();
    // A request that a later one overtook.
    expect(sessions.admit(proven(1), KILL)).toBeTruthy();
    expect(sessions.admit(proven(1), KILL)).toBeNull();
    expect(sessions.admit(proven(100), KILL)).toBeTruthy();
    expect(sessions.admit(proven(36), KILL)).toBeNull();
    expect(sessions.admit(proven(37), KILL)).toBeTruthy();
  });

  it('admits no other request with the same proof', async () => {
    const { sessions, open, guesses } = await place();
    const proven = await open();
    for (const other of [{ method: 'GET' }, { target: '/actions/unkill?' }, { body: '{"reason":"x"}' }])
      expect(sessions.admit(proven(1), { ...KILL, ...other })).toBeNull();
    expect(sessions.admit(proven(1).replace(' 1 ', ' 2 '), KILL)).toBeNull();
    expect(guesses.count).toBe(4);
    for (const odd of [undefined, '', 'Twinbook', `Bearer ${SECRET}`, proven(1).replace('Twinbook', 'Bearer')])
      expect(sessions.admit(odd, KILL)).toBeUndefined();
    expect(sessions.admit(proven(1), KILL)).toBeTruthy();
  });

  it('is unknown to the next console, which has other keys of the same secret', async () => {
    const [first, next] = [await place(), await place()];
    expect([next.sessions.admit((await first.open())(1), KILL), next.guesses.count]).toEqual([undefined, 0]);
    const [a, b] = [await first.greet(), await next.greet()];
    expect(a.key.equals(b.key)).toBe(false);
    expect(isProof(provePage(a.key, b.handshake), provePage(b.key, b.handshake))).toBe(false);
  });

  it('ends when as many others of its role were used since', async () => {
    const { sessions, open } = await place();
    const view = await open(VIEW_SECRET);
    const all: Awaited<ReturnType<typeof open>>[] = [];
    for (let i = 0; i < MOST_SESSIONS; i++) all.push(await open());
    expect(sessions.admit(all[0]?.(1), KILL)).toBeTruthy();
    await open();
    expect(sessions.admit(all[0]?.(2), KILL)).toBeTruthy();
    expect(sessions.admit(all[1]?.(1), KILL)).toBeUndefined();
    // Sessions of another role do not count.
    expect(sessions.admit(view(1), KILL)?.session.role).toBe('view');
  });
});
