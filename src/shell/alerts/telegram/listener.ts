/**
 * Commands from Telegram: what listed people write to the bot in their own chat with it is done, once. The number of an update is
 * kept before anything of it is done, so that none is done twice, after a restart neither; what was not answered is sent again by
 * a person. Nobody else gets an answer.
 */

import type { ChatCommand } from '../../config/alert-kinds.js';
import type { ChannelConfig } from '../../config/types.js';
import { readSecret } from '../secret.js';
import { cleanText } from '../texts.js';
import { askForUpdates, type BotMessage, type BotUpdate, makeBotUrl, sendBotMessage } from './bot-api.js';
import { ChatJudge } from './chat-judge.js';

/** Between two looks, ms: also at a service that does not hold the question. */
const APART_MS = 1_000;
const PAUSE_MS = { first: 2_000, longest: 60_000 } as const;
/** The token is wrong, or another program reads the same bot, ms. */
const HELPLESS_PAUSE_MS = 60_000;
/** Without an update for a week the service numbers anew, ms. */
const NUMBERS_KEPT_MS = 6 * 86_400_000;
/** Strangers that the log names. */
const MOST_STRANGERS = 20;

/** The newest update that was taken in. */
export interface TakenUpdate {
  readonly id: number;
  /** Unix ms. */
  readonly timeMs: number;
}

/** Kept over the end of a process. No call of it throws. */
export interface UpdateMemory {
  load(channel: string): TakenUpdate | null;
  save(channel: string, taken: TakenUpdate): void;
}

export interface ListenerOptions {
  readonly channel: ChannelConfig;
  /** Name of the trader, which every answer begins with. */
  readonly trader: string;
  /** Does it and says what came of it, for that user. */
  readonly perform: (command: ChatCommand, about: string | null, user: number) => Promise<string>;
  readonly memory: UpdateMemory;
  /** Whether it is this console that listens: a bot has one reader. */
  readonly onDuty: () => boolean;
  /** Unix ms. */
  readonly nowMs: () => number;
  /** Something for the log. */
  readonly note: (text: string) => void;
  /** For an answer of the service, ms; longer than that holds a question when left out. */
  readonly withinMs?: number;
}

export class TelegramListener {
  readonly #options: ListenerOptions;
  readonly #judge: ChatJudge;
  readonly #closing = new AbortController();
  readonly #strangers = new Set<number>();
  #taken: TakenUpdate | null | undefined;
  #failures = 0;
  #trouble = '';

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#judge = new ChatJudge(options.channel.commands, options.channel.users);
  }

  /** Looks again and again until it is closed. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) await pauseFor(await this.look(), signal);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Asks once, and does what was asked for. Gives how long to wait before the next look, ms. Never rejects. */
  async look(): Promise<number> {
    const { channel, onDuty, nowMs, withinMs } = this.#options;
    if (!onDuty()) return APART_MS;
    const url = this.#readUrl();
    if (url === null) return HELPLESS_PAUSE_MS;
    const taken = this.#findTaken(nowMs());
    const { signal } = this.#closing;
    const offset = taken === null ? null : taken.id + 1;
    const answer = await askForUpdates({ url, offset, signal, ...(withinMs === undefined ? {} : { withinMs }) });
    if (signal.aborted) return APART_MS;
    if (answer.kind === 'failed') return this.#fail(answer.status, answer.why);
    this.#failures = 0;
    if (this.#trouble !== '') this.#say('');
    for (const update of answer.updates) {
      if (update.id <= (this.#taken?.id ?? -1)) continue;
      this.#taken = { id: update.id, timeMs: nowMs() };
      this.#options.memory.save(channel.name, this.#taken);
      await this.#take(update, url);
    }
    return APART_MS;
  }

  #findTaken(nowMs: number): TakenUpdate | null {
    if (this.#taken === undefined) this.#taken = this.#options.memory.load(this.#options.channel.name);
    if (this.#taken !== null && Math.abs(nowMs - this.#taken.timeMs) > NUMBERS_KEPT_MS) this.#taken = null;
    return this.#taken;
  }

  async #take({ message }: BotUpdate, url: string): Promise<void> {
    if (message === null) return;
    const verdict = this.#judge.judge(message, this.#options.nowMs());
    switch (verdict.kind) {
      case 'ignore':
        return;
      case 'stranger':
        return this.#noteStranger(message.userId);
      case 'answer':
        return this.#answer(url, message, verdict.text);
      case 'do':
        return this.#answer(url, message, await this.#perform(verdict.command, verdict.about, message.userId));
    }
  }

  async #perform(command: ChatCommand, about: string | null, user: number): Promise<string> {
    const { perform, note, channel } = this.#options;
    try {
      note(`alert channel ${channel.name}: ${command}, by user ${user}`);
      return await perform(command, about, user);
    } catch (error) {
      note(cleanText(`alert channel ${channel.name}: ${command} failed: ${String(error)}`));
      return `${command} failed; the log of the console says why`;
    }
  }

  async #answer(url: string, { chatId }: BotMessage, text: string): Promise<void> {
    const { trader, channel, note } = this.#options;
    try {
      const delivery = await sendBotMessage(url, String(chatId), cleanText(`${trader}: ${text}`));
      if (delivery.kind !== 'delivered') note(`alert channel ${channel.name}: no answer was sent, ${delivery.why}`);
    } catch (error) {
      const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      note(cleanText(`alert channel ${channel.name}: no answer was sent, ${why}`));
    }
  }

  #noteStranger(user: number): void {
    if (this.#strangers.has(user) || this.#strangers.size >= MOST_STRANGERS) return;
    this.#strangers.add(user);
    this.#options.note(`alert channel ${this.#options.channel.name}: user ${user} is not listed and gets no answer`);
  }

  #readUrl(): string | null {
    const { channel } = this.#options;
    try {
      return makeBotUrl(readSecret(channel.addressFile, `the address of alert channel ${channel.name}`));
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  #fail(status: number | null, why: string): number {
    this.#failures++;
    const help = HELP[status ?? 0];
    this.#say(help === undefined ? why : `${why}: ${help}`);
    if (help !== undefined) return HELPLESS_PAUSE_MS;
    return Math.min(PAUSE_MS.first * 2 ** (this.#failures - 1), PAUSE_MS.longest);
  }

  /** The same trouble is noted once. */
  #say(trouble: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const about = `alert channel ${this.#options.channel.name}`;
    this.#options.note(
      trouble === '' ? `${about} takes commands again` : cleanText(`${about} takes no commands: ${trouble}`),
    );
  }
}

/** Answers that only a person can change. */
const HELP: Readonly<Record<number, string>> = {
  401: 'the token is not valid',
  404: 'the token or the address is wrong',
  409: 'another program reads this bot, or a webhook is set for it; a bot has one reader, so each trader needs one of its own',
};

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
