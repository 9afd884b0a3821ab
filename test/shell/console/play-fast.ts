/// <reference lib="dom" />
/** A page in fast time: the console's data come from inside, each state a moment later than the one before. */

import type { ServedState, ServedTraders } from '../../../src/shell/console/page-state.js';
import type { View } from '../../../src/shell/console/views/views.js';
import { openPageSession } from '../../support/page-client.js';
import { SECRET } from './played-console.js';

export type Answers = Awaited<ReturnType<typeof answersOf>>;

/** The console's current answers about the shown market. */
export async function answersOf(url: string) {
  const { ask } = await openPageSession(url, SECRET);
  const read = async <T>(path: string) => (await (await ask(path)).json()) as T;
  return {
    traders: await read<ServedTraders>('/traders'),
    state: await read<ServedState>('/state?market=m1'),
    chart: await read<View<'chart'>>('/views/chart?market=m1'),
  };
}

/**
 * Runs in the page before its own script. The page pauses after `data-play-to` states until that value grows, and
 * reports the reached state in `data-stands`: so a measurement finds kept objects, not temporary ones.
 */
export function playFast({ traders, state, chart }: Answers): void {
  let frame = 0;
  const later = window.setTimeout;
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  // The document has no element yet.
  const marks = () => document.documentElement.dataset;
  const goOn = () => {
    if (frame < Number(marks()['playTo'] ?? 0)) waiting.shift()?.();
    else marks()['stands'] = String(frame);
  };
  channel.port1.onmessage = goOn;
  new MutationObserver(() => {
    for (const _ of waiting) channel.port2.postMessage(null);
  }).observe(document, { subtree: true, attributeFilter: ['data-play-to'] });
  // The page asks for the next state without a wait.
  Object.assign(window, { setTimeout: (call: () => void) => later(call, 0) });
  performance.now = () => frame * 1000;
  AbortSignal.timeout = () => new AbortController().signal;
  const { market } = state;
  const moved = () => {
    const now = state.now + frame * 1000;
    const fair = (0.5 + 0.1 * Math.sin(frame / 40)).toFixed(6);
    const ladder = market?.ladder.map((row) => ({ ...row, price: (Number(row.price) + (frame % 7) / 100).toFixed(2) }));
    return { ...state, now, heard: now, market: { ...market, fair, book_seen: now - 700, ladder } };
  };
  const redrawn = () => ({
    ...chart,
    time: chart.time.map((ms) => ms + frame * 1000),
    fair: chart.fair.map((price) => (price ?? 0) + (frame % 9) * 1000),
  });
  const nextState = () =>
    new Promise<object>((resolve) => {
      waiting.push(() => {
        frame++;
        resolve(moved());
      });
      channel.port2.postMessage(null);
    });
  // The key from before the page's reload; the played data prove nothing.
  const { salt } = JSON.parse(sessionStorage.getItem('twinbook-session') ?? '{}');
  crypto.subtle.verify = async () => true;
  Object.assign(window, {
    fetch: async (path: string) => {
      if (path.startsWith('/session')) return Response.json({ salt, rounds: 1, nonce: 'n', proofs: ['0'] });
      if (path.startsWith('/state')) return Response.json(await nextState());
      return Response.json(path.startsWith('/traders') ? traders : redrawn());
    },
  });
}
