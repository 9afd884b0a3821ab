/**
 * Checks recordings: files against manifests, and plausibility of their content. A **difference** is an error; a
 * **note** is information.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { EVENT, type EventChunk, type Recording } from '../contract.js';
import { openRecordings } from '../recording.js';
import { loadDuckDb } from '../store/duckdb.js';
import { isStore, marketFolders } from '../store/folders.js';
import { openMarket } from '../store/market-reader.js';
import { BookMeter } from './book-meter.js';
import { type Finding, verifyFiles } from './verify-files.js';

export interface Verified {
  readonly markets: number;
  readonly events: number;
  readonly findings: readonly Finding[];
}

/**
 * Longest normal crossing of a book, ms: feeds send the two sides of a move one after the other; in real recordings
 * that lasts below a second.
 */
export const CROSSED_LIMIT_MS = 5000;

/**
 * Checks every recording under these paths, of our own format or raw. Throws TwinbookError as `openRecordings` does.
 */
export async function verifyRecordings(paths: readonly string[]): Promise<Verified> {
  const findings: Finding[] = [];
  let [markets, events] = [0, 0];
  for (const path of paths) {
    const isOurs = isFolderOfStore(path);
    // Without it every valid file would be a finding.
    if (isOurs) await loadDuckDb();
    for (const unit of isOurs ? marketFolders(path) : [path]) {
      const checked = await verifyUnit(unit, isOurs, findings);
      markets += checked.markets;
      events += checked.events;
    }
  }
  return { markets, events, findings };
}

/** One of our markets, or a path of another kind. Our own that cannot be opened is a finding. */
async function verifyUnit(
  path: string,
  isOurs: boolean,
  findings: Finding[],
): Promise<{ markets: number; events: number }> {
  if (isOurs) findings.push(...(await verifyFiles(path)));
  let recordings: readonly Recording[];
  try {
    const tell = ({ message }: TwinbookError) => findings.push({ path, severity: 'difference', message });
    recordings = isOurs ? await openOwn(path) : await openRecordings([path], { onFailure: tell });
  } catch (error) {
    if (!isOurs || !(error instanceof TwinbookError)) throw error;
    findings.push({ path, severity: 'difference', message: error.message });
    return { markets: 1, events: 0 };
  }
  let events = 0;
  for (const recording of recordings) events += await verifyStream(recording, findings);
  return { markets: recordings.length, events };
}

/** A market with only requests so far has no stream to check. */
async function openOwn(folder: string): Promise<readonly Recording[]> {
  const recording = await openMarket(folder);
  return recording === null ? [] : [recording];
}

function isFolderOfStore(path: string): boolean {
  try {
    return isStore(path);
  } catch {
    return false; // A file, or missing: opening it reports that.
  }
}

/** The events as every reader gets them. Returns their number. */
async function verifyStream(recording: Recording, findings: Finding[]): Promise<number> {
  const { path } = recording.market.source;
  const differ = (message: string) => findings.push({ path, severity: 'difference', message });
  const check = new StreamCheck(stepOfPrecision(recording.market.tickPrecision));
  try {
    for await (const chunk of recording.chunks()) check.chunk(chunk);
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    differ(error.message);
  }
  for (const message of check.problems()) differ(message);
  for (const { message, path: where, isDamage } of recording.warnings) {
    findings.push({ path: where, severity: isDamage === true ? 'difference' : 'note', message });
  }
  return check.events;
}

class StreamCheck {
  events = 0;
  readonly #meter: BookMeter;
  readonly #tickMicros: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #backwards = 0;
  #offTick = 0;
  #ends = 0;
  #afterEnd = 0;

  constructor(tickMicros: number) {
    this.#tickMicros = tickMicros;
    this.#meter = new BookMeter(tickMicros);
  }

  chunk({ length, timeMs, kind, side, priceMicros, amountMicros }: EventChunk): void {
    this.events += length;
    for (let at = 0; at < length; at++) {
      // Columns are as long as their chunk.
      const [time, what, price] = [timeMs[at] as number, kind[at] as number, priceMicros[at] as number];
      if (time < this.#lastMs) this.#backwards++;
      this.#lastMs = Math.max(this.#lastMs, time);
      if (this.#ends > 0) this.#afterEnd++;
      if (what === EVENT.end) this.#ends++;
      const priced = what === EVENT.level || what === EVENT.trade;
      if (priced && !(price > 0 && price < 1_000_000 && price % this.#tickMicros === 0)) {
        this.#offTick++;
        continue;
      }
      this.#meter.advance(time);
      this.#meter.apply(what, side[at] as number, price, amountMicros[at] as number);
    }
  }

  problems(): string[] {
    const { longestCrossedMs, longestCrossedFromMs } = this.#meter;
    const crossed = `the book stands crossed for ${(longestCrossedMs / 1000).toFixed(1)} s from ${iso(longestCrossedFromMs)}`;
    return [
      formatCount(this.#backwards, 'goes back in time', 'go back in time'),
      formatCount(this.#offTick, 'has a price off the tick', 'have a price off the tick'),
      formatCount(this.#afterEnd, 'follows the end', 'follow the end'),
      longestCrossedMs > CROSSED_LIMIT_MS ? crossed : '',
    ].filter((message) => message !== '');
  }
}

const formatCount = (count: number, one: string, many: string): string =>
  count === 0 ? '' : count === 1 ? `1 event ${one}` : `${count} events ${many}`;

const iso = (timeMs: number): string => new Date(timeMs).toISOString();
