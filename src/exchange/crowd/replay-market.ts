import { EVENT, type EventChunk, type RecordedMarket, type Recording, SIDE } from '../../recording/contract.js';
import { assert, messageOf, TwinbookError } from '../../shared/base/errors.js';
import { type Micros, stepOfPrecision } from '../../shared/base/micros.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { ASK, BID, type MarketIndex, type MarketSpec, type MatchingSide } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import type { MarketCard } from '../core/market.js';
import { NO_TICK } from '../core/matching/book.js';

/** Both sides of a recorded book: amounts by price, in millionths. */
type RebuiltBook = readonly [bids: ReadonlyMap<number, number>, asks: ReadonlyMap<number, number>];

/** Reads one recording. The next event has the index `at` in `chunk`. The caller advances `at` after each event. */
export class Playback {
  readonly recording: Recording;
  /** Current chunk of the recording; null while the next chunk is being read, and at the end. */
  chunk: EventChunk | null = null;
  at = 0;
  #source: AsyncIterator<EventChunk> | null = null;
  #next: EventChunk | null = null;
  #loading: Promise<void> | null = null;
  #exhausted = false;
  /** Error that ended the reading of the recording early; null without an error. */
  failure: TwinbookError | null = null;

  constructor(recording: Recording) {
    this.recording = recording;
  }

  /** Reads the recorded time of the first event, Unix ms. Throws `recording_invalid` if no event can be read. */
  static async readFirstMs(recording: Recording): Promise<number> {
    const playback = new Playback(recording);
    playback.begin();
    await playback.waitForLoad();
    const found = playback.available() ? playback.timeMs() : null;
    await playback.close();
    if (found !== null) return found;
    const message = `no event can be read from ${recording.market.source.path}`;
    throw playback.failure ?? new TwinbookError('recording_invalid', message, VERIFY_HINT);
  }

