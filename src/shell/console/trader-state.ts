/** The console's state of its trader: the newest value of every figure, and the start of a silence. */

import type {
  AccountStatus,
  MarketStatus,
  ProcessStatus,
  StatusLine,
  StatusLineOf,
} from '../../shared/protocol/trader-status.js';

/** A trader sends at least every two seconds; without a message for this long it hangs, or is gone. */
export const SILENT_AFTER_MS = 5_000;
const NOTICES_KEPT = 500;
const MARKS_KEPT = 200;

export class TraderState {
  hello: ProcessStatus | null = null;
  account: AccountStatus | null = null;
  /** The trader's last reason for the end of its messages, if given. */
  bye: StatusLineOf<'bye'> | null = null;
  readonly markets = new Map<string, MarketStatus>();
  /** Newest last. */
  readonly notices: StatusLineOf<'notice'>[] = [];
  /** Times of the first message with another mode, or another configuration; newest last. */
  readonly marks: { readonly time: number; readonly text: string }[] = [];
  /** Why there is no connection; null while connected. */
  lost: string | null = 'not connected yet';
  readonly #steadyMs: () => number;
  /** Monotonic time of the newest line, ms; null before the first. */
  #heardMs: number | null = null;
  /** The trader's clock in the newest frame, ms. */
  frameMs: number | null = null;
  /** Time of the first message with the present mode, by the same clock; null if it was the first mode. */
  modeSinceMs: number | null = null;

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  onLine(line: StatusLine): void {
    this.lost = null;
    this.#heardMs = this.#steadyMs();
    switch (line.type) {
      case 'hello':
        return this.#begin(line.process);
      case 'frame':
        this.frameMs = line.time;
        this.#take(line.account, line.time);
        for (const market of line.markets) this.markets.set(market.conditionId, market);
        this.#forgetOthers(new Set(line.known));
        return;
      case 'notice':
        this.notices.push(line);
        if (this.notices.length > NOTICES_KEPT) this.notices.shift();
        return;
      case 'bye':
        this.bye = line;
    }
  }

  onLost(why: string): void {
    this.lost = why;
  }

  /** Time since the newest line, ms; null before the first. */
  get silentMs(): number | null {
    return this.#heardMs === null ? null : this.#steadyMs() - this.#heardMs;
  }
  get isCurrent(): boolean {
    return this.lost === null && this.bye === null && (this.silentMs ?? Number.POSITIVE_INFINITY) < SILENT_AFTER_MS;
  }

  #take(account: AccountStatus, time: number): void {
    if (this.account !== null && this.account.mode !== account.mode) {
      this.#mark(time, account.mode);
      this.modeSinceMs = time;
    }
    this.account = account;
  }

  #mark(time: number, text: string): void {
    this.marks.push({ time, text });
    if (this.marks.length > MARKS_KEPT) this.marks.shift();
  }

  #begin(hello: ProcessStatus): void {
    const { hello: before } = this;
    if (before !== null && before.run !== hello.run) this.#mark(hello.startedMs, 'started');
    else if (before !== null && before.configHash !== hello.configHash)
      this.#mark(this.frameMs ?? hello.startedMs, `configuration ${hello.configHash.slice(0, 8)}`);
    // Another run: the previous state is over.
    if (this.hello?.run !== hello.run) {
      this.markets.clear();
      this.account = null;
    }
    this.hello = hello;
    this.bye = null;
  }

  #forgetOthers(known: ReadonlySet<string>): void {
    for (const id of this.markets.keys()) if (!known.has(id)) this.markets.delete(id);
  }
}
