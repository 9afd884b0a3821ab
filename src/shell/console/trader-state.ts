/** The console's data about its trader: the newest value of every figure, and the time since the newest message. */

import type {
  AccountStatus,
  MarketStatus,
  ProcessStatus,
  StatusLine,
  StatusLineOf,
} from '../../shared/protocol/trader-status.js';

/** Time without a frame after which a trader counts as not answering, ms. A frame is due at least every 2 s. */
export const SILENT_AFTER_MS = 5_000;
const NOTICES_KEPT = 500;

export class ShownState {
  hello: ProcessStatus | null = null;
  account: AccountStatus | null = null;
  /** The newest message about the end of the trader's run; null while the run lasts. */
  bye: StatusLineOf<'bye'> | null = null;
  /** Whether the run ended without proof that no order rests. After a failure, a proof may follow. */
  hasFailed = false;
  readonly markets = new Map<string, MarketStatus>();
  readonly notices: StatusLineOf<'notice'>[] = [];
  /** Reason why the trader is not connected; null while connected. */
  lost: string | null = 'not connected yet';
  /** Whether the trader started this console, so that it counts as starting before its first message. */
  readonly isWithTrader: boolean;
  readonly #steadyMs: () => number;
  /** Monotonic time when the newest frame, or the first line of a new run, arrived, ms; null before the first line. */
  #heardMs: number | null = null;
  /** Time by the trader's clock in its newest status message, Unix ms; null before the first message. */
  frameMs: number | null = null;
  /** Time of the first message with the present mode, trader's clock, Unix ms; null until the mode first changes. */
  modeSinceMs: number | null = null;

  constructor(steadyMs: () => number = () => performance.now(), isWithTrader = false) {
    this.#steadyMs = steadyMs;
    this.isWithTrader = isWithTrader;
  }

  onLine(line: StatusLine): void {
    this.lost = null;
    switch (line.type) {
      case 'hello':
        // When a new run of the trader begins, the state of the previous run is deleted.
        if (this.hello?.run !== line.process.run) {
          this.#heardMs = this.#steadyMs();
          this.markets.clear();
          this.account = null;
          this.modeSinceMs = null;
        }
        this.hello = line.process;
        this.bye = null;
        this.hasFailed = false;
        return;
      case 'frame': {
        const known = new Set(line.known);
        this.#heardMs = this.#steadyMs();
        this.frameMs = line.time;
        if (this.account !== null && this.account.mode !== line.account.mode) this.modeSinceMs = line.time;
        this.account = line.account;
        for (const market of line.markets) this.markets.set(market.conditionId, market);
        for (const id of this.markets.keys()) if (!known.has(id)) this.markets.delete(id);
        return;
      }
      case 'notice':
        this.notices.push(line);
        if (this.notices.length > NOTICES_KEPT) this.notices.shift();
        return;
      case 'bye':
        this.bye = line;
        this.hasFailed ||= !line.proven;
        if (!line.proven || this.account?.proven !== false) return;
        // After a failure, the proof that no order rests is newer than the last frame.
        this.account = { ...this.account, openOrders: 0, unknownOrders: 0, proven: true, provenMs: line.time };
        for (const [id, market] of this.markets)
          this.markets.set(id, { ...market, orders: [], bidMicros: null, askMicros: null });
    }
  }

  onLost(why: string): void {
    this.lost = why;
  }

  get silentMs(): number | null {
    return this.#heardMs === null ? null : this.#steadyMs() - this.#heardMs;
  }
  get isCurrent(): boolean {
    return this.lost === null && this.bye === null && (this.silentMs ?? Number.POSITIVE_INFINITY) < SILENT_AFTER_MS;
  }
}