  begin(): void {
    if (this.#source !== null) return;
    this.#source = this.recording.chunks()[Symbol.asyncIterator]();
    this.#load();
  }

  /** True if all events of the recording were applied, or no further event can be read. */
  get ended(): boolean {
    return this.#exhausted && this.chunk === null && this.#next === null;
  }

  /** True if the recording's next event is ready; false at the end, and while the next chunk is being read. */
  available(): boolean {
    if (this.chunk !== null && this.at < this.chunk.length) return true;
    this.chunk = this.#next;
    this.at = 0;
    if (this.chunk === null) return false;
    this.#next = null;
    this.#load();
    return true;
  }

  /** Recorded time of the recording's next event, Unix ms. Call `available` before. */
  timeMs(): number {
    return this.chunk?.timeMs[this.at] ?? Number.POSITIVE_INFINITY;
  }

  async waitForLoad(): Promise<void> {
    while (this.#loading !== null) await this.#loading;
  }

  /** Skips all events up to `timeMs`, except the recording's end, and returns the recorded book at that time. */
  async skipTo(timeMs: number): Promise<RebuiltBook> {
    const book: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
    for (;;) {
      await this.waitForLoad();
      if (!this.available() || this.timeMs() > timeMs || this.#atEnd()) return book;
      this.#fold(book, timeMs);
    }
  }

  async close(): Promise<void> {
    this.#exhausted = true;
    this.chunk = null;
    this.#next = null;
    await this.#source?.return?.();
  }

  #fold(book: [Map<number, number>, Map<number, number>], timeMs: number): void {
    const { chunk } = this;
    if (chunk === null) return;
    for (; this.at < chunk.length; this.at++) {
      if ((chunk.timeMs[this.at] ?? 0) > timeMs || this.#atEnd()) return;
      const kind = chunk.kind[this.at];
      if (kind === EVENT.clear) for (const side of book) side.clear();
      if (kind === EVENT.level) {
        const side = chunk.side[this.at] === SIDE.bid ? book[0] : book[1];
        side.set(chunk.priceMicros[this.at] ?? 0, chunk.amountMicros[this.at] ?? 0);
      }
    }
  }

  #atEnd(): boolean {
    return this.chunk?.kind[this.at] === EVENT.end;
  }

  #load(): void {
    if (this.#exhausted || this.#source === null) return;
    this.#loading = this.#source.next().then(
      (result) => {
        this.#loading = null;
        if (result.done === true) this.#exhausted = true;
        else if (!this.#exhausted) this.#next = result.value;
      },
      (error: unknown) => {
        this.#loading = null;
        this.#exhausted = true;
        const message = `cannot continue to read ${this.recording.market.source.path}: ${messageOf(error)}`;
        const failure = new TwinbookError('recording_invalid', message, VERIFY_HINT, { cause: error });
        this.failure = error instanceof TwinbookError ? error : failure;
      },
    );
  }
}

const VERIFY_HINT = '`twinbook data verify` describes each error of a recording.';

/** The exchange's market for one recording, open from the recording's first event to its last. */
export class ReplayMarket {
  readonly recorded: RecordedMarket;
  readonly #core: ExchangeCore;
  /** Index of the exchange's market; -1 before the market opens. */
  #index: MarketIndex = -1;
  /** `absent`: not played yet. `open`: partly played. `finished`: market closed or settled, not replayed again. */
  state: 'absent' | 'open' | 'finished' = 'absent';
  /** Number of skipped events: events off the market's price grid, and trades while the market does not trade. */
  refusedEvents = 0;

  constructor(core: ExchangeCore, recorded: RecordedMarket) {
    this.#core = core;
    this.recorded = recorded;
    const market = core.catalog.byId(recorded.conditionId);
    if (market === null) return;
    checkSameMarket(market.card, recorded);
    this.#index = market.index;
    // The replay's own close has removed all recorded levels. A control may have set any state before that close.
    const book = market.state === 'waiting_to_resolve' ? market.orderbook?.book : null;
    const isClosed = book?.bestRecorded(BID) === NO_TICK && book.bestRecorded(ASK) === NO_TICK;
    this.state = isClosed || isSettledMarket(market.state) ? 'finished' : 'open';
  }

  /** Time at which the open market's replay would have begun if the exchange had never stopped, Unix ms. */
  get startMs(): number {
    const { replayStartMs, card } = this.#core.catalog.market(this.#index);
    return replayStartMs ?? card.createdMs;
  }

  setStart(nowMs: number, startMs: number): void {
    this.#core.at(nowMs).feed.setReplayStart(this.#index, startMs);
  }

  /** Opens the market. `resolvesMs`: end of the recording, Unix ms of the exchange's clock; null if unknown. */
  open(nowMs: number, resolvesMs: number | null): void {
    const made = this.#core.at(nowMs).markets.create(makeSpec(this.recorded, resolvesMs));
    assert(made.ok, `the exchange cannot open a recorded market: ${JSON.stringify(made)}`);
    this.#index = made.value.index;
    this.state = 'open';
  }

  /** Applies the event with index `at` of a chunk, which must not be the recording's end. Allocates nothing. */
  apply(nowMs: number, chunk: EventChunk, at: number): void {
    const { feed } = this.#core.at(nowMs);
    const kind = chunk.kind[at];
    if (kind === EVENT.clear) return feed.clear(this.#index);
    const side: MatchingSide = chunk.side[at] === BID ? BID : ASK;
    const change = kind === EVENT.level ? 'level' : 'trade';
    if (!feed[change](this.#index, side, chunk.priceMicros[at] ?? 0, chunk.amountMicros[at] ?? 0)) this.refusedEvents++;
  }

  /** Sets the market's recorded amounts to those of `book`. Orders at unchanged levels keep their queue places. */
  restore(nowMs: number, book: RebuiltBook): void {
    const tick = stepOfPrecision(this.recorded.tickPrecision);
    for (let price = tick as number; price < 1_000_000; price += tick)
      for (const side of [BID, ASK] as const)
        this.#core.at(nowMs).feed.level(this.#index, side, price, book[side].get(price) ?? 0);
  }

  /** Closes the market: removes its levels, cancels open orders, and resolves it if the outcome is known. */
  close(nowMs: number): void {
    const { conditionId, outcome } = this.recorded;
    this.state = 'finished';
    // An operator may already have settled the market.
    if (isSettledMarket(this.#core.catalog.market(this.#index).state)) return;
    this.#core.at(nowMs).feed.clear(this.#index);
    this.#core.at(nowMs).markets.setState(conditionId, 'waiting_to_resolve');
    if (outcome !== null) this.#core.at(nowMs).markets.resolve(conditionId, outcome);
  }
}

/** Description of a replayed market. After a restart, this description identifies the market's recording. */
const describeSource = ({ source }: RecordedMarket): string =>
  `A replay of the recorded market ${source.ticker} (${source.origin ?? source.kind}).`;

/** Throws `recording_invalid` if the exchange's market with this id does not belong to the recording. */
function checkSameMarket(known: MarketCard, recorded: RecordedMarket): void {
  if (known.description === describeSource(recorded)) return;
  const { conditionId, title, source } = recorded;
  throw new TwinbookError(
    'recording_invalid',
    `the recording ${source.path} has the market ${conditionId} ("${title}"), but this exchange has another market with that id: "${known.title}"`,
    'Replay it in a separate folder: another exchange.data_dir (--data-dir of `twinbook exchange`), and another ledger.path.',
  );
}

function makeSpec(market: RecordedMarket, resolvesMs: number | null): MarketSpec {
  const tick = stepOfPrecision(market.tickPrecision);
  const { fees } = market;
  return {
    config: {
      kind: 'orderbook',
      price_precision: market.tickPrecision,
      amount_precision: market.amountPrecision,
      min_price: tick,
      // One million is a multiple of the tick, so this maximum is on the price grid.
      max_price: (1_000_000 - tick) as Micros,
      // Without fees in the recording, the exchange uses its default rates.
      ...(fees && {
        maker_fee_rate: fees.makerRateMicros as Micros,
        taker_fee_rate: fees.takerRateMicros as Micros,
      }),
    },
    event: market.eventTitle,
    ...(market.eventConditionId === undefined ? {} : { event_condition_id: market.eventConditionId }),
    condition_id: market.conditionId,
    title: market.title,
    description: describeSource(market),
    category: market.category,
    rules: market.rules,
    ...(resolvesMs === null ? {} : { resolution_date: Math.ceil(resolvesMs / 1000) }),
  };
}
