/** Reads the feeds of a trader's file independently and passes their values on. The core never waits for them. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../config/environment.js';
import type { FeedConfig } from '../config/types.js';
import { ChildReader } from './child-feed.js';
import { FileReader } from './file-feed.js';
import { makeHttpReader } from './http-feed.js';
import { type FeedEars, FeedInbox, type FeedStatus } from './inbox.js';
import { makeVenueReader } from './venue-feed.js';

/** A failing address is asked with growing intervals, up to this, ms. */
const MOST_PATIENT_MS = 5_000;

export interface OpenFeeds {
  status(): readonly FeedStatus[];
  /** Ends programs and releases everything. */
  close(): Promise<void>;
}

/** `env`: variables of this process; programs get those on a list. */
export function openFeeds(feeds: readonly FeedConfig[], ears: FeedEars, env: Environment): OpenFeeds {
  const opened = feeds.map((feed) => {
    const inbox = new FeedInbox(feed.name, ears);
    return { inbox, close: begin(feed, inbox, env) };
  });
  return {
    status: () => opened.map(({ inbox }) => inbox.status),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
      for (const { inbox } of opened) inbox.close();
    },
  };
}

function begin(feed: FeedConfig, inbox: FeedInbox, env: Environment) {
  if (feed.kind === 'child') {
    const reader = new ChildReader(feed, inbox, env);
    reader.start();
    return () => reader.close();
  }
  const end = new AbortController();
  const ended = again(makeReader(feed, inbox), feed.everyMs, end.signal);
  return async () => {
    end.abort();
    await ended;
  };
}

/** Reads once; false when something could not be read. Never throws. */
type Read = (signal: AbortSignal) => Promise<boolean>;

function makeReader(feed: Exclude<FeedConfig, { kind: 'child' }>, inbox: FeedInbox): Read {
  if (feed.kind === 'http') return makeHttpReader(feed, inbox);
  if (feed.kind !== 'file') return makeVenueReader(feed, inbox);
  const reader = new FileReader(feed, inbox);
  return (signal) => reader.look(signal);
}

/** One read after the other, never two at once. */
async function again(read: Read, everyMs: number, signal: AbortSignal): Promise<void> {
  let waitMs = everyMs;
  while (!signal.aborted) {
    const isRead = await read(signal);
    waitMs = isRead ? everyMs : Math.min(Math.max(waitMs * 2, everyMs), Math.max(MOST_PATIENT_MS, everyMs));
    await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
