/**
 * Routes conditions to receivers: alerts over channels, each with its own outbox and one message in flight at a time.
 */

import type { AlertsConfig, ChannelConfig } from '../config/config.js';
import type { AlertSeverity } from '../config/schema.js';
import { AlertBook } from './alert-book.js';
import { findConditions, isUndecided, toldAs, type WatchedFacts } from './conditions.js';
import { type AlertMemory, type AlertMessage, type AlertSender, isAtLeast } from './contract.js';
import { Outbox } from './outbox.js';

const SUMMARY = 'daily_summary';
const RECENT = 200;

/** Notice of a trader to its operator; `time` in Unix ms. */
interface Notice {
  readonly kind: string;
  readonly severity: 'info' | 'loud';
  readonly text: string;
  readonly time: number;
}

export interface AlertCenterOptions {
  readonly config: Pick<AlertsConfig, 'channels' | 'escalation'>;
  /** Drawn by each console. */
  readonly run: string;
  readonly openSender: (channel: ChannelConfig) => AlertSender;
  /** Failed deliveries, for the console's own log. */
  readonly note: (text: string) => void;
  /** Absent: nothing is stored. */
  readonly memory?: AlertMemory;
  /** Unix ms; the time at which the stored state is read. */
  readonly nowMs?: number;
}

interface Channel {
  readonly config: ChannelConfig;
  readonly outbox: Outbox;
  readonly send: AlertSender;
}

export interface ChannelFigures {
  readonly channel: string;
  readonly delivered: number;
  readonly failed: number;
  readonly lost: number;
  readonly waiting: number;
}

export class AlertCenter {
  readonly #channels: readonly Channel[];
  readonly #escalation: readonly string[];
  readonly #book: AlertBook;
  readonly #note: (text: string) => void;
  readonly #recent: AlertMessage[] = [];
  readonly #memory: AlertMemory | null;
  #remembered = '';
  #isQuiet = false;

  constructor({ config, run, openSender, note, memory, nowMs = 0 }: AlertCenterOptions) {
    this.#channels = config.channels.map((channel) => ({
      config: channel,
      outbox: new Outbox(),
      send: openSender(channel),
    }));
    this.#escalation = config.escalation;
    this.#book = new AlertBook(run);
    this.#note = note;
    this.#memory = memory ?? null;
    const state = memory?.load() ?? null;
    if (state === null) return;
    this.#book.goOn(state.open, nowMs);
    for (const channel of this.#channels) channel.outbox.goOn(state.waiting[channel.config.name] ?? []);
  }

  /** Call about once a second; returns at once. In quiet hours only critical messages leave. */
  tick(facts: WatchedFacts, isQuiet = false): void {
    const { nowMs } = facts;
    this.#isQuiet = isQuiet;
    for (const one of this.#memory?.acknowledgements() ?? []) this.#book.acknowledge(one);
    const undecided = (kind: string) => isUndecided(kind, facts);
    for (const message of this.#book.observe(findConditions(facts), nowMs, undecided)) this.#tell(message, nowMs);
    this.#escalate(nowMs);
    for (const channel of this.#channels) this.#deliver(channel, () => nowMs);
    this.#remember();
  }

  notice({ kind, text, time, severity }: Notice, nowMs: number) {
    const told = toldAs(kind, severity);
    if (told !== null) this.#tell(this.#book.once(told.severity, kind, told.title, text, time), nowMs);
  }

  /** Messages that no channel has delivered yet, without those that wait for the end of quiet hours. */
  get waiting(): number {
    return this.#channels.reduce((sum, { outbox }) => sum + (this.#isQuiet ? outbox.urgent : outbox.length), 0);
  }

  count(severity: AlertSeverity): number {
    return this.#book.count(severity);
  }

  get open(): AlertBook['open'] {
    return this.#book.open;
  }

  /** Sent messages, newest first. */
  get recent(): readonly AlertMessage[] {
    return this.#recent.toReversed();
  }

  get figures(): readonly ChannelFigures[] {
    return this.#channels.map(({ config, outbox }) => ({
      channel: config.name,
      ...outbox.counts,
      waiting: outbox.length,
    }));
  }

  #tell(message: AlertMessage, nowMs: number): void {
    this.#recent.push(message);
    if (this.#recent.length > RECENT) this.#recent.shift();
    for (const { config, outbox } of this.#channels) {
      const isWanted = message.kind === SUMMARY ? config.summary : isAtLeast(message.severity, config.min);
      if (isWanted) outbox.add(message, nowMs);
    }
  }

  #deliver({ config, outbox, send }: Channel, nowMs: () => number): void {
    const message = outbox.next(nowMs(), this.#isQuiet);
    if (message === null) return;
    void send(message).then((delivery) => {
      if (delivery.kind !== 'delivered') this.#note(`alert channel ${config.name}: ${delivery.kind}, ${delivery.why}`);
      outbox.settle(delivery, nowMs());
    });
  }

  /** Written only when it changed: mostly nothing is open and nothing waits. */
  #remember(): void {
    if (this.#memory === null) return;
    const waiting = Object.fromEntries(this.#channels.map(({ config, outbox }) => [config.name, outbox.content]));
    const state = { open: this.#book.open, waiting };
    const text = JSON.stringify(state);
    if (text === this.#remembered) return;
    this.#remembered = text;
    this.#memory.save(state);
  }

  /** A message that a channel could not deliver for a while goes to the next channel, whatever its filter. */
  #escalate(nowMs: number): void {
    for (const [i, name] of this.#escalation.entries()) {
      const stuck = this.#findChannel(name)?.outbox.takeStuck(nowMs) ?? [];
      const next = this.#findChannel(this.#escalation[i + 1] ?? '');
      for (const message of stuck) next?.outbox.add(message, nowMs);
    }
  }

  #findChannel(name: string): Channel | undefined {
    return this.#channels.find(({ config }) => config.name === name);
  }
}
