/**
 * Commands from Telegram: messages of listed users in their own chat with the bot are obeyed, once. Other users get no answer.
 * The number of an update is kept before it is obeyed, so that a restart does not obey it twice.
 */

import { setTimeout } from 'node:timers/promises';
import { TwinbookError } from '../../../shared/base/errors.js';
import { SlidingMinute } from '../../../shared/base/sliding-minute.js';
import type { ChatCommand } from '../../config/schema.js';
import type { ChannelConfig } from '../../config/types.js';
import { readSecret } from '../secret.js';
import { makeBotUrl, sendBotMessage } from '../senders.js';
import { cleanText } from '../texts.js';
import { askForUpdates, type DirectMessage } from './bot-api.js';

const APART_MS = 1_000; // Interval of reads, also for a service that does not hold the request.
const PAUSE_MS = { first: 2_000, longest: 60_000 } as const;
const NUMBERS_KEPT_MS = 6 * 86_400_000; // After a week without an update the service restarts its numbers.
const MOST_STRANGERS = 20; // that the log names
const MOST_A_MINUTE = 6; // Reads, and separately stops, of each user.
const OLD_AFTER_MS = 120_000; // An older message may refer to another situation.
/** A word, with an optional slash and name of the bot, and one more word. */
const COMMAND = /^\/?([a-z][a-z_-]{0,19})(?:@\w{1,64})?(?:\s+([\w-]{1,40}))?\s*$/i;
const HELP: Readonly<Record<string, string>> = {
  'it answered 401': 'the token is not valid',
  'it answered 404': 'the token or the address is wrong',
  'it answered 409': 'another program reads this bot, or a webhook is set for it; each trader needs a bot of its own',
};

export type TakenUpdate = Readonly<{ id: number; timeMs: number }>; // The newest update taken in; Unix ms.

/** Storage between processes. No call throws. */
export interface UpdateMemory {
  load(channel: string): TakenUpdate | null;
  save(channel: string, taken: TakenUpdate): void;
}

export interface ListenerOptions {
  readonly channel: ChannelConfig;
  /** Name of the trader, at the beginning of every answer. */
  readonly trader: string;
  /** Obeys and returns the answer. `about` is the second word; null for none. */
  readonly perform: (command: ChatCommand, about: string | null, user: number) => Promise<string>;
  readonly memory: UpdateMemory;
  /** Whether this console listens: a bot has one reader. */
  readonly onDuty: () => boolean;
  readonly nowMs: () => number;
  readonly note: (text: string) => void;
  /** Time-out of one request; the service holds it for 25 s. */
  readonly withinMs?: number;
}

export class TelegramListener {
  readonly #options: ListenerOptions;
  readonly #closing = new AbortController();
  readonly #strangers = new Set<number>();
  /** By user, and by whether the command stops. */
  readonly #counts = new Map<string, SlidingMinute>();
  #taken: TakenUpdate | null | undefined;
  #failures = 0;
  #trouble = '';

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) await setTimeout(await this.look(), undefined, { signal }).catch(() => undefined);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Reads once and obeys. Returns the time until the next read, ms. Never rejects. */
  async look(): Promise<number> {
    if (!this.#options.onDuty()) return APART_MS;
    try {
      await this.#takeUpdates();
      return APART_MS;
    } catch (error) {
      if (this.#closing.signal.aborted) return APART_MS;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const why = cause instanceof Error ? cause.message : String(cause);
      const help = HELP[why];
      this.#noteTrouble(help === undefined ? why : `${why}: ${help}`);
      // A wrong file needs an operator too.
      if (help !== undefined || error instanceof TwinbookError) return PAUSE_MS.longest;
      return Math.min(PAUSE_MS.first * 2 ** this.#failures++, PAUSE_MS.longest);
    }
  }

  async #takeUpdates(): Promise<void> {
    const { channel, memory, nowMs, trader, withinMs = 35_000 } = this.#options;
    if (this.#taken === undefined) this.#taken = memory.load(channel.name);
    if (this.#taken !== null && Math.abs(nowMs() - this.#taken.timeMs) > NUMBERS_KEPT_MS) this.#taken = null;
    const url = makeBotUrl(readSecret(channel.addressFile, `the address of alert channel ${channel.name}`));
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(withinMs)]);
    const updates = await askForUpdates(url, this.#taken?.id ?? null, signal);
    this.#failures = 0;
    this.#noteTrouble('');
    for (const { update_id: id, message } of updates) {
      if (id <= (this.#taken?.id ?? -1)) continue;
      this.#taken = { id, timeMs: nowMs() };
      memory.save(channel.name, this.#taken);
      const answer = message === null ? null : await this.#obey(message);
      if (message === null || answer === null) continue;
      const sent = await sendBotMessage(url, String(message.from.id), cleanText(`${trader}: ${answer}`));
      if (sent.kind !== 'delivered') this.#note(`: no answer was sent, ${sent.why}`);
    }
  }

  async #obey({ text, date, from: { id: user } }: DirectMessage): Promise<string | null> {
    const { channel, nowMs, perform } = this.#options;
    if (!channel.users.includes(user)) {
      const known = this.#strangers.size;
      if (known < MOST_STRANGERS && this.#strangers.add(user).size > known)
        this.#note(`: user ${user} is not listed and gets no answer`);
      return null;
    }
    const [, word = '', about = null] = COMMAND.exec(text) ?? [];
    const command = channel.commands.find((one) => one === word.toLowerCase().replaceAll('_', '-'));
    const excess = this.#count(`${user} ${['status', 'ack', undefined].includes(command)}`, nowMs());
    if (excess > 0) return excess === 1 ? `not done: more than ${MOST_A_MINUTE} in a minute; wait` : null;
    if (command === undefined) return `not a command; there are: ${channel.commands.join(', ')}`;
    const agoS = Math.round(nowMs() / 1000 - date);
    if (agoS * 1000 > OLD_AFTER_MS)
      return `${command} not done: it was sent ${agoS} s ago by this machine's clock; send it again if it is still meant`;
    this.#note(`: ${command}, by user ${user}`);
    try {
      return await perform(command, about, user);
    } catch (error) {
      this.#note(`: ${command} failed: ${String(error)}`);
      return `${command} failed; the log of the console says why`;
    }
  }

  /** Number of messages above the limit of a minute; only the first of these is counted. */
  #count(key: string, nowMs: number): number {
    const minute = this.#counts.get(key) ?? new SlidingMinute();
    this.#counts.set(key, minute);
    minute.forget(nowMs);
    const excess = minute.size + 1 - MOST_A_MINUTE;
    if (excess <= 1) minute.add(nowMs);
    return excess;
  }

  /** Each problem is reported once. */
  #noteTrouble(trouble: string): void {
    const text = trouble === '' ? ' takes commands again' : ` takes no commands: ${trouble}`;
    if (trouble !== this.#trouble) this.#note(text);
    this.#trouble = trouble;
  }

  #note(text: string): void {
    this.#options.note(cleanText(`alert channel ${this.#options.channel.name}${text}`));
  }
}
