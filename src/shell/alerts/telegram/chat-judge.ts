/** What becomes of a message to the bot: who may, what it asks for, and how often. It knows no clock and does nothing. */

import { SlidingMinute } from '../../../shared/base/sliding-minute.js';
import { type ChatCommand, STOPPING_COMMANDS } from '../../config/alert-kinds.js';
import type { BotMessage } from './bot-api.js';

/** Of looks, and again of what stops, by each user. */
const MOST_A_MINUTE = 6;
/** What was sent longer ago may be meant for another situation, ms. */
const OLD_AFTER_MS = 120_000;
/** A word, which a telephone may begin with a slash and end with the bot's name, and one more. */
const COMMAND = /^\/?([a-z][a-z_-]{0,19})(?:@\w{1,64})?(?:\s+([\w-]{1,40}))?\s*$/i;

export type Verdict =
  | { readonly kind: 'ignore' }
  /** Somebody who may nothing: told to nobody but the log. */
  | { readonly kind: 'stranger' }
  | { readonly kind: 'answer'; readonly text: string }
  /** `about` is the second word; null for none. */
  | { readonly kind: 'do'; readonly command: ChatCommand; readonly about: string | null };

export class ChatJudge {
  readonly #commands: readonly ChatCommand[];
  readonly #users: readonly number[];
  readonly #looks = new Map<number, SlidingMinute>();
  readonly #stops = new Map<number, SlidingMinute>();

  constructor(commands: readonly ChatCommand[], users: readonly number[]) {
    this.#commands = commands;
    this.#users = users;
  }

  judge(message: BotMessage, nowMs: number): Verdict {
    if (!this.#users.includes(message.userId)) return { kind: 'stranger' };
    if (!message.isDirect) return { kind: 'ignore' };
    const [, word = '', about = null] = COMMAND.exec(message.text) ?? [];
    const wanted = word.toLowerCase().replaceAll('_', '-');
    const command = this.#commands.find((one) => one === wanted);
    const excess = this.#count(message.userId, command, nowMs);
    if (excess > 0) return excess === 1 ? { kind: 'answer', text: TOO_OFTEN } : { kind: 'ignore' };
    if (command === undefined)
      return { kind: 'answer', text: `not a command; there are: ${this.#commands.join(', ')}` };
    const agoMs = nowMs - message.dateS * 1000;
    if (agoMs > OLD_AFTER_MS) return { kind: 'answer', text: `${command} not done: ${describeAge(agoMs)}` };
    return { kind: 'do', command, about };
  }

  /** How many there are above what a minute allows; those are not counted on. */
  #count(user: number, command: ChatCommand | undefined, nowMs: number): number {
    const isStop = STOPPING_COMMANDS.some((one) => one === command);
    const counts = isStop ? this.#stops : this.#looks;
    const minute = counts.get(user) ?? new SlidingMinute();
    counts.set(user, minute);
    const before = minute.countAt(nowMs);
    if (before <= MOST_A_MINUTE) {
      minute.forget(nowMs);
      minute.add(nowMs);
    }
    return Math.max(0, before + 1 - MOST_A_MINUTE);
  }
}

const TOO_OFTEN = `not done: more than ${MOST_A_MINUTE} in a minute; wait`;

const describeAge = (agoMs: number): string =>
  `it was sent ${Math.round(agoMs / 1000)} s ago by this machine's clock; send it again if it is still meant`;
