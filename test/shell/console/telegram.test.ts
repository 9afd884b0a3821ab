/** Commands from Telegram: a service that repeats, is slow or returns nonsense, and messages of foreign users. */

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChannelConfig } from '../../../src/shell/config/config.js';
import { CHAT_COMMANDS } from '../../../src/shell/config/schema.js';
import { TelegramListener } from '../../../src/shell/console/telegram.js';
import { said, serveBot, TOKEN } from './bot-server.js';

type ChatOptions = ConstructorParameters<typeof TelegramListener>[1];

const NOW_S = 1_800_000_000;
const DAY_MS = 86_400_000;

async function place() {
  const server = await serveBot();
  const [done, notes, kept]: [string[], string[], { id: number; timeMs: number }[]] = [[], [], []];
  const channel = {
    name: 'chat',
    kind: 'telegram',
    addressFile: server.addressFile,
    commands: CHAT_COMMANDS,
    users: [5],
  } as unknown as ChannelConfig; // No other field of a channel is read.
  const closing = new AbortController();
  const performed: ConstructorParameters<typeof TelegramListener>[3] = async (command, about, user) => {
    done.push(`${command} ${about ?? '-'} ${user}`);
    return `did ${command}`;
  };
  /** Another process of the same console. */
  const restart = (more: Partial<ChatOptions> = {}, perform = performed) => {
    const options = {
      name: 'paper',
      store: {
        read: <T>() => (kept.at(-1) ?? null) as T | null,
        write: (_, taken) => void kept.push(taken as { id: number; timeMs: number }),
      },
      watch: { isOnDuty: true },
      nowMs: () => NOW_S * 1000,
      note: (text) => notes.push(text),
      ...more,
    } as ChatOptions; // Only commands read the other parts.
    return new TelegramListener(channel, options, closing.signal, perform);
  };
  const close = () => closing.abort();
  onTestFinished(close);
  return { server, done, notes, kept, restart, close };
}

test('does what a listed person asks for, and answers in that chat', async () => {
  const { server, done, restart, notes } = await place();
  server.updates = [
    said(7, '/status', NOW_S),
    said(8, 'ack killed', NOW_S),
    said(9, '/Reduce_Only@our_bot', NOW_S - 119),
  ];
  expect(await restart().look()).toBeGreaterThan(0);
  expect(done).toEqual(['status - 5', 'ack killed 5', 'reduce-only - 5']);
  expect(server.sent[0]).toEqual({ chat_id: '5', text: 'paper: did status' });
  expect(notes.at(-1)).toBe('alert channel chat: reduce-only, by user 5');
});

describe('an update', () => {
  test('is taken once, however often it is told, and after a restart neither', async () => {
    const { server, done, restart } = await place();
    server.updates = [said(7, 'kill', NOW_S)];
    const listener = restart();
    await listener.look();
    await listener.look();
    await restart().look();
    server.updates = [said(8, 'pause', NOW_S), said(7, 'kill', NOW_S), said(8, 'pause', NOW_S)];
    await restart().look();
    expect(done).toEqual(['kill - 5', 'pause - 5']);
    expect(server.offsets).toEqual([undefined, 8, 8, 8]);
  });

  test('is kept as taken before anything of it is done', async () => {
    const { server, restart, kept } = await place();
    server.updates = [said(7, 'kill', NOW_S)];
    const before: number[] = [];
    const perform = async () => {
      before.push(...kept.map(({ id }) => id));
      throw new Error('the trader is odd');
    };
    await restart({}, perform).look();
    expect([before, kept]).toEqual([[7], [{ id: 7, timeMs: NOW_S * 1000, bot: expect.stringMatching(/^\w{12}$/) }]]);
    expect(server.sent[0]?.text).toBe('paper: kill failed; the log of the console says why');
  });

  test('of long ago is not obeyed, and said to be old', async () => {
    const { server, done, restart } = await place();
    server.updates = [said(7, 'kill', NOW_S - 121)];
    await restart().look();
    expect(done).toEqual([]);
    expect(server.sent[0]?.text).toContain('kill not done: it was sent 121 s ago');
  });

  const TAKEN = { id: 1_000, timeMs: NOW_S * 1000 - 5_000 };
  test.each([
    ['after a week without any', { ...TAKEN, timeMs: NOW_S * 1000 - 7 * DAY_MS }, 3, NOW_S, [undefined, 'kill - 5']],
    ['from another bot', { ...TAKEN, bot: 'other' }, 3, NOW_S, [undefined, 'kill - 5']],
    ['if an older store names no bot', TAKEN, 3, NOW_S, [1_001, 'kill - 5']],
    ['if an older store names no bot, but is not repeated', TAKEN, 1_000, NOW_S - 5, [1_001]],
  ])('may have a lower number %s', async (_, taken, id, date, expected) => {
    const { server, done, restart, kept } = await place();
    kept.push(taken);
    server.updates = [said(id, 'kill', date)];
    await restart().look();
    expect([server.offsets[0], ...done]).toEqual(expected);
  });
});

