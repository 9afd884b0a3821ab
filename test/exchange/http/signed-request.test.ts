import { describe, expect, it } from 'vitest';
import { send, TestTrader } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const exchange = await sharedExchange();
const trader = await TestTrader.join(exchange.url);

const PATH = '/paper/signed-request/?q=a%2Cb&x=1';

describe('the control that shows what a signature must be over', () => {
  it('answers the parts and the payload as the exchange computed them, and never a secret', async () => {
    const body = '{"text":"½"}';
    const headers = trader.headersFor('POST', PATH, body);
    const answer = await send(exchange.url, 'POST', PATH, {
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const timestamp = headers['SVC-TIMESTAMP'];
    expect(answer.row).toEqual({
      timestamp,
      method: 'POST',
      path: PATH,
      body,
      payload: `${timestamp}POST${PATH}${body}`,
      signature_matches: true,
      refusal: null,
    });
    expect(JSON.stringify(answer)).not.toContain(trader.secret);
    expect(JSON.stringify(answer.data)).not.toContain(headers['SVC-SIGNATURE']);
  });

  it.each([
    ['another path', () => trader.headersFor('GET', '/paper/signed-request/'), 'Invalid signature'],
    ['an old timestamp', () => trader.headersFor('GET', PATH, '', trader.nowS() - 100), 'Timestamp out of range'],
    ['a stranger’s key', () => ({ ...trader.headersFor('GET', PATH), 'SVC-API-KEY': 'nobody' }), 'Invalid API key'],
    ['nothing', () => ({}), 'not_authenticated'],
  ])('says why it would not believe a request signed over %s', async (_, headers, refusal) => {
    const { status, row } = await send(exchange.url, 'GET', PATH, { headers: headers() });
    expect(status).toBe(200);
    expect(row).toMatchObject({ method: 'GET', path: PATH, body: '', signature_matches: false, refusal });
  });
});
