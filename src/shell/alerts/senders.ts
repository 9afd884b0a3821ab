/** Delivers alerts to each kind of channel. Secrets and control characters are removed from every outgoing text. */

import { randomBytes } from 'node:crypto';
import { parse } from 'node:path';
import { z } from 'zod';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import type { ChannelConfig } from '../config/config.js';
import { readPrivateFile, secrets } from '../wallet/secrets.js';
import { type AlertMessage, type Delivery, stateText } from './alert-center.js';

/** Sends one test message immediately. Throws TwinbookError if the channel's secret cannot be read. */
export function testChannel(configFile: string, channel: ChannelConfig): Promise<Delivery> {
  readAddress(channel);
  return openSender(
    channel,
    parse(configFile).name,
  )({
    id: randomBytes(6).toString('hex'),
    timeMs: Date.now(),
    severity: 'info',
    kind: 'test',
    state: 'once',
    title: 'a test',
    text: 'a user requested this message with `twinbook alerts --test`',
  });
}

/** Returns the message of an error's cause, which has more details about a failed request. */
export const causeOf = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);

export const cleanText = (text: string): string => secrets.clean(text.replaceAll(/(?!\n)\p{C}/gu, '?'));

/** Reads a secret and hides it in all later output. Throws TwinbookError for an unreadable or unprotected file. */
export function readSecret(path: string, what: string): string {
  const secret = readPrivateFile(path, what).trim();
  secrets.hide(secret);
  return secret;
}

/** Returns an answer's body as text. Throws if it is incomplete or too large; `cause` then has the bytes read. */
export async function readBounded(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes)
      throw new Error(`the answer has more than ${mostBytes} bytes`, { cause: Buffer.concat(chunks) });
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Maximum length of a message on a channel, bytes. */
const LONGEST = { webhook: 10_000, slack: 3_000, discord: 1_900, ntfy: 3_900, telegram: 4_000, mail: 10_000 } as const;

/** Cuts a text to a number of bytes, at a whole character. A last line that begins with `Do:` is kept. */
function cutText(text: string, mostBytes: number): string {
  const [step = ''] = /\nDo: .{1,300}$/.exec(text) ?? [];
  const count = (bytes: number) => new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes))).read;
  return count(mostBytes) === text.length ? text : text.slice(0, count(mostBytes - Buffer.byteLength(step))) + step;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const readAddress = ({ name, addressFile }: ChannelConfig): string =>
  readSecret(addressFile, `the address of alert channel ${name}`);

const failureText = (error: unknown): string =>
  secrets.clean(error instanceof TwinbookError ? `${error.message}. ${error.hint}`.trim() : causeOf(error));

/** Opens a sender that reads the channel's secret for each message. An unreadable secret is logged immediately. */
export function openSender(channel: ChannelConfig, trader: string, note?: (text: string) => void) {
  try {
    readAddress(channel);
  } catch (error) {
    note?.(`alert channel ${channel.name} cannot deliver alerts: ${failureText(error)}`);
  }
  return (message: AlertMessage) =>
    send(channel, trader, message).catch(
      (error): Delivery => ({ kind: 'failed', why: failureText(error), afterMs: null }),
    );
}

async function send(channel: ChannelConfig, trader: string, message: AlertMessage): Promise<Delivery> {
  const { kind, to, from, name, detail } = channel;
  const address = readAddress(channel);
  const subject = formatSubject(message, trader);
  const body = detail === 'bare' ? '' : cutText(cleanText(message.text), LONGEST[kind] - Buffer.byteLength(subject));
  const text = body === '' ? subject : `${subject}\n${body}`;
  const json = (content: object) => postText(address, JSON.stringify(content), JSON_TYPE);
  switch (kind) {
    case 'slack':
      return json({ text: escapeForSlack(text) });
    case 'discord':
      // Text from the exchange must not notify Discord users or show a link under another name.
      return json({ content: text.replaceAll('](', ']:'), allowed_mentions: { parse: [] } });
    case 'telegram':
      return sendBotMessage(makeBotUrl(address), to ?? '', text);
    case 'ntfy':
      return postText(address, body === '' ? subject : body, ntfyHeaders(message, subject));
    case 'webhook': {
      const { id, severity, state, timeMs: time, kind: about, title } = message;
      return json({ id, time, trader, severity, kind: about, state, title, text: body });
    }
    case 'mail':
      return sendMail(address, { from: from ?? '', to: to ?? '', subject, text: text || name });
  }
}

/** Slack interprets `<!channel>` as a call to everybody, and other angle brackets as links. */
const escapeForSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const formatSubject = ({ severity, state, title }: AlertMessage, trader: string): string =>
  cleanText(`[${severity}] ${trader}: ${stateText(state)}${title}`);

const ntfyHeaders = ({ severity }: AlertMessage, subject: string): Readonly<Record<string, string>> => ({
  // HTTP headers are Latin-1; any other character would make the request fail.
  title: subject.replaceAll(/[^\x20-\x7e]/g, '?'),
  priority: { info: '2', warning: '4', critical: '5' }[severity],
});