test('nobody else is obeyed or answered, in no group, by no bot, and not by what was forwarded', async () => {
  const { server, done, restart, notes } = await place();
  const stranger = { from: { id: 6, is_bot: false }, chat: { id: 6, type: 'private' } };
  server.updates = [
    said(1, 'kill', NOW_S, stranger),
    said(2, 'status', NOW_S, stranger),
    said(3, 'kill', NOW_S, { chat: { id: -9, type: 'group' } }),
    said(4, 'kill', NOW_S, { chat: { id: 6, type: 'private' } }),
    said(5, 'kill', NOW_S, { from: { id: 5, is_bot: true } }),
    said(6, 'kill', NOW_S, { forward_origin: { type: 'user' } }),
    said(7, 'kill', NOW_S, { via_bot: { id: 1 } }),
    said(8, 'kill', NOW_S, { from: undefined }),
    { update_id: 9, edited_message: { text: 'kill' } },
    { update_id: 'ten', message: {} },
    'nonsense',
  ];
  await restart().look();
  expect([done, server.sent]).toEqual([[], []]);
  expect(notes).toEqual(['alert channel chat: user 6 is not in the list of users and gets no answer']);
});

test.each([
  'resume',
  'kill now please',
  'kill; resume',
  'kill\u0000',
  '/',
  '',
  '__proto__',
  'constructor',
  `kill ${'x'.repeat(90_000)}`,
  '\u202ellik',
])('what is no command does nothing, and is not repeated: %j', async (text) => {
  const { server, done, restart } = await place();
  server.updates = [said(1, text, NOW_S)];
  await restart().look();
  expect(done).toEqual([]);
  expect(server.sent.map((one) => one.text)).toEqual([
    'paper: not a command; commands are: status, ack, pause, reduce-only, kill',
  ]);
});

test('looks are done six times a minute, and what stops is counted by itself', async () => {
  const { server, done, restart } = await place();
  const texts = [...Array.from({ length: 10 }, () => 'status'), 'nonsense', ...Array.from({ length: 9 }, () => 'kill')];
  server.updates = texts.map((text, i) => said(i, text, NOW_S));
  await restart().look();
  expect([done.filter((one) => one.startsWith('status')).length, done.length]).toEqual([6, 12]);
  expect(server.sent.filter(({ text }) => text.includes('more than 6 messages in a minute'))).toHaveLength(2);
});

