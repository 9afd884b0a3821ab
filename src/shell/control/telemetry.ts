/** Streams the trader's status. The trader never waits for readers, and disconnects readers that no longer read. */

import { guarded } from '../../shared/base/processes.js';
import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { AccountStatus, ProcessStatus, StatusLine, StatusLineOf } from '../../shared/protocol/trader-status.js';
import { LADDER } from '../../trader/engine/control/modes.js';
import type { WatchedMarket } from '../../trader/engine/snapshot.js';

const makeCounts = () => ({ answered: 0, refused: 0, unknown: 0, took: new Histogram(REQUEST_BUCKETS) });

export class RequestTimings {
  readonly #underWay = new Map<number, string>();
  readonly #counts = new Map<string, ReturnType<typeof makeCounts>>();

  note(observation: Observation, requests: readonly Request[]): void {
    for (const { id, call } of requests) this.#underWay.set(id, call.endpoint);
    if (observation.kind !== 'outcome') return;
    const endpoint = this.#underWay.get(observation.requestId);
    if (endpoint === undefined) return;
    this.#underWay.delete(observation.requestId);
    const counts = this.#counts.get(endpoint) ?? makeCounts();
    this.#counts.set(endpoint, counts);
    counts[observation.outcome.kind]++;
    // If the clock was set back during the request, the duration is unknown and recorded as 0.
    counts.took.add(Math.max(0, observation.nowMs - observation.sentMs) / 1000);
  }

  get figures(): AccountStatus['health']['requests'] {
    return Array.from(this.#counts, ([endpoint, { answered, refused, unknown, took }]) => ({
      endpoint,
      answered,
      refused,
      unknown,
      seconds: took.figures,
    }));
  }
}

export class RecentDurations {
  readonly #values: number[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#size;
  }

  get summary() {
    const sorted = [...this.#values].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
  }
}

