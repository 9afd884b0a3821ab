/** Follows a CSV or JSONL file: a replaced file is read from the start, a growing one from its last position. */

import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../../shared/base/errors.js';
import type { FileFeed } from '../config/types.js';
import type { FeedInbox } from './inbox.js';
import { takeLines } from './lines.js';
import { FileRows } from './read-row.js';

/** A larger file is not read. */
const MAX_BYTES = 16 * 1024 * 1024;

const LINE_END = 10;

export class FileReader {
  readonly #feed: FileFeed;
  readonly #inbox: FeedInbox;
  /** The file at its last read. */
  #seen: Stats | null = null;
  /** Bytes of it taken so far, up to the end of a line. */
  #offset = 0;
  #rows: FileRows;

  constructor(feed: FileFeed, inbox: FeedInbox) {
    this.#feed = feed;
    this.#inbox = inbox;
    this.#rows = new FileRows(feed.path);
  }

  /** Reads once; never throws. True also for an unreadable file: reading again costs nothing. */
  async look(signal: AbortSignal): Promise<boolean> {
    let file: FileHandle | null = null;
    try {
      file = await open(this.#feed.path, 'r');
      await this.#read(file, signal);
    } catch (error) {
      this.#inbox.trouble(`cannot be read: ${messageOf(error)}`);
    } finally {
      await file?.close().catch(() => undefined);
    }
    return true;
  }

  async #read(file: FileHandle, signal: AbortSignal): Promise<void> {
    const stats = await file.stat();
    if (!stats.isFile()) return this.#inbox.trouble(`${this.#feed.path} is no file`);
    if (stats.size > MAX_BYTES) {
      return this.#inbox.trouble(`${this.#feed.path} has ${stats.size} bytes, at most ${MAX_BYTES} are read`);
    }
    const before = this.#seen;
    const isSame =
      before !== null && before.ino === stats.ino && before.size === stats.size && before.mtimeMs === stats.mtimeMs;
    if (isSame) return this.#noteUnfinished(stats);
    if (!(await this.#isLonger(file, stats))) {
      this.#offset = 0;
      this.#rows = new FileRows(this.#feed.path);
    }
    this.#seen = stats;
    this.#inbox.fine();
    if (stats.size === this.#offset) return;
    // Only up to the seen size: later bytes are for the next read.
    const bytes = file.createReadStream({ start: this.#offset, end: stats.size - 1, autoClose: false });
    const line = (text: string): void => this.#line(text);
    const problem = this.#inbox.problem.bind(this.#inbox);
    this.#offset += await takeLines(bytes, { line, problem }, signal);
  }

  /** The same file with more at its end; a longer file without a line end there was rewritten. */
  async #isLonger(file: FileHandle, { ino, size }: Stats): Promise<boolean> {
    const before = this.#seen;
    if (before === null || before.ino !== ino || size <= before.size || this.#offset === 0) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, this.#offset - 1);
    return bytesRead === 1 && buffer[0] === LINE_END;
  }

  /** A last line without an end may still be in progress: half of a number is another number. */
  #noteUnfinished({ size }: Stats): void {
    if (size === this.#offset) return this.#inbox.fine();
    this.#inbox.trouble('its last line has no line end, and is not taken before it has one');
  }

  #line(text: string): void {
    const read = this.#rows.read(text);
    if (read === null) return;
    if ('problem' in read) this.#inbox.problem(read.problem);
    else this.#inbox.row(read.row);
  }
}
