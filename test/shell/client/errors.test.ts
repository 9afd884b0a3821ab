import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ServiceRefused } from '../../../src/shell/client/contract.js';
import { client, clientFor, credentials, serveEachTest, server } from './fixture.js';
import { answering, refusal } from './hostile-server.js';
import { thrownBy } from './paper.js';

serveEachTest();

const submit = () => client.orders.submit('P', 'ab'.repeat(64));

describe('what a method throws', () => {
  it('names slug, status and fields of a refusal, in the service’s words', async () => {
    const details = [{ amount: 'Ensure this value is a multiple of 1.' }, { price: 'Too low.' }];
    server.answer = answering(400, refusal('invalid_request_params', 'Validation Error', details));
    const error = await thrownBy(client.merges.create({ market_condition_id: 'm', amount: '0.5' }));
    if (!(error instanceof ServiceRefused)) throw new Error('not refused');
    expect(error).toMatchObject({ status: 400, slug: 'invalid_request_params', reason: 'Validation Error', details });
    expect([error.is('invalid_request_params'), error.is('not_found', 'throttled')]).toEqual([true, false]);
    expect(error.message).toBe(
      'merges.create was refused: invalid_request_params: Validation Error | amount: Ensure this value is a multiple of 1. | price: Too low.',
    );
  });

  it('tells what may have happened from what cannot have', async () => {
    server.answer = answering(502, '<html>');
    expect(await thrownBy(submit())).toMatchObject({ name: 'OutcomeUnknown', sent: true, mayHaveHappened: true });
    const read = await thrownBy(client.orders.detail('P'));
    expect(read).toMatchObject({ endpoint: 'orders.detail', sent: true, mayHaveHappened: false });
    const gone = clientFor('http://127.0.0.1:9');
    expect(await thrownBy(gone.orders.submit('P', 'ab'))).toMatchObject({ sent: false, mayHaveHappened: false });
  });

  it('holds no secret, however it is looked at', async () => {
    const answers = [answering(502, '<html>'), answering(401, refusal('authentication_failed')), answering(200, '{}')];
    for (const answer of answers) {
      server.answer = answer;
      const error = await thrownBy(submit());
      expect(error).toBeInstanceOf(Error);
      const shown = `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)} ${String(error)}`;
      for (const secret of [credentials.secret, credentials.apiKey, 'abab', 'axios'])
        expect(shown).not.toContain(secret);
    }
  });
});
