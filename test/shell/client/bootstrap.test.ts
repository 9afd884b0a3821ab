import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { challengeText } from '../../../src/shared/protocol/signing.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { HostileServer } from './fixture.js';
import { answering, envelope, inTurn, profile, refusal } from './hostile-server.js';

const wallet = new Wallet(randomBytes(32));
const challenge = (message: string, nonce = 'n1') =>
  answering(200, envelope({ nonce, message, expires_in_seconds: 600 }));
const honest = challenge(challengeText('SVC', wallet.address, 'n1'));
const created = answering(201, envelope({ api_key: 'key-1', secret: 'canary-secret' }));

let server: HostileServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await HostileServer.start();
  client = new ServiceClient({ profile, baseUrl: server.url, timeoutMs: 2_000 });
});
afterEach(() => client.close());

async function failure(): Promise<TwinbookError> {
  const error: unknown = await client.bootstrap(wallet).catch((thrown: unknown) => thrown);
  if (error instanceof TwinbookError) return error;
  throw new Error(`no TwinbookError but ${String(error)}`);
}

describe('the bootstrap', () => {
  it('asks for a challenge, signs it, and uses the credentials that it creates', async () => {
    server.answer = inTurn(honest, created, answering(200, envelope([])));
    expect(await client.bootstrap(wallet)).toEqual({ apiKey: 'key-1', secret: 'canary-secret' });
    await client.call('keys.list', {});
    expect(server.asked.map(({ url }) => url)).toEqual(['/auth/keys/challenge/', '/auth/keys/create/', '/auth/keys/']);
    expect(JSON.parse(server.asked[1]?.body ?? '')).toMatchObject({ wallet_address: wallet.address, nonce: 'n1' });
    expect(server.asked[2]?.headers['svc-api-key']).toBe('key-1');
  });

  it('signs no challenge that differs from the template', async () => {
    server.answer = inTurn(challenge(challengeText('Worm', wallet.address, 'n1')), created);
    expect(await failure()).toMatchObject({ code: 'venue_refused' });
    expect(server.asked).toHaveLength(1);
  });

  it('says what the venue refused, and what it did not answer', async () => {
    const details = [{ signature: 'Does not verify.' }];
    server.answer = inTurn(honest, answering(400, refusal('invalid_request_params', 'Validation Error', details)));
    const refused = await failure();
    expect(refused.code).toBe('venue_refused');
    expect(refused.message).toContain('signature: Does not verify.');
    server.answer = answering(502, '<html>');
    expect(await failure()).toMatchObject({ code: 'venue_unreachable' });
    server.answer = answering(201, envelope({ api_key: 'key-1', secret: { canary: 'canary-secret' } }));
    expect(JSON.stringify(await failure())).not.toContain('canary');
  });
});
