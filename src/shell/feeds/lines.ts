/** Bytes as lines, in bounded memory and at a bounded pace: the trader's own steps run in between. */

import { setTimeout as pause } from 'node:timers/promises';
import type { RowProblem } from './read-row.js';

/** A longer line is no row. */
const MAX_LINE_BYTES = 4096;

/** Lines taken at once, a millisecond or two of work; then other due work runs. */
const AT_ONCE = 200;

/** Pause after each of these, ms: an endless source gets at most a fifth of a processor. */
const PAUSE_MS = 10;

const LINE_END = 10;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const TOO_LONG: RowProblem = { kind: 'long', text: `a line is longer than ${MAX_LINE_BYTES} bytes` };
const NOT_UTF8: RowProblem = { kind: 'utf8', text: 'a line is not UTF-8' };

export interface LineTaker {
  readonly line: (text: string) => void;
  readonly problem: (problem: RowProblem) => void;
}

/** Passes every complete line to `taker`; returns their bytes. A rest without a line end stays unread. */
export async function takeLines(chunks: AsyncIterable<Buffer>, taker: LineTaker, signal: AbortSignal): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  let isSkipping = false;
  let bytes = 0;
  let inARow = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0 && !signal.aborted; end = chunk.indexOf(LINE_END, from)) {
      const line = rest.length === 0 ? chunk.subarray(from, end) : Buffer.concat([rest, chunk.subarray(from, end)]);
      bytes += line.length + 1;
      if (isSkipping || line.length > MAX_LINE_BYTES) taker.problem(TOO_LONG);
      else takeLine(line, taker);
      rest = Buffer.alloc(0);
      isSkipping = false;
      from = end + 1;
      inARow += 1;
      if (inARow % AT_ONCE === 0) await pause(PAUSE_MS);
    }
    if (signal.aborted) break;
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length <= MAX_LINE_BYTES) continue;
    bytes += rest.length;
    rest = Buffer.alloc(0);
    isSkipping = true;
  }
  return bytes;
}

function takeLine(bytes: Buffer, taker: LineTaker): void {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return taker.problem(NOT_UTF8);
  }
  taker.line(text.endsWith('\r') ? text.slice(0, -1) : text);
}

/** The rows of a list one by one, at the same pace. */
export async function takeRows(
  rows: readonly unknown[],
  take: (row: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (signal.aborted) return;
    take(row);
    if ((index + 1) % AT_ONCE === 0) await pause(PAUSE_MS);
  }
}
