/** Reads the feeds of a trader's file independently and passes their values on. The core never waits for them. */

import { setTimeout as pause } from 'node:timers/promises';
import type { FeedConfig } from '../config/types.js';
import { ChildReader } from './child-feed.js';
import { FileReader } from './file-feed.js';
import { HttpReader } from './http-feed.js';
import { type FeedEars, FeedInbox, type FeedStatus } from './inbox.js';
import { VenueReader } from './venue-feed.js';

/** A failing address is asked with growing intervals, up to this, ms. */
const MOST_PATIENT_MS = 5_000;

export interface OpenFeeds {
  status(): readonly FeedStatus[];
  /** Ends programs and releases everything. */
  close(): Promise<void>;
}

/** `env`: variables of this process; programs get those on a list. */
export function openFeeds(
  feeds: readonly FeedConfig[],
  ears: FeedEars,
  env: Readonly<Record<string, string | undefined>>,
): OpenFeeds {
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

function begin(feed: FeedConfig, inbox: FeedInbox, env: Readonly<Record<string, string | undefined>>) {
  if (feed.kind === 'child') {
    const reader = new ChildReader(feed, inbox, env);
    reader.start();
    return () => reader.close();
  }
  const end = new AbortController();
  const { signal } = end;
  const reader = openReader(feed, inbox);
  const ended = again(reader, feed.everyMs, signal);
  return async () => {
    end.abort();
    await ended;
  };
}

interface Reader {
  /** Reads once; false when something could not be read. Never throws. */
  look(signal: AbortSignal): Promise<boolean>;
}

function openReader(feed: Exclude<FeedConfig, { kind: 'child' }>, inbox: FeedInbox): Reader {
  if (feed.kind === 'file') return new FileReader(feed, inbox);
  return feed.kind === 'http' ? new HttpReader(feed, inbox) : new VenueReader(feed, inbox);
}

/** One read after the other, never two at once. */
async function again(reader: Reader, everyMs: number, signal: AbortSignal): Promise<void> {
  let waitMs = everyMs;
  while (!signal.aborted) {
    const isRead = await reader.look(signal);
    waitMs = isRead ? everyMs : Math.min(Math.max(waitMs * 2, everyMs), Math.max(MOST_PATIENT_MS, everyMs));
    await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
