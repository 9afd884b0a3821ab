/**
 * Executes each command from Telegram once. The bot obeys only listed users, in their private chats with it, and
 * answers no other user. A message's number is stored before its command runs, so that a restart repeats no command.
 */

import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import {
  causeOf,
  cleanText,
  type DirectMessage,
  makeBotUrl,
  readSecret,
  readUpdates,
  sendBotMessage,
} from '../alerts/senders.js';
import type { ChannelConfig } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';
import { acknowledge, act } from './actions.js';
import { moneyText } from './ledger-lists.js';
import { judgeMode, type ShownParts } from './page-state.js';
import type { StoreFile } from './store.js';

const APART_MS = 1_000; // Minimum pause between two reads, ms; after a full page the next read follows at once.
const PAUSE_MS = { first: 2_000, longest: 60_000 } as const;
const NUMBERS_KEPT_MS = 6 * 86_400_000; // Telegram may restart its update ids after a week without updates.
const MOST_STRANGERS = 20; // Maximum number of unlisted users that the log names.
const MOST_A_MINUTE = 6; // Maximum messages per user and minute; commands that stop trading count separately.
const OLD_AFTER_MS = 120_000; // Maximum age of a command, ms; an older command may refer to an earlier situation.
/** Matches a command word with optional slash and bot name, and an optional second word. */
const COMMAND = /^\/?([a-z][a-z_-]{0,19})(?:@\w{1,64})?(?:\s+([\w-]{1,40}))?\s*$/i;
const HELP: Readonly<Record<string, string>> = {
  'it answered 401': 'the token is not valid',
  'it answered 404': 'the token or the address is wrong',
  'it answered 409': 'another program reads this bot, or a webhook is set for it; each trader needs its own bot',
};

interface ChatOptions extends Pick<ShownParts, 'config' | 'name' | 'trader' | 'watch' | 'alerts' | 'guardian'> {
  readonly store: Pick<StoreFile, 'read' | 'write'>;
  readonly note: (text: string) => void;
  readonly nowMs?: () => number;
  /** Timeout of one request, ms; without new messages, Telegram answers a request only after 25 s. */
  readonly withinMs?: number;
}

/** Newest message of a channel: id, arrival time (Unix ms), and hash of the bot's URL and id (absent in older stores). */
type TakenUpdate = Readonly<{ id: number; timeMs: number; bot?: string }>;

type Perform = (command: ChannelConfig['commands'][number], about: string | null, user: number) => Promise<string>;

export function listenForCommands(options: ChatOptions): () => void {
  const closing = new AbortController();
  for (const channel of options.config.alerts.channels.filter(({ commands }) => commands.length > 0))
    void new TelegramListener(channel, options, closing.signal, makePerform(options, channel.detail)).run();
  return () => closing.abort();
}

export class TelegramListener {
  readonly #channel: ChannelConfig;
  readonly #options: ChatOptions & { readonly nowMs: () => number };
  readonly #ending: AbortSignal;
  readonly #perform: Perform;
  readonly #strangers = new Set<number>();
  readonly #counts = new Map<string, SlidingMinute>(); // Newest messages, by user and kind of command.
  #taken: TakenUpdate | null | undefined;
  #failures = 0;
  #trouble = '';

