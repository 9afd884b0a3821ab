/** What the console knows of its trader: the newest of every figure, and since when nothing has come. */

import type {
  AccountFigures,
  ByeLine,
  HelloLine,
  MarketFigures,
  NoticeLine,
  TelemetryLine,
} from '../control/telemetry/lines.js';

/** A trader tells something at least every two seconds; one that has not for so long hangs, or is gone. */
export const SILENT_AFTER_MS = 5_000;
const NOTICES_KEPT = 500;
const MARKS_KEPT = 200;

export class TraderState {
  hello: HelloLine | null = null;
  account: AccountFigures | null = null;
  /** Why nothing is told any more, when the trader has said so. */
  bye: ByeLine | null = null;
  readonly markets = new Map<string, MarketFigures>();
  /** Newest last. */
  readonly notices: NoticeLine[] = [];
  /** When another mode, or another configuration, was told for the first time; newest last. */
  readonly marks: { readonly time: number; readonly text: string }[] = [];
  /** Why there is no connection; null while there is one. */
  lost: string | null = 'not connected yet';
  readonly #steadyMs: () => number;
  /** When the newest line came, by a clock that never steps, ms; null before the first. */
  #heardMs: number | null = null;
  /** The trader's clock in the newest frame, ms. */
  frameMs: number | null = null;
  /** When the mode that it is in was first told, by the same clock; null where it was told from the beginning. */
  modeSinceMs: number | null = null;

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  onLine(line: TelemetryLine): void {
    this.lost = null;
    this.#heardMs = this.#steadyMs();
    switch (line.type) {
      case 'hello':
        return this.#begin(line);
      case 'frame':
        this.frameMs = line.time;
        if (line.account !== undefined) this.#take(line.account, line.time);
        for (const market of line.markets) this.markets.set(market.id, market);
        if (line.known !== undefined) this.#forgetOthers(new Set(line.known));
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

  /** Since the newest line, ms; null before the first. */
  get silentMs(): number | null {
    return this.#heardMs === null ? null : this.#steadyMs() - this.#heardMs;
  }

  /** Whether what is known is what is so now. */
  get isCurrent(): boolean {
    return this.lost === null && this.bye === null && (this.silentMs ?? Number.POSITIVE_INFINITY) < SILENT_AFTER_MS;
  }

  #take(account: AccountFigures, time: number): void {
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

  #begin(hello: HelloLine): void {
    const { hello: before } = this;
    if (before !== null && before.run !== hello.run) this.#mark(hello.started, 'started');
    else if (before !== null && before.config_hash !== hello.config_hash)
      this.#mark(this.frameMs ?? hello.started, `configuration ${hello.config_hash.slice(0, 8)}`);
    // Another run: what the one before was at is over.
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