/** Upper bounds of the histogram buckets for durations of steps and of requests, seconds. */
export const STEP_BUCKETS: readonly number[] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
export const REQUEST_BUCKETS: readonly number[] = [0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 30];

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds, inclusive, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds, 0].map(() => 0);
  }

  add(value: number): void {
    let place = 0;
    while (place < this.#bounds.length && value > (this.#bounds[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sum += value;
  }

  get figures(): AccountStatus['health']['stepSeconds'] {
    return { counts: this.#counts, sum: this.#sum };
  }
}

export const TRADER_MODES: readonly string[] = Object.keys(LADDER);

export const MOST_READERS = 4;
/** Maximum number of bytes that a reader has not read, in addition to the longest line sent. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** Maximum share of a CPU for telemetry; exceeded only if the page's figures would otherwise be older than 2 s. */
const MOST_SHARE = 0.005;
/** Shortest and longest time between two sends, ms. The operator's page polls every 500 ms. */
const PERIOD_MS = { shortest: 500, longest: 1_250 };

export interface LineReader {
  readonly writableLength: number;
  write(bytes: Uint8Array): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', onClose: () => void): unknown;
}

/** Source of the trader's status. Its methods must be fast, because they may be called after every step. */
interface TelemetrySource {
  process(): ProcessStatus;
  account(nowMs: number): AccountStatus;
  markets(nowMs: number): readonly WatchedMarket[];
  mode(): string;
  /** Called if the status could not be sent, after all readers were disconnected. Trading continues. */
  onFailure(error: unknown): void;
}

type PublisherClocks = Readonly<Record<'steadyMs' | 'nowMs' | 'cpuMs', () => number>>;

export class TelemetryPublisher {
  readonly #source: TelemetrySource;
  readonly #clocks: PublisherClocks;
  readonly #readers = new Set<LineReader>();
  /** For each market, the data from which its last sent status was made; unchanged markets are not sent again. */
  readonly #told = new Map<string, WatchedMarket['sources']>();
  #sweptMs = Number.NEGATIVE_INFINITY;
  #periodMs = PERIOD_MS.shortest;
  #mode: string | null = null;
  #cut = 0;
  #longestBytes = 0;
  /** The end of the run, sent when the trader fails or ends, and to readers that subscribe later; null before. */
  #bye: StatusLineOf<'bye'> | null = null;

  constructor(source: TelemetrySource, clocks: PublisherClocks) {
    this.#source = source;
    this.#clocks = clocks;
  }

  subscribe(reader: LineReader): string | null {
    if (this.#readers.size >= MOST_READERS) return `${MOST_READERS} other readers are connected; close one of them`;
    try {
      const hello = encodeLine({ type: 'hello', process: this.#source.process() });
      this.#readers.add(reader);
      reader.once('close', () => this.#letGo(reader));
      reader.write(hello);
      // Usually only changed markets are sent, but a new reader needs every market.
      if (this.#bye === null) this.#told.clear();
      else reader.write(encodeLine(this.#bye));
      return null;
    } catch (error) {
      this.#letGo(reader);
      this.#source.onFailure(error);
      return 'telemetry failed; the log says why';
    }
  }

  /** Call this after a step, once the requests of the step are sent. */
  afterStep(): void {
    this.#tryTelling(() => {
      const beganMs = this.#clocks.steadyMs();
      const mode = this.#source.mode();
      if (mode === this.#mode && beganMs - this.#sweptMs < this.#periodMs) return;
      this.#mode = mode;
      const beganCpuMs = this.#clocks.cpuMs();
      this.#sweep(beganMs);
      const fairMs = (this.#clocks.cpuMs() - beganCpuMs) / MOST_SHARE;
      this.#periodMs = Math.min(PERIOD_MS.longest, Math.max(PERIOD_MS.shortest, fairMs));
    });
  }

  /** Runs `tell`, which sends status lines. An error disconnects all readers, but does not affect the trader. */
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

  renew(): void {
    this.#tryTelling(() => this.#tell({ type: 'hello', process: this.#source.process() }));
  }

  notice(time: number, severity: 'info' | 'loud', kind: string, text: string): void {
    this.#tryTelling(() => this.#tell({ type: 'notice', time, severity, kind, text }));
  }

  /** Sends the end of the run. Readers stay connected until `close`, because a proof may follow. */
  tellEnd(reason: string, proven: boolean): void {
    if (this.#bye === null || proven) this.#bye = { type: 'bye', time: this.#clocks.nowMs(), reason, proven };
    const bye = this.#bye;
    this.#tryTelling(() => this.#tell(bye));
  }

  close(reason: string, proven: boolean): void {
    this.tellEnd(reason, proven);
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  #sweep(beganMs: number): void {
    this.#sweptMs = beganMs;
    const time = this.#clocks.nowMs();
    const all = this.#source.markets(time);
    const known = all.map(({ conditionId }) => conditionId);
    const kept = new Set(known);
    for (const id of this.#told.keys()) if (!kept.has(id)) this.#told.delete(id);
    const changed = all.filter((market) => !isSame(this.#told.get(market.conditionId), market));
    for (const { conditionId, sources } of changed) this.#told.set(conditionId, sources);
    const markets = changed.map((market) => market.makeStatus());
    this.#tell({ type: 'frame', time, account: this.#source.account(time), markets, known });
  }

  get figures(): Pick<AccountStatus['health'], 'brake' | 'readers' | 'readersCut'> {
    return { brake: this.#periodMs > PERIOD_MS.shortest ? 1 : 0, readers: this.#readers.size, readersCut: this.#cut };
  }

  #tell(line: StatusLine): void {
    const bytes = encodeLine(line);
    for (const reader of this.#readers) {
      if (reader.writableLength > MOST_UNREAD_BYTES + this.#longestBytes) {
        this.#cut++;
        this.#letGo(reader);
        reader.destroy();
      } else reader.write(bytes);
    }
    this.#longestBytes = Math.max(this.#longestBytes, bytes.length);
  }

  #letGo(reader: LineReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#told.clear();
  }
}

const encodeLine = (line: StatusLine): Uint8Array => Buffer.from(`${JSON.stringify(line)}\n`);

const isSame = (told: WatchedMarket['sources'] | undefined, { sources }: WatchedMarket): boolean =>
  told !== undefined && sources.every((source, i) => source === told[i]);
