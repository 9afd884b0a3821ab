/**
 * Sends telemetry to subscribers without making the trader wait: lines are built after a step, within a time limit,
 * once for all readers; a reader that does not read is disconnected. Without a reader a step costs one comparison.
 */

import { guarded } from '../../../shared/base/guarded.js';
import type { MarketFace } from '../../../trader/engine/snapshot.js';
import { Brake } from './brake.js';
import type { AccountFigures, ByeLine, FrameLine, HelloLine, TelemetryLine } from './lines.js';
import { makeFigures } from './market-figures.js';

export const MOST_READERS = 4;
/** Maximum unread bytes of one reader. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** Time limit of encoding per step, ms; at least one market is encoded. */
const ENCODING_MS = 0.4;

/** The other end of a connection; a socket is one. */
export interface LineReader {
  readonly writableLength: number;
  write(bytes: Uint8Array): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', onClose: () => void): unknown;
}

/** Source of the figures; read at a step's end, so everything is cheap. */
export interface TelemetrySource {
  hello(): HelloLine;
  /** All except the publisher's own figures. */
  account(nowMs: number, publishing: PublisherFigures): AccountFigures;
  faces(): readonly MarketFace[];
  /** The ladder's mode; a change is sent at once. */
  mode(): string;
  /** Telemetry failed and every reader was disconnected; trading continues. */
  onFailure(error: unknown): void;
}

export interface PublisherFigures {
  readonly brake: number;
  readonly readers: number;
  readonly readersCut: number;
  readonly beatLateP99Ms: number;
}

export interface PublisherClocks {
  /** Never steps, ms. */
  readonly steadyMs: () => number;
  readonly nowMs: () => number;
}

export class TelemetryPublisher {
  readonly #source: TelemetrySource;
  readonly #clocks: PublisherClocks;
  readonly #readers = new Set<LineReader>();
  readonly #brake: Brake;
  /** Last sent state of each market. */
  readonly #told = new Map<string, MarketFace>();
  #waiting: readonly MarketFace[] = [];
  /** Next index in `#waiting`. */
  #next = 0;
  #sweptMs = Number.NEGATIVE_INFINITY;
  #mode: string | null = null;
  #cut = 0;
  /** Sent at the end, and to later subscribers. */
  #bye: ByeLine | null = null;

  constructor(source: TelemetrySource, clocks: PublisherClocks) {
    this.#source = source;
    this.#clocks = clocks;
    this.#brake = new Brake(clocks.steadyMs());
  }

