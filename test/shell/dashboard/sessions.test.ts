import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  deriveKey,
  deriveSessionKey,
  Guesses,
  type Handshake,
  isProof,
  MOST_SESSIONS,
  prove,
  Sessions,
} from '../../../src/shell/dashboard/sessions.js';

const SECRET = 'a secret of thirty-two characters';
const ADDRESS = '127.0.0.1:8788';
const KILL = { method: 'POST', target: '/actions/kill?', body: '{"reason":""}' };

const proveServer = (key: Buffer, handshake: Handshake) => prove(key, ['server', ...handshake]);
const provePage = (key: Buffer, handshake: Handshake) => prove(key, ['page', ...handshake]);

const drawNonce = () => randomBytes(32).toString('hex');

async function place() {
  const clock = { nowMs: 0 };
  const guesses = new Guesses(() => clock.nowMs);
  const sessions = await Sessions.make([['operate', SECRET]], guesses, () => clock.nowMs);
  const greet = async (secret = SECRET, address = ADDRESS) => {
    const pageNonce = drawNonce();
    const greeting = sessions.greet(pageNonce, ADDRESS);
    if (greeting === null) throw new Error('that nonce is one');
    const handshake: Handshake = [pageNonce, greeting.nonce, address];
    return { greeting, handshake, key: await deriveKey(secret, greeting) };
  };
  const open = async () => {
    const { handshake, key } = await greet();
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
    expect(greeting.proofs).toEqual([proveServer(key, handshake)]);
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

  it('is remembered with 63 others', async () => {
    const { sessions, greet } = await place();
    const all: Awaited<ReturnType<typeof greet>>[] = [];
    for (let i = 0; i < 65; i++) all.push(await greet());
    const open = (i: number) => {
      const one = all[i];
      return one && sessions.open(one.handshake[1], provePage(one.key, one.handshake));
    };
    expect([open(0), open(1), open(64)]).toEqual(['wrong', 'open', 'open']);
  });

  it('is not even tried for a minute after ten wrong proofs, while open sessions go on', async () => {
    const { sessions, greet, open, clock } = await place();
    const proven = await open();
    for (let i = 0; i < 10; i++) {
      const { handshake } = await greet();
      expect(sessions.open(handshake[1], drawNonce())).toBe('wrong');
    }
    const { handshake, key } = await greet();
    expect(sessions.open(handshake[1], provePage(key, handshake))).toBe('too many guesses');
    expect(sessions.admit(proven(1), KILL)?.session.role).toBe('operate');
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
    expect(sessions.admit(proven(1), KILL)).not.toBeNull();
    expect(sessions.admit(proven(1), KILL)).toBeNull();
    expect(sessions.admit(proven(100), KILL)).not.toBeNull();
    expect(sessions.admit(proven(36), KILL)).toBeNull();
    expect(sessions.admit(proven(37), KILL)).not.toBeNull();
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
    expect(sessions.admit(proven(1), KILL)).not.toBeNull();
  });

  it('is unknown to the next console, which has other keys of the same secret', async () => {
    const [first, next] = [await place(), await place()];
    const proven = await first.open();
    expect([next.sessions.admit(proven(1), KILL), next.guesses.count]).toEqual([undefined, 0]);
    const [a, b] = [await first.greet(), await next.greet()];
    expect(a.key.equals(b.key)).toBe(false);
    expect(isProof(provePage(a.key, b.handshake), provePage(b.key, b.handshake))).toBe(false);
  });

  it('ends when as many others were used since', async () => {
    const { sessions, open } = await place();
    const all: Awaited<ReturnType<typeof open>>[] = [];
    for (let i = 0; i < MOST_SESSIONS; i++) all.push(await open());
    expect(sessions.admit(all[0]?.(1), KILL)).not.toBeNull();
    await open();
    expect(sessions.admit(all[0]?.(2), KILL)).not.toBeNull();
    expect(sessions.admit(all[1]?.(1), KILL)).toBeUndefined();
  });
});
