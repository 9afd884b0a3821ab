/** From what holds to who is told: alerts over channels, each with its own outbox and one message under way at a time. */

import type { AlertSeverity } from '../config/alert-kinds.js';
import type { AlertsConfig, ChannelConfig } from '../config/types.js';
import { AlertBook } from './alert-book.js';
import { findConditions, toldAs, type WatchedFacts } from './conditions.js';
import { type AlertMessage, type AlertSender, isAtLeast } from './contract.js';
import { Outbox } from './outbox.js';

const SUMMARY = 'daily_summary';
/** Messages that are remembered. */
const RECENT = 200;

export interface AlertCenterOptions {
  readonly config: Pick<AlertsConfig, 'channels' | 'escalation'>;
  /** Drawn anew by each console. */
  readonly run: string;
  readonly openSender: (channel: ChannelConfig) => AlertSender;
  /** What could not be delivered, for whoever reads the console's own words. */
  readonly note: (text: string) => void;
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

  constructor({ config, run, openSender, note }: AlertCenterOptions) {
    this.#channels = config.channels.map((channel) => ({
      config: channel,
      outbox: new Outbox(),
      send: openSender(channel),
    }));
    this.#escalation = config.escalation;
    this.#book = new AlertBook(run);
    this.#note = note;
  }

  /** To be called every second or so; returns at once. */
  tick(facts: WatchedFacts): void {
    const { nowMs } = facts;
    for (const message of this.#book.observe(findConditions(facts), nowMs)) this.#tell(message, nowMs);
    this.#escalate(nowMs);
    for (const channel of this.#channels) this.#deliver(channel, () => nowMs);
  }

  /** What the trader said. */
  notice({ kind, text, time }: { readonly kind: string; readonly text: string; readonly time: number }, nowMs: number) {
    const told = toldAs(kind);
    if (told !== null) this.#tell(this.#book.once(told.severity, kind, told.title, text, time), nowMs);
  }

  /** Messages that no channel has delivered yet. */
  get waiting(): number {
    return this.#channels.reduce((sum, { outbox }) => sum + outbox.length, 0);
  }

  count(severity: AlertSeverity): number {
    return this.#book.count(severity);
  }

  get open(): AlertBook['open'] {
    return this.#book.open;
  }

  /** What was told to whoever wanted it, newest first. */
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
    const message = outbox.next(nowMs());
    if (message === null) return;
    void send(message).then((delivery) => {
      if (delivery.kind !== 'delivered') this.#note(`alert channel ${config.name}: ${delivery.kind}, ${delivery.why}`);
      outbox.settle(delivery, nowMs());
    });
  }

  /** What a channel could not deliver for a while goes to the one after it, whatever that one wants as a rule. */
  #escalate(nowMs: number): void {
    for (const [i, name] of this.#escalation.entries()) {
      const stuck = this.#channelOf(name)?.outbox.takeStuck(nowMs) ?? [];
      const next = this.#channelOf(this.#escalation[i + 1] ?? '');
      for (const message of stuck) next?.outbox.add(message, nowMs);
    }
  }

  #channelOf(name: string): Channel | undefined {
    return this.#channels.find(({ config }) => config.name === name);
  }
}
