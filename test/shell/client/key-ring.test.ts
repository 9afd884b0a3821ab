/** Several API keys of one wallet as one budget of signed requests, before the paper exchange. */

import { describe, expect, it } from 'vitest';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import { acceptedCredentials } from '../../../src/shell/client/accepted-credentials.js';
import { createCredentials } from '../../../src/shell/client/bootstrap.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { ClientNotice } from '../../../src/shell/client/contract.js';
import type { Credentials } from '../../../src/shell/wallet/credentials.js';
import { profile } from './hostile-server.js';
import { LossyNetwork, type Paper, startPaper } from './paper.js';

const A_KEY = 6;
const counted = (signed_limit_per: 'key' | 'wallet'): VenueProfile => ({
  ...profile,
  signed_limit_per,
  rate_limits: { ...profile.rate_limits, signed_per_minute: A_KEY },
});

interface Keys {
  readonly paper: Paper;
  readonly keys: readonly Credentials[];
  readonly client: ServiceClient;
  readonly network: LossyNetwork;
  readonly notices: ClientNotice[];
  /** Key ids of what was sent, in its order. */
  readonly signedBy: string[];
}

/** A client with so many keys, and an exchange that counts as it does. */
async function withKeys(
  count: number,
  by: 'key' | 'wallet',
  { believed = by }: { readonly believed?: 'key' | 'wallet' } = {},
): Promise<Keys> {
  const paper = await startPaper({ profile: counted(by), rateLimits: true, signedLimitPer: by });
  const keys: Credentials[] = [];
  for (let n = 0; n < count; n++) keys.push(await createCredentials(paper.client, paper.wallet, 'SVC'));
  const [network, notices, signedBy] = [new LossyNetwork(), [] as ClientNotice[], [] as string[]];
  const send = network.send.bind(network);
  network.send = (message, headers, timeoutMs) => {
    const key = headers['SVC-API-KEY'];
    if (typeof key === 'string') signedBy.push(key);
    return send(message, headers, timeoutMs);
  };
  const client = new ServiceClient(
    {
      profile: counted(believed),
      baseUrl: paper.exchange.url,
      credentials: keys,
      onNotice: (notice) => notices.push(notice),
    },
    network,
  );
  return { paper, keys, client, network, notices, signedBy };
}

const read = (client: ServiceClient, withinMs = 1_000) =>
  client.call('account.detail', {}, { latestMs: Date.now() + withinMs });
const perform = (client: ServiceClient, id: number) =>
  client.perform({
    id,
    lane: 'own',
    latestMs: Date.now() + 1_000,
    call: { endpoint: 'account.detail', params: undefined, query: {}, body: undefined },
  });
const countOf = (signedBy: readonly string[], { apiKey }: Credentials) =>
  signedBy.filter((key) => key === apiKey).length;

describe('keys that the venue counts by themselves', () => {
  it('are one budget: each request goes by the key with most room, and none is refused', async () => {
    const { client, keys, signedBy, notices } = await withKeys(3, 'key');
    const outcomes = [];
    for (let n = 0; n < 3 * A_KEY; n++) outcomes.push((await read(client)).outcome.kind);
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
    for (const key of keys) expect(countOf(signedBy, key)).toBe(A_KEY);
    expect(notices).toEqual([]);
    // All rooms are used up: the next one waits for its turn.
    expect((await client.call('account.detail', {}, { latestMs: Date.now() + 5 })).outcome).toMatchObject({
      sent: false,
    });
    await client.close();
  });

  it('are told to the core as one budget', async () => {
    const { client } = await withKeys(3, 'key');
    expect((await perform(client, 1)).budget).toMatchObject({ scope: 'signed', limit: 18, remaining: 17 });
    expect((await perform(client, 2)).budget).toMatchObject({ scope: 'signed', limit: 18, remaining: 16 });
    // Who asks for himself hears of the key that was used.
    expect((await read(client)).budget).toMatchObject({ limit: 6, remaining: 5 });
    await client.close();
  });

  it('go on when one is revoked: it is put aside, told once, and its room with it', async () => {
    const { client, keys, notices, signedBy } = await withKeys(3, 'key');
    const [first, second] = keys as [Credentials, Credentials];
    const revoke = await client.call('keys.revoke', { params: { key_id: second.apiKey } }, { apiKey: first.apiKey });
    expect(revoke.outcome.kind).toBe('answered');
    const draws = [];
    // There is room for all: they wait for nothing but the machine.
    for (let n = 0; n < 8; n++) draws.push(read(client, 60_000));
    expect((await Promise.all(draws)).map(({ outcome }) => outcome.kind)).toEqual(draws.map(() => 'answered'));
    expect(notices).toEqual([
      { kind: 'key_refused', apiKey: second.apiKey, why: '401 authentication_failed: Invalid API key', live: 2 },
    ]);
    expect(client.keyCount).toEqual({ known: 3, live: 2 });
    expect((await perform(client, 1)).budget).toMatchObject({ limit: 2 * A_KEY });
    const before = countOf(signedBy, second);
    await read(client);
    expect(countOf(signedBy, second)).toBe(before);
    await client.close();
  });

  it('answer as a single one when all are refused', async () => {
    const { client, keys, notices } = await withKeys(2, 'key');
    for (const { apiKey } of [...keys].reverse())
      await client.call('keys.revoke', { params: { key_id: apiKey } }, { apiKey: keys[0]?.apiKey ?? '' });
    for (let n = 0; n < 2; n++)
      expect((await read(client)).outcome).toMatchObject({
        kind: 'refused',
        status: 401,
        slug: 'authentication_failed',
      });
    expect(notices).toEqual([]);
    expect(client.keyCount.live).toBe(2);
    await client.close();
  });

  it('are not put aside for what no key may do', async () => {
    const { client, network, notices, signedBy } = await withKeys(2, 'key');
    const error = { code: -14, slug: 'permission_denied', message: 'no', details: [] };
    network.answered = (_, attempt) =>
      attempt.kind === 'answer'
        ? { ...attempt, status: 403, text: JSON.stringify({ data: null, meta: null, error }) }
        : attempt;
    expect((await read(client)).outcome).toMatchObject({ kind: 'refused', status: 403 });
    expect(new Set(signedBy).size).toBe(2);
    expect([client.keyCount.live, notices]).toEqual([2, []]);
    await client.close();
  });

  it('that are counted by wallet after all are paced by what the venue says is left', async () => {
    const { client, notices } = await withKeys(3, 'wallet', { believed: 'key' });
    const outcomes = await Promise.all(Array.from({ length: 3 * A_KEY }, () => read(client)));
    const throttled = outcomes.filter(({ outcome }) => outcome.kind === 'refused').length;
    expect(outcomes.filter(({ outcome }) => outcome.kind === 'answered')).toHaveLength(A_KEY);
    // Once each key has heard of it.
    expect(throttled).toBeLessThan(2 * A_KEY);
    expect(notices.every(({ kind }) => kind === 'throttled')).toBe(true);
    await client.close();
  });
});

