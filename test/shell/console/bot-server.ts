/** A local server in place of Telegram: it returns the given updates, also repeatedly, and keeps sent messages. */

import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { newFolder } from '../../support/folders.js';
import { listeningWeb } from '../../support/listening.js';

export const TOKEN = 'bot77:a-token-of-this-test';

export interface BotServer {
  /** A file of mode 0600 with the address of the bot, its token included. */
  readonly addressFile: string;
  readonly offsets: (number | undefined)[];
  /** The most updates that each request asked for. */
  readonly limits: number[];
  readonly sent: { readonly chat_id: string; readonly text: string }[];
  /** Returned for every request from now on. */
  updates: readonly unknown[];
  answer: ((response: ServerResponse) => void) | null;
}

export async function serveBot(): Promise<BotServer> {
  const { url } = await listeningWeb(async (request, response) => {
    const asked = (await json(request)) as { offset?: number; limit: number; chat_id: string; text: string };
    if (request.url === `/${TOKEN}/sendMessage`) {
      server.sent.push(asked);
      response.end('{"ok":true}');
      return;
    }
    server.offsets.push(asked.offset);
    server.limits.push(asked.limit);
    if (server.answer !== null) return server.answer(response);
    response.end(JSON.stringify({ ok: true, result: server.updates }));
  });
  const addressFile = join(newFolder(), 'address');
  writeFileSync(addressFile, `${url}/${TOKEN}\n`, { mode: 0o600 });
  const server: BotServer = { addressFile, offsets: [], limits: [], sent: [], updates: [], answer: null };
  return server;
}

/** A message of a user in his own chat with the bot. */
export const said = (id: number, text: string, dateS: number, more: object = {}): object => ({
  update_id: id,
  message: { date: dateS, text, from: { id: 5, is_bot: false }, chat: { id: 5, type: 'private' }, ...more },
});