  /** Null when this reader is subscribed, else the reason. */
  subscribe(reader: LineReader): string | null {
    if (this.#readers.size >= MOST_READERS) return `${MOST_READERS} others are told already; close one of them`;
    let refusal: string | null = null;
    guarded(
      () => this.#add(reader),
      (error) => {
        this.#letGo(reader);
        this.#source.onFailure(error);
        refusal = 'telemetry failed; the log says why';
      },
    )();
    return refusal;
  }

  #add(reader: LineReader): void {
    const hello = encodeLine(this.#source.hello());
    this.#readers.add(reader);
    reader.once('close', () => this.#letGo(reader));
    reader.write(hello);
    if (this.#bye !== null) return this.#endAll(this.#bye);
    // A sweep sends changes; for this reader everything is new.
    this.#told.clear();
    this.#waiting = [];
  }

  /** After a step, when its requests are in flight. `lateMs`: delay of the beat, null when no beat caused this step. */
  afterStep(lateMs: number | null): void {
    this.#tryTelling(() => this.#tellStep(lateMs));
  }

  /** An error disconnects the readers and does not affect the trader. */
  #tryTelling(tell: () => void): void {
    if (this.#readers.size === 0) return;
    guarded(tell, (error) => {
      for (const reader of this.#readers) {
        this.#letGo(reader);
        reader.destroy();
      }
      this.#source.onFailure(error);
    })();
  }

  #tellStep(lateMs: number | null): void {
    const beganMs = this.#clocks.steadyMs();
    if (lateMs !== null) this.#brake.noteBeat(lateMs);
    if (this.#brake.look(beganMs)) this.#tellBrake();
    const mode = this.#source.mode();
    const isDue = mode !== this.#mode || beganMs - this.#sweptMs >= this.#brake.settings.periodMs;
    this.#mode = mode;
    if (isDue) this.#sweep(beganMs);
    else if (this.#next < this.#waiting.length) this.#goOn(beganMs);
    this.#brake.noteUse(this.#clocks.steadyMs() - beganMs);
  }

  /** The content of the first line has changed. */
  renew(): void {
    this.#tryTelling(() => this.#tell(this.#source.hello()));
  }

  notice(time: number, severity: 'info' | 'loud', kind: string, text: string): void {
    this.#tryTelling(() => this.#tell({ type: 'notice', time, severity, kind, text }));
  }

  /** The last words. */
  close(reason: string, proven: boolean): void {
    const bye = this.#bye ?? { type: 'bye', time: this.#clocks.nowMs(), reason, proven };
    this.#bye = bye;
    this.#tryTelling(() => this.#endAll(bye));
  }

  #endAll(bye: ByeLine): void {
    this.#tell(bye);
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  #sweep(beganMs: number): void {
    this.#sweptMs = beganMs;
    const faces = this.#source.faces();
    const known = faces.map(({ conditionId }) => conditionId);
    const kept = new Set(known);
    for (const id of this.#told.keys()) if (!kept.has(id)) this.#told.delete(id);
    this.#waiting = this.#brake.settings.hasMarkets ? faces : [];
    this.#next = 0;
    const time = this.#clocks.nowMs();
    const account = this.#source.account(time, this.#figures);
    this.#send(encodeFrame({ type: 'frame', time, account, known }, this.#encodeMarkets(beganMs)));
  }

  #goOn(beganMs: number): void {
    const markets = this.#encodeMarkets(beganMs);
    if (markets.length > 0) this.#send(encodeFrame({ type: 'frame', time: this.#clocks.nowMs() }, markets));
  }

  /** Each as JSON, so that the time is checked between two of them. */
  #encodeMarkets(beganMs: number): readonly string[] {
    const { hasLadders } = this.#brake.settings;
    const markets: string[] = [];
    while (this.#next < this.#waiting.length) {
      const face = this.#waiting[this.#next++];
      if (face === undefined || isSameFace(this.#told.get(face.conditionId), face)) continue;
      this.#told.set(face.conditionId, face);
      markets.push(JSON.stringify(makeFigures(face, hasLadders)));
      if (this.#clocks.steadyMs() - beganMs >= ENCODING_MS) break;
    }
    return markets;
  }

  get #figures(): PublisherFigures {
    const { level, lateP99Ms } = this.#brake;
    return { brake: level, readers: this.#readers.size, readersCut: this.#cut, beatLateP99Ms: lateP99Ms };
  }

  #tellBrake(): void {
    const { level, settings } = this.#brake;
    // A level with or without ladders changes every market.
    this.#told.clear();
    const text = level === 0 ? 'telemetry is whole again' : `telemetry is slowed, a sweep each ${settings.periodMs} ms`;
    this.notice(this.#clocks.nowMs(), 'info', 'telemetry_slowed', `${text} (level ${level})`);
  }

  #tell(line: TelemetryLine): void {
    this.#send(encodeLine(line));
  }

  #send(bytes: Uint8Array): void {
    for (const reader of this.#readers) {
      reader.write(bytes);
      if (reader.writableLength <= MOST_UNREAD_BYTES) continue;
      this.#cut++;
      this.#letGo(reader);
      reader.destroy();
    }
  }

  /** Without readers nothing is kept. */
  #letGo(reader: LineReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#told.clear();
    this.#waiting = [];
  }
}

const encodeLine = (line: TelemetryLine): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

const encodeFrame = (head: Omit<FrameLine, 'markets'>, markets: readonly string[]): Uint8Array =>
  Buffer.from(`${JSON.stringify(head).slice(0, -1)},"markets":[${markets.join(',')}]}\n`);

/** Whether view, quotes, orders, fills and refusals are unchanged: equal by reference means unchanged. */
function isSameFace(told: MarketFace | undefined, face: MarketFace): boolean {
  if (told === undefined) return false;
  return (
    told.view === face.view &&
    told.quotes === face.quotes &&
    told.orders === face.orders &&
    told.yesMicros === face.yesMicros &&
    told.noMicros === face.noMicros &&
    told.note === face.note
  );
}
