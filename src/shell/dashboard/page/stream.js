/** Changes of the console's state, by server-sent events: an `EventSource` could prove nothing. */

import { alarm, askStream, explainFailure, PATIENCE_MS } from './ask.js';

/**
 * A browser has six connections per address. This many of its pages have a stream, the others poll: a press needs a
 * free connection.
 */
const TOLD_PAGES = 4;
/** Delay until a page without a stream tries again, ms. */
const AGAIN_MS = 30_000;
let notBefore = 0;

/**
 * False when nothing arrived: then it must be polled.
 *
 * @param {string} path @param {AbortSignal} signal that ends it @param {(answer: any) => void} take
 * @returns {Promise<boolean>}
 */
export async function follow(path, signal, take) {
  if (performance.now() < notBefore || navigator.locks === undefined) return false;
  for (let i = 0; i < TOLD_PAGES; i++) {
    const isDone = await navigator.locks.request(`told ${i}`, { ifAvailable: true }, async (lock) =>
      lock === null ? null : read(path, signal, take),
    );
    if (isDone !== null) return isDone;
  }
  notBefore = performance.now() + AGAIN_MS;
  return false;
}

/** @param {string} path @param {AbortSignal} signal @param {(answer: any) => void} take */
async function read(path, signal, take) {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  const lose = () => {
    alarm(explainFailure(null));
    end();
  };
  let silence = setTimeout(lose, PATIENCE_MS);
  let isTold = false;
  try {
    const { response, read: readEvent } = await askStream(`/stream${path}`, stop.signal);
    if (response.status === 503) notBefore = performance.now() + AGAIN_MS;
    const reader = response.ok && response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; reader; ) {
      const { value, done } = await reader.read();
      if (done) break;
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      // Each is a whole state: of several only the newest counts.
      const read = await Promise.all(events.map((event, i) => readEvent(event, i === events.length - 1)));
      const newest = read.at(-1);
      // Bytes without an event say nothing about the console.
      if (newest === undefined) continue;
      clearTimeout(silence);
      silence = setTimeout(lose, PATIENCE_MS);
      if (!signal.aborted) take(JSON.parse(newest));
      isTold = true;
    }
  } catch {
    // The poll instead shows the reason.
  }
  clearTimeout(silence);
  end();
  return isTold;
}