/** Returns a Telegram bot's URL. `address`: the bot's token, or a self-hosted server's URL without the method. */
export const makeBotUrl = (address: string): string =>
  /^https?:/.test(address) ? address.replace(/\/$/, '') : `https://api.telegram.org/bot${address}`;

export async function sendBotMessage(url: string, chat: string, text: string): Promise<Delivery> {
  const body = JSON.stringify({ chat_id: chat, text: cutText(text, LONGEST.telegram) });
  const delivery = await postText(`${url}/sendMessage`, body, JSON_TYPE);
  // Telegram answers 400 for a wrong chat too, which the operator can correct.
  return delivery.kind === 'rejected' ? { ...delivery, kind: 'refused' } : delivery;
}

const MOST_BYTES = 4_000_000; // Maximum size of Telegram's answer, bytes; fifty long messages are smaller.
const QUESTION = { timeout: 25, allowed_updates: ['message'] };
const [id, none] = [z.int(), z.undefined().optional()];
const chat = { chat: z.object({ id, type: z.literal('private') }), sender_chat: none };
const from = { from: z.object({ id, is_bot: z.literal(false) }), via_bot: none };
const forwarded = { forward_origin: none, forward_date: none };
/** Schema of a Telegram text message of a user in a private chat: not from a group or bot, and not forwarded. */
const directSchema = z
  .object({ date: z.int().nonnegative(), text: z.string(), ...chat, ...from, ...forwarded })
  .refine(({ chat, from }) => chat.id === from.id);
const updateSchema = z.object({ update_id: id.nonnegative(), message: directSchema.nullable().catch(null) });
type Page = { readonly updates: readonly z.infer<typeof updateSchema>[]; readonly hasMore: boolean };
const answerSchema = z.object({ ok: z.literal(true), result: z.array(z.unknown()).max(1_000) });

export type DirectMessage = z.infer<typeof directSchema>;

/** Returns a bot's updates with ids above `last` (null: all), ascending; an oversized update has no message. */
export async function readUpdates(url: string, last: number | null, signal: AbortSignal, most = 50): Promise<Page> {
  const body = JSON.stringify({ ...QUESTION, limit: most, ...(last === null ? {} : { offset: last + 1 }) });
  const post = { method: 'POST', body, headers: JSON_TYPE, redirect: 'manual', signal } as const;
  const response = await fetch(`${url}/getUpdates`, post);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const text = await readBounded(response, MOST_BYTES).catch((error: Error) => error);
  if (text instanceof Error) {
    const [, first] = /"update_id":(\d+)/.exec(String(text.cause)) ?? [];
    if (first === undefined) throw text;
    if (most > 1) return readUpdates(url, last, signal, Math.ceil(most / 10));
    return { updates: [{ update_id: Number(first), message: null }], hasMore: true };
  }
  const { data } = answerSchema.safeParse(parseJson(text));
  if (data === undefined) throw new Error('the answer is not a list of Telegram updates');
  const updates = data.result.flatMap((one) => updateSchema.safeParse(one).data ?? []);
  return { updates: updates.toSorted((a, b) => a.update_id - b.update_id), hasMore: data.result.length >= most };
}

const WITHIN_MS = 10_000;
const PERMANENT = 500;

/** Sends a mail. `url` is `smtp://user:password@host:587` or `smtps://…`. Rejects if the server cannot be reached. */
async function sendMail(url: string, mail: Record<'from' | 'to' | 'subject' | 'text', string>): Promise<Delivery> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(
    { url, connectionTimeout: WITHIN_MS, greetingTimeout: WITHIN_MS, socketTimeout: WITHIN_MS },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  try {
    await transport.sendMail(mail);
    return { kind: 'delivered' };
  } catch (error) {
    const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
    if (code < PERMANENT) throw error;
    return { kind: 'refused', why: `the mail server answered ${code}` };
  } finally {
    transport.close();
  }
}

/** Maximum wait before a retry, ms, even if a channel requests a longer wait. */
const LONGEST_WAIT_MS = 3_600_000;

/** Sends a text by HTTP POST. Rejects if no answer comes in time. */
export async function postText(url: string, body: string, headers: Record<string, string>): Promise<Delivery> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
  // The body of the answer is not needed, and may be endless.
  await response.body?.cancel();
  if (response.ok) return { kind: 'delivered' };
  const why = `it answered ${response.status}`;
  if ([400, 413].includes(response.status)) return { kind: 'rejected', why };
  if (response.status < 500 && ![408, 425, 429].includes(response.status)) return { kind: 'refused', why };
  return { kind: 'failed', why, afterMs: parseWaitMs(response.headers.get('retry-after')) };
}

/** Reads a `Retry-After` header with seconds; ignores a date. */
function parseWaitMs(header: string | null): number | null {
  const seconds = header === null || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : null;
}