describe('a service that', () => {
  const ELSEWHERE = { location: 'http://x.example/' };
  const NO_LIST = 'the answer is not a list of Telegram updates';
  test.each([
    ['answers with a page', (to: ServerResponse) => to.end('<html>'), 2_000, NO_LIST],
    ['answers with something else', (to: ServerResponse) => to.end('{"ok":true,"result":{}}'), 2_000, NO_LIST],
    ['answers without end', (to: ServerResponse) => to.end('x'.repeat(4_000_001)), 2_000, 'more than 4000000 bytes'],
    ['fails', (to: ServerResponse) => to.writeHead(502).end(), 2_000, 'it answered 502'],
    ['leads elsewhere', (to: ServerResponse) => to.writeHead(302, ELSEWHERE).end(), 2_000, '302'],
    ['hangs up', (to: ServerResponse) => void to.destroy(), 2_000, 'takes no commands'],
    ['does not know us', (to: ServerResponse) => to.writeHead(401).end(), 60_000, 'the token is not valid'],
    ['has another reader', (to: ServerResponse) => to.writeHead(409).end(), 60_000, 'another program reads this bot'],
    ['says half an answer', (to: ServerResponse) => void to.write('{"ok":true,'), 2_000, 'timeout'],
  ])('%s is asked again later, and told of once, without its token', async (_, answer, waitMs, why) => {
    const { server, notes, restart, done } = await place();
    server.answer = answer;
    const listener = restart({ withinMs: why === 'timeout' ? 2_000 : 30_000 });
    expect(await listener.look()).toBe(waitMs);
    expect(await listener.look()).toBe(Math.min(waitMs * 2, 60_000));
    expect(notes).toEqual([expect.stringContaining(why)]);
    expect(notes.join()).not.toContain(TOKEN);
    server.answer = null;
    server.updates = [said(1, 'status', NOW_S)];
    await listener.look();
    expect([done, notes[1]]).toEqual([['status - 5'], 'alert channel chat takes commands again']);
  });

  test('holds its answer is let go when the console ends', async () => {
    const { server, restart, notes, close } = await place();
    server.answer = () => undefined;
    const running = restart().run();
    await vi.waitFor(() => expect(server.offsets).toHaveLength(1), 10_000);
    close();
    await running;
    expect(notes).toEqual([]);
  });
});

test('messages of unlisted users do not delay a command: full pages follow without a pause, with one write each', async () => {
  const { server, done, restart, kept } = await place();
  const stranger = { from: { id: 6, is_bot: false }, chat: { id: 6, type: 'private' } };
  const updates = Array.from({ length: 125 }, (_, i) => said(i, 'x', NOW_S, stranger));
  updates.push(said(125, 'kill', NOW_S));
  server.answer = (response) => {
    const from = server.offsets.at(-1) ?? 0;
    response.end(JSON.stringify({ ok: true, result: updates.slice(from, from + (server.limits.at(-1) ?? 0)) }));
  };
  const listener = restart();
  const waits = [await listener.look(), await listener.look(), await listener.look()];
  expect([waits, kept.map(({ id }) => id), done]).toEqual([[0, 0, 1_000], [49, 99, 125], ['kill - 5']]);
  // A service that repeats a full page is not asked without a pause.
  server.answer = (response) => response.end(JSON.stringify({ ok: true, result: updates.slice(0, 50) }));
  expect(await listener.look()).toBe(1_000);
});

test('a message too long to be read is passed over, and blocks no later command', async () => {
  const { server, done, restart } = await place();
  const [long, kill] = [said(3, 'x'.repeat(4_000_001), NOW_S), said(4, 'kill', NOW_S)];
  server.answer = (response) => {
    const offset = server.offsets.at(-1) ?? 0;
    const updates = [said(2, 'status', NOW_S), long, kill].slice(Math.max(0, offset - 2));
    response.end(JSON.stringify({ ok: true, result: server.limits.at(-1) === 1 ? updates.slice(0, 1) : updates }));
  };
  const listener = restart();
  for (let i = 0; i < 3; i++) await listener.look();
  expect([done, server.limits]).toEqual([
    ['status - 5', 'kill - 5'],
    [50, 5, 1, 50, 5, 1, 50],
  ]);
});

test('who is not on duty asks nothing', async () => {
  const { server, restart } = await place();
  await restart({ watch: { isOnDuty: false } as ChatOptions['watch'] }).look();
  expect(server.offsets).toEqual([]);
});

test('no answer holds the address with its token, or a character that is none', async () => {
  const { server, restart } = await place();
  server.updates = [said(1, 'status', NOW_S)];
  const address = readFileSync(server.addressFile, 'utf8').trim();
  await restart({}, async () => `asked at ${address}\u0007`).look();
  expect(server.sent.map(({ text }) => text)).toEqual(['paper: asked at [redacted]?']);
});