  constructor(channel: ChannelConfig, options: ChatOptions, ending: AbortSignal, perform: Perform) {
    [this.#channel, this.#ending, this.#perform] = [channel, ending, perform];
    this.#options = { nowMs, ...options };
  }

  async run(): Promise<void> {
    const signal = this.#ending;
    while (!signal.aborted) await setTimeout(await this.look(), undefined, { signal }).catch(() => undefined);
  }

  /** Reads new messages once and obeys their commands. Returns the time until the next read, ms. Never rejects. */
  async look(): Promise<number> {
    try {
      // Only the console that holds the lock reads messages. After a full page it reads again at once.
      return this.#options.watch.isOnDuty && (await this.#takeUpdates()) ? 0 : APART_MS;
    } catch (error) {
      if (this.#ending.aborted) return APART_MS;
      const why = causeOf(error);
      const help = HELP[why];
      this.#noteTrouble(` takes no commands: ${help === undefined ? why : `${why}: ${help}`}`);
      // The longest pause, because only an operator can correct these errors, such as a wrong token.
      if (help !== undefined || error instanceof TwinbookError) return PAUSE_MS.longest;
      return Math.min(PAUSE_MS.first * 2 ** this.#failures++, PAUSE_MS.longest);
    }
  }

  /** Obeys the commands in the next page of messages. Returns true if more messages may be waiting. */
  async #takeUpdates(): Promise<boolean> {
    const { store, name, nowMs, withinMs = 35_000 } = this.#options;
    const channel = this.#channel;
    if (this.#taken === undefined) this.#taken = store.read<TakenUpdate>(`update ${channel.name}`);
    const url = makeBotUrl(readSecret(channel.addressFile, `the address of alert channel ${channel.name}`));
    const bot = createHash('sha256')
      .update(url.replace(/(\/bot\d+):.*/, '$1'))
      .digest('hex')
      .slice(0, 12);
    const { timeMs = 0, bot: lastBot = bot } = this.#taken ?? {};
    if (lastBot !== bot || Math.abs(nowMs() - timeMs) > NUMBERS_KEPT_MS) this.#taken = null;
    const signal = AbortSignal.any([this.#ending, AbortSignal.timeout(withinMs)]);
    const { updates, hasMore } = await readUpdates(url, this.#taken?.id ?? null, signal);
    this.#failures = 0;
    this.#noteTrouble('');
    const [before, lastId] = [this.#taken, updates.at(-1)?.update_id];
    for (const { update_id: id, message } of updates) {
      if (this.#taken?.bot === bot && id <= this.#taken.id) continue;
      this.#taken = { id, timeMs: nowMs(), bot };
      // Messages of unlisted users cause no command, so the store is not written for each of them.
      if (id === lastId || channel.users.some((user) => user === message?.from.id))
        store.write(`update ${channel.name}`, this.#taken);
      // A record without `bot` may be of another bot, so a lower id proves an earlier execution only with the date.
      if (message === null || (before !== null && id <= before.id && message.date * 1000 <= before.timeMs)) continue;
      const answer = await this.#obey(message);
      if (answer === null) continue;
      const sent = await sendBotMessage(url, String(message.from.id), cleanText(`${name}: ${answer}`));
      if (sent.kind !== 'delivered') this.#note(`: the answer could not be sent: ${sent.why}`);
    }
    return hasMore && this.#taken !== before;
  }

  async #obey({ text, date, from: { id: user } }: DirectMessage): Promise<string | null> {
    const { users, commands } = this.#channel;
    const nowMs = this.#options.nowMs();
    if (!users.includes(user)) {
      const known = this.#strangers.size;
      if (known < MOST_STRANGERS && this.#strangers.add(user).size > known)
        this.#note(`: user ${user} is not in the list of users and gets no answer`);
      return null;
    }
    const [, word = '', about = null] = COMMAND.exec(text) ?? [];
    const command = commands.find((one) => one === word.toLowerCase().replaceAll('_', '-'));
    const excess = this.#count(`${user} ${['status', 'ack', undefined].includes(command)}`, nowMs);
    if (excess > 0) return excess === 1 ? `not done: more than ${MOST_A_MINUTE} messages in a minute; wait` : null;
    if (command === undefined) return `not a command; commands are: ${commands.join(', ')}`;
    const agoS = Math.round(nowMs / 1000 - date);
    if (agoS * 1000 > OLD_AFTER_MS)
      return `${command} not done: it was sent ${agoS} s ago by this machine's clock; send it again if you still want it`;
    this.#note(`: ${command}, by user ${user}`);
    try {
      return await this.#perform(command, about, user);
    } catch (error) {
      this.#note(`: ${command} failed: ${String(error)}`);
      return `${command} failed; the log of the console says why`;
    }
  }

  /** Returns 1 for the first message above the limit per minute, 2 for each later one, at most 0 within the limit. */
  #count(key: string, nowMs: number): number {
    const minute = this.#counts.get(key) ?? new SlidingMinute();
    this.#counts.set(key, minute);
    minute.forget(nowMs);
    const excess = minute.size + 1 - MOST_A_MINUTE;
    if (excess <= 1) minute.add(nowMs);
    return excess;
  }

  /** Reports each new problem of a channel once; an empty text means no problem. */
  #noteTrouble(trouble: string): void {
    if (trouble !== this.#trouble) this.#note(trouble || ' takes commands again');
    this.#trouble = trouble;
  }

  #note(text: string): void {
    this.#options.note(cleanText(`alert channel ${this.#channel.name}${text}`));
  }
}

export const makePerform =
  (options: ChatOptions, detail: ChannelConfig['detail']): Perform =>
  async (command, about, user) => {
    if (command === 'status') return statusText(options, detail === 'bare');
    if (command === 'ack') {
      const { refusal, text } = acknowledge(options, about);
      return refusal ?? text;
    }
    const { refusal, text } = await act(command, `by Telegram, user ${user}`, options.config);
    if (refusal !== null) return `${command} was refused: ${refusal}`;
    return text === 'done' ? `${command} is done; status shows the resting orders` : `${command}: ${text}`;
  };

function statusText({ trader, watch, guardian }: ChatOptions, isBare: boolean): string {
  const { mode, reason } = judgeMode(trader);
  const { account, frameMs, isCurrent } = trader;
  const open = watch.open.map(({ kind, acknowledgedMs }) => (acknowledgedMs === null ? kind : `${kind} (seen)`));
  const alerts = `alerts: ${open.length === 0 ? 'none is open' : open.join(', ')}`;
  if (isBare) return `${mode}\n${alerts}`;
  const asOf = isCurrent || frameMs === null ? '' : `, as of ${new Date(frameMs).toISOString().slice(0, 19)} UTC`;
  const day = account?.resultMicros === null ? '' : moneyText(account?.days?.current.resultMicros ?? null);
  const lines =
    account === null
      ? []
      : [
          `result ${moneyText(account.resultMicros) || 'unknown'}, of this UTC day ${day || 'unknown'}${asOf}`,
          `orders ${account.openOrders} open, ${account.unknownOrders} unknown; fills of this run ${account.fills}`,
        ];
  return [reason === '' ? mode : `${mode}, ${reason}`, ...lines, alerts, `guardian: ${guardian.status()}`].join('\n');
}
