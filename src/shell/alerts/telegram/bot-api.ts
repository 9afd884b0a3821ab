/** What is said to a bot's service and read of it: bounded in time and bytes, and nothing of its answers is believed unread. */

import { z } from 'zod';
import { readBounded } from '../bounded-body.js';
import type { Delivery } from '../contract.js';
import { postText } from '../post.js';

const SERVICE = 'https://api.telegram.org';
/** How long the service may hold a question until there is something to say, s. */
const HELD_S = 25;
/** Then an answer does not come any more, ms. */
const WITHIN_MS = 35_000;
/** Of one answer: more is not an answer of twenty messages. */
const MOST_BYTES = 1_000_000;
const MOST_UPDATES = 20;
/** What the service takes of one message, characters. */
const LONGEST_TEXT = 4_000;

/** A token, or for a server of one's own the whole address before the method. */
export const makeBotUrl = (address: string): string =>
  /^https?:/.test(address) ? address.replace(/\/$/, '') : `${SERVICE}/bot${address}`;

export const sendBotMessage = (url: string, chat: string, text: string): Promise<Delivery> =>
  postText(`${url}/sendMessage`, JSON.stringify({ chat_id: chat, text: text.slice(0, LONGEST_TEXT) }), JSON_BODY);

const JSON_BODY = { 'content-type': 'application/json' } as const;

/** A message that somebody sent to the bot. */
export interface BotMessage {
  /** When the service got it, unix s. */
  readonly dateS: number;
  readonly userId: number;
  readonly chatId: number;
  /** From the person itself, to the bot alone: no group, no bot, nothing that was forwarded. */
  readonly isDirect: boolean;
  readonly text: string;
}

/** One thing that the service tells; no message where it is anything else than that. */
export interface BotUpdate {
  readonly id: number;
  readonly message: BotMessage | null;
}

export type BotAnswer =
  | { readonly kind: 'updates'; readonly updates: readonly BotUpdate[] }
  | { readonly kind: 'failed'; readonly status: number | null; readonly why: string };

export interface BotQuestion {
  readonly url: string;
  /** The first update that is wanted; null for all that the service still has. */
  readonly offset: number | null;
  readonly signal: AbortSignal;
  readonly withinMs?: number;
}

/** Held by the service until there is something to say. Never rejects. */
export async function askForUpdates({ url, offset, signal, withinMs = WITHIN_MS }: BotQuestion): Promise<BotAnswer> {
  const question = { timeout: HELD_S, limit: MOST_UPDATES, allowed_updates: ['message'] };
  const body = JSON.stringify(offset === null ? question : { ...question, offset });
  try {
    const response = await fetch(`${url}/getUpdates`, {
      method: 'POST',
      body,
      headers: JSON_BODY,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: 'failed', status: response.status, why: `it answered ${response.status}` };
    }
    const updates = readUpdates(await readBounded(response, MOST_BYTES));
    return updates === null ? { kind: 'failed', status: null, why: 'what it answered is no list of updates' } : updates;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { kind: 'failed', status: null, why: cause instanceof Error ? cause.message : String(cause) };
  }
}

const answerSchema = z.object({ ok: z.literal(true), result: z.array(z.unknown()).max(1_000) });
const updateSchema = z.object({ update_id: z.int().nonnegative() });
const messageSchema = z.object({
  message: z.object({
    date: z.int().nonnegative(),
    text: z.string(),
    from: z.object({ id: z.int(), is_bot: z.boolean() }),
    chat: z.object({ id: z.int(), type: z.string() }),
    forward_origin: z.unknown().optional(),
    forward_date: z.unknown().optional(),
    via_bot: z.unknown().optional(),
    sender_chat: z.unknown().optional(),
  }),
});

function readUpdates(text: string): BotAnswer | null {
  const answer = answerSchema.safeParse(parseJson(text));
  if (!answer.success) return null;
  const updates = answer.data.result.flatMap((one): readonly BotUpdate[] => {
    const update = updateSchema.safeParse(one);
    return update.success ? [{ id: update.data.update_id, message: readMessage(one) }] : [];
  });
  return { kind: 'updates', updates: updates.toSorted((a, b) => a.id - b.id) };
}

function readMessage(update: unknown): BotMessage | null {
  const read = messageSchema.safeParse(update);
  if (!read.success) return null;
  const { date, text, from, chat, forward_origin, forward_date, via_bot, sender_chat } = read.data.message;
  const isOwn = [forward_origin, forward_date, via_bot, sender_chat].every((one) => one === undefined);
  const isDirect = isOwn && !from.is_bot && chat.type === 'private' && chat.id === from.id;
  return { dateS: date, userId: from.id, chatId: chat.id, isDirect, text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
