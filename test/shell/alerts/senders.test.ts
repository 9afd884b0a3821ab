/** Each kind of channel against a local server that accepts messages, rejects them, is slow, or returns nonsense. */

import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { AlertCenter, type AlertMessage, type Delivery } from '../../../src/shell/alerts/alert-center.js';
import { openSender } from '../../../src/shell/alerts/senders.js';
import type { ChannelConfig } from '../../../src/shell/config/config.js';
import { secrets } from '../../../src/shell/wallet/secrets.js';
import { newFolder } from '../../support/folders.js';
import { listening, listeningWeb } from '../../support/listening.js';
import { ACCOUNT_FACTS, FACTS } from './facts.js';

const MESSAGE: AlertMessage = {
  id: 'm.1',
  timeMs: 5_000,
  severity: 'critical',
  kind: 'ledger_differs',
  state: 'open',
  title: 'ledger and exchange differ',
  text: 'order x of "Will \u202eit?"\u0007',
};

async function server(answer: (response: ServerResponse) => void) {
  const heard: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const { url } = await listeningWeb(async (request, response) => {
    heard.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    answer(response);
  });
  return { heard, url };
}

const take = (response: ServerResponse) => void response.writeHead(200).end('ok');

function secretFile(secret: string): string {
  const file = join(newFolder(), 'address');
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return file;
}

const channel = (kind: ChannelConfig['kind'], address: string, more: Partial<ChannelConfig> = {}): ChannelConfig => ({
  name: 'one',
  kind,
  addressFile: secretFile(address),
  to: null,
  from: null,
  min: 'warning',
  summary: true,
  detail: 'full',
  commands: [],
  users: [],
  ...more,
});

const sent = (config: ChannelConfig, message = MESSAGE) => openSender(config, 'paper')(message);

const SUBJECT = '[critical] paper: ledger and exchange differ';
const TEXT = `${SUBJECT}\norder x of "Will ?it?"?`;

