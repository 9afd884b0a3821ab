/** Reads updates from the service of a bot, bounded in time and bytes; only checked parts of its answers are used. */

import { z } from 'zod';
import { readBounded } from '../bounded-body.js';

const QUESTION = { timeout: 25, limit: 20, allowed_updates: ['message'] };
const MOST_BYTES = 1_000_000; // Maximum size of an answer: twenty messages are shorter.
const [id, none] = [z.int(), z.undefined().optional()];
const chat = { chat: z.object({ id, type: z.literal('private') }), sender_chat: none };
const from = { from: z.object({ id, is_bot: z.literal(false) }), via_bot: none };
const forwarded = { forward_origin: none, forward_date: none };
/** A direct text message from a person: no group, no bot, nothing forwarded. */
const directSchema = z
  .object({ date: z.int().nonnegative(), text: z.string(), ...chat, ...from, ...forwarded })
  .refine(({ chat, from }) => chat.id === from.id);
const updateSchema = z.object({ update_id: id.nonnegative(), message: directSchema.nullable().catch(null) });
const answerSchema = z.object({ ok: z.literal(true), result: z.array(z.unknown()).max(1_000) });

export type DirectMessage = Pick<z.infer<typeof directSchema>, 'date' | 'text' | 'from'>;

/** Newer updates than `taken`, ascending; null for all. Throws for anything but a list of updates. */
export async function askForUpdates(url: string, taken: number | null, signal: AbortSignal) {
  const body = JSON.stringify({ ...QUESTION, ...(taken === null ? {} : { offset: taken + 1 }) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/getUpdates`, { method: 'POST', body, headers, redirect: 'manual', signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status}`);
  }
  const result = readResult(await readBounded(response, MOST_BYTES));
  const updates = result.flatMap((one) => updateSchema.safeParse(one).data ?? []);
  return updates.toSorted((a, b) => a.update_id - b.update_id);
}

function readResult(text: string): readonly unknown[] {
  try {
    return answerSchema.parse(JSON.parse(text)).result;
  } catch {
    throw new Error('its answer is not a list of updates');
  }
}