describe('keys of a wallet that is counted as one', () => {
  it('are in reserve: the first signs, and the next when it is refused', async () => {
    const { client, keys, signedBy } = await withKeys(2, 'wallet');
    const [first, second] = keys as [Credentials, Credentials];
    for (let n = 0; n < 2; n++) await read(client);
    expect(countOf(signedBy, first)).toBe(2);
    expect((await perform(client, 1)).budget).toMatchObject({ limit: A_KEY, remaining: A_KEY - 3 });
    await client.call('keys.revoke', { params: { key_id: first.apiKey } }, { apiKey: second.apiKey });
    expect((await read(client)).outcome.kind).toBe('answered');
    expect(client.keyCount).toEqual({ known: 2, live: 1 });
    await client.close();
  });
});

describe('the keys that a start finds', () => {
  const start = async (keys: Keys, wanted: number, isPaper: boolean) => {
    const kept: (readonly Credentials[])[] = [];
    const keep = (all: readonly Credentials[]) => kept.push(all);
    const asked = { stored: keys.keys, wanted, mayReplace: isPaper, mayMake: isPaper, keep };
    return { ...(await acceptedCredentials(keys.client, keys.paper.wallet, asked)), kept };
  };

  it('are made where they are missing on paper, each stored as it is made', async () => {
    const given = await withKeys(1, 'key');
    const { keys, missing, kept } = await start(given, 3, true);
    expect(missing).toEqual([]);
    expect(kept).toHaveLength(2);
    expect(kept.at(-1)).toEqual(keys);
    expect(keys[0]).toEqual(given.keys[0]);
    expect(given.client.keyCount).toEqual({ known: 3, live: 3 });
    await given.client.close();
  });

  it('are enough where one is there and no more can be made now', async () => {
    const given = await withKeys(1, 'key');
    given.network.fateOf = ({ url }) => (url.pathname.includes('challenge') ? 'never leaves' : 'arrives');
    const { keys, missing } = await start(given, 2, true);
    expect(keys).toEqual(given.keys);
    expect(missing).toEqual([expect.stringMatching(/^an API key could not be made: /)]);
    expect((await read(given.client)).outcome.kind).toBe('answered');
    await given.client.close();
  });

  it('are told of where they are missing elsewhere, and those that are refused stay stored', async () => {
    const given = await withKeys(2, 'key');
    const [first, second] = given.keys as [Credentials, Credentials];
    await given.client.call('keys.revoke', { params: { key_id: first.apiKey } }, { apiKey: second.apiKey });
    const { keys, missing, kept } = await start(given, 3, false);
    expect(keys).toEqual([second]);
    expect(missing).toEqual([
      `the exchange refuses the API key ${first.apiKey}: Invalid API key`,
      '1 of 3 API keys are not there: `twinbook keys bootstrap --add` makes one',
    ]);
    expect(kept).toEqual([]);
    await expect(start(given, 1, false)).rejects.toThrow('the exchange refuses our credentials: Invalid API key');
    await given.client.close();
  });
});