describe('a channel', () => {
  test.each([
    ['slack', {}, '/hook', { text: TEXT }],
    ['discord', {}, '/hook', { content: TEXT, allowed_mentions: { parse: [] } }],
    ['telegram', { to: '123' }, '/hook/sendMessage', { chat_id: '123', text: TEXT }],
  ] as const)('of kind %s carries a message as its service wants it', async (kind, more, path, body) => {
    const { heard, url } = await server(take);
    expect(await sent(channel(kind, `${url}/hook`, more))).toEqual({ kind: 'delivered' });
    expect(heard.map((one) => [one.path, JSON.parse(one.body)])).toEqual([[path, body]]);
  });

  const MARKED = 'spread < 3c & fair > bid <!channel> <https://example.com|words> [a](b)';

  test.each([
    ['slack', 'spread &lt; 3c &amp; fair &gt; bid &lt;!channel&gt; &lt;https://example.com|words&gt; [a](b)'],
    ['discord', MARKED.replace('](', ']:')],
    ['telegram', MARKED],
    ['ntfy', MARKED],
    ['webhook', MARKED],
  ] as const)('of kind %s gets marks of a text as its service wants them', async (kind, body) => {
    const { heard, url } = await server(take);
    await sent(channel(kind, `${url}/hook`, { to: '123' }), { ...MESSAGE, text: MARKED });
    const said = heard[0]?.body ?? '';
    const parts: unknown[] = kind === 'ntfy' ? [said] : Object.values(JSON.parse(said));
    expect(parts.map(String).some((part) => part.endsWith(body))).toBe(true);
  });

  test('of kind ntfy has the subject in its headers, of kind webhook all that is known of a message', async () => {
    const { heard, url } = await server(take);
    await sent(channel('ntfy', `${url}/topic`));
    expect(heard[0]).toMatchObject({ body: 'order x of "Will ?it?"?', headers: { title: SUBJECT, priority: '5' } });
    await sent(channel('webhook', url));
    const message = { id: 'm.1', time: 5_000, trader: 'paper', severity: 'critical', state: 'open' };
    expect(JSON.parse(heard[1]?.body ?? '')).toMatchObject(message);
  });

  test.each(['ntfy', 'webhook'] as const)('of kind %s gets a long text cut, with its next step', async (kind) => {
    const { heard, url } = await server(take);
    await sent(channel(kind, url), { ...MESSAGE, text: `${'€'.repeat(8_000)}\nDo: run \`twinbook kill\`` });
    const body = heard[0]?.body ?? '';
    expect(body).toMatch(/€(\n|\\n)Do: run `twinbook kill`("}|)$/);
    expect(Buffer.byteLength(body)).toBeLessThan({ ntfy: 4_096, webhook: 10_200 }[kind]);
  });

  test('of kind mail speaks SMTP, and says when the server refuses', async () => {
    const mail: string[] = [];
    const answers = { rcpt: '250 ok' };
    const smtp = createServer((socket: Socket) => {
      let inData = false;
      socket.on('error', () => undefined).write('220 here\r\n');
      socket.on('data', (chunk) => {
        for (const line of String(chunk).split('\r\n').slice(0, -1)) {
          mail.push(line);
          if (inData && line !== '.') continue;
          if (line === 'DATA') inData = true;
          else if (line === '.') inData = false;
          socket.write(`${line === 'DATA' ? '354 go' : line.startsWith('RCPT') ? answers.rcpt : '250 ok'}\r\n`);
        }
      });
    });
    const address = `smtp://${(await listening(smtp)).host}`;
    const config = channel('mail', address, { from: 'twinbook@example.org', to: 'me@example.org' });
    expect(await sent(config)).toEqual({ kind: 'delivered' });
    expect(mail).toContain(`Subject: ${SUBJECT}`);
    expect(mail).toContain('RCPT TO:<me@example.org>');
    answers.rcpt = '550 nobody here';
    expect(await sent(config)).toEqual({ kind: 'refused', why: 'the mail server answered 550' });
  });

  const says =
    (status: number, headers = {}, body = '') =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(body);

  const refused = (why: string): Delivery => ({ kind: 'refused', why });
  const failed = (why: string, afterMs: number | null = null): Delivery => ({ kind: 'failed', why, afterMs });

  test.each<readonly [string, (response: ServerResponse) => void, Delivery]>([
    ['400 is never tried again', says(400), { kind: 'rejected', why: 'it answered 400' }],
    ['404 is a refusal', says(404), refused('it answered 404')],
    ['a redirect is not followed', says(302, { location: 'http://127.0.0.1:1/' }), refused('it answered 302')],
    ['500 is tried again', says(500, {}, 'x'.repeat(100_000)), failed('it answered 500')],
    ['429 says when', says(429, { 'retry-after': '7' }), failed('it answered 429', 7_000)],
    ['a cut connection is tried again', (response) => void response.destroy(), failed(expect.any(String))],
    ['garbage after a good status is taken', says(200, {}, '\u0000<html>'), { kind: 'delivered' }],
  ])('%s', async (_, answer, delivery) => {
    const { url } = await server(answer);
    expect(await sent(channel('slack', url))).toEqual(delivery);
  });

  test('says nothing of figures and titles when it is bare, and no secret ever', async () => {
    const { heard, url } = await server(take);
    await sent(channel('slack', url, { detail: 'bare' }));
    expect(JSON.parse(heard[0]?.body ?? '')).toEqual({ text: SUBJECT });
    secrets.hide('a-secret-of-this-test');
    await sent(channel('slack', url), { ...MESSAGE, text: 'the key is a-secret-of-this-test' });
    expect(heard[1]?.body).toContain('the key is [redacted]');
    const refused = await sent(channel('slack', 'http://127.0.0.1:1/hidden-path-of-a-webhook'));
    expect(JSON.stringify(refused)).not.toContain('hidden-path-of-a-webhook');
  });
});

const KILLED = { ...FACTS, isGuarded: null, account: { ...ACCOUNT_FACTS, mode: 'killed', reason: 'odd prices' } };

function openCenter(channels: ChannelConfig[]) {
  let count = 0;
  const open = (config: ChannelConfig) => async (message: AlertMessage) => {
    const delivery = await openSender(config, 'paper')(message);
    count++;
    return delivery;
  };
  const center = new AlertCenter({ config: { channels }, run: 'r', openSender: open, note: () => undefined });
  return { center, isDelivered: () => vi.waitFor(() => expect(count).toBe(1), 10_000) };
}

describe('the alert center', () => {
  test('does not wait for a channel that never answers', async () => {
    const [deaf, good] = [await server(() => undefined), await server(take)];
    const { center, isDelivered } = openCenter([
      channel('slack', deaf.url, { name: 'deaf', min: 'critical' }),
      channel('slack', good.url, { name: 'good', min: 'critical' }),
    ]);
    center.tick(KILLED);
    await isDelivered();
    expect(JSON.parse(good.heard[0]?.body ?? '').text).toContain(
      '[critical] paper: the trader is killed\nodd prices, since',
    );
    await vi.waitFor(() => expect(deaf.heard).toHaveLength(1), 10_000);
    expect(center.figures).toMatchObject([{ channel: 'deaf', waiting: 1 }, { channel: 'good' }]);
  });

  test('gives each channel what it wants, and the summary of the day to whoever wants that', async () => {
    const [urgent, all] = [await server(take), await server(take)];
    const { center, isDelivered } = openCenter([
      channel('slack', urgent.url, { min: 'critical', summary: false }),
      channel('slack', all.url, { min: 'warning' }),
    ]);
    center.notice({ kind: 'daily_summary', severity: 'info', text: 'result +2.98', time: 0 }, 0);
    center.notice({ kind: 'strategy_failed', severity: 'loud', text: 'it threw', time: 0 }, 0);
    center.notice({ kind: 'fill', severity: 'info', text: 'a fill', time: 0 }, 0);
    center.tick({ ...KILLED, account: ACCOUNT_FACTS });
    await isDelivered();
    expect(all.heard).toHaveLength(1);
    expect(all.heard[0]?.body).toContain('daily summary: result +2.98');
    expect(all.heard[0]?.body).toContain('a strategy failed: it threw');
    expect([urgent.heard.length, center.waiting]).toEqual([0, 0]);
  });
});
