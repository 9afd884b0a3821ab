import { describe, expect, it } from 'vitest';
import { bytesAnswered, openMarket, send, TestTrader } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

/** Answers to the end of a connection and to meaningless headers: found by `npm run fuzz`. */

const exchange = await sharedExchange();
const trader = await TestTrader.join(exchange.url);
const market = await openMarket(exchange.url);

const heard = (bytes: string): Promise<string> => bytesAnswered(exchange.port, bytes);

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

const signed = (method: string, path: string, body = ''): string => {
  const headers = { ...trader.headersFor(method, path, body), Host: 'x', 'Content-Length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines, 'Content-Type: application/json'].join('\r\n')}\r\n\r\n${body}`;
};

describe('bytes that are no request', () => {
  it('are refused after what came whole before them was answered', async () => {
    const split = JSON.stringify({ market_condition_id: market, amount: '1' });
    const bytes = `${signed('POST', '/share-splits/', split)}${signed('GET', '/account/')}nonsense\r\n\r\n`;
    const text = await heard(bytes);
    expect(statuses(text)).toEqual([201, 200, 400]);
    expect(text.indexOf('username')).toBeLessThan(text.indexOf('is not complete HTTP'));
  });

  it('are refused at once where they are the body of what came before', async () => {
    const head = 'POST /share-splits/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const text = await heard(`${head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n`);
    expect(statuses(text)).toEqual([400]);
  });

  it('that want a tunnel are told which methods there are', async () => {
    const text = await heard('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statuses(text)).toEqual([405]);
    expect(text).toContain('\r\nallow: GET, POST, DELETE\r\n');
  });
});

describe('a call without a body', () => {
  it.each(['/', 'nonsense', 'text/plain', ';'])(
    'takes the media type %s for what it is about: nothing',
    async (type) => {
      const path = '/margin/positions/unknown/settlements/';
      const answer = await send(exchange.url, 'POST', path, {
        headers: { ...trader.headersFor('POST', path), 'content-type': type },
      });
      expect(answer).toMatchObject({ status: 404, slug: 'not_found' });
    },
  );

  it('refuses a body that is too large, as the document says', async () => {
    const path = '/margin/positions/unknown/settlements/';
    const body = 'x'.repeat(70_000);
    const answer = await send(exchange.url, 'POST', path, { body, headers: trader.headersFor('POST', path, body) });
    expect(answer).toMatchObject({ status: 413, slug: 'request_too_large' });
  });
});
