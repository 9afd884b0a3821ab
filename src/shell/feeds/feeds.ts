/** Reads the feeds of a trader's file, each by itself, and passes on what they say. Nothing here is waited for by the core. */

import { setTimeout as pause } from 'node:timers/promises';
import type { FeedConfig } from '../config/types.js';
import { ChildReader } from './child-feed.js';
import { FileReader } from './file-feed.js';
import { HttpReader } from './http-feed.js';
import { type FeedEars, FeedInbox, type FeedStatus } from './inbox.js';
import { VenueReader } from './venue-feed.js';

/** An address that fails is asked less and less often, up to this, ms. */
const MOST_PATIENT_MS = 5_000;

export interface OpenFeeds {
  status(): readonly FeedStatus[];
  /** Ends programs and lets go of everything. */
  close(): Promise<void>;
}

/** `env`: variables of this process, of which programs get those on a list. */
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
  const look = lookFor(feed, inbox);
  const ended = again(look, feed.everyMs, signal);
  return async () => {
    end.abort();
    await ended;
  };
}

type Look = (signal: AbortSignal) => Promise<boolean>;

function lookFor(feed: Exclude<FeedConfig, { kind: 'child' }>, inbox: FeedInbox): Look {
  if (feed.kind === 'file') return lookAtFile(feed, inbox);
  if (feed.kind === 'http') return lookAtAddress(feed, inbox);
  const reader = new VenueReader(feed, inbox);
  return (signal) => reader.look(signal);
}

function lookAtFile(feed: Extract<FeedConfig, { kind: 'file' }>, inbox: FeedInbox): Look {
  const reader = new FileReader(feed, inbox);
  return async (signal) => {
    await reader.look(signal);
    return true;
  };
}

function lookAtAddress(feed: Extract<FeedConfig, { kind: 'http' }>, inbox: FeedInbox): Look {
  const reader = new HttpReader(feed, inbox);
  return (signal) => reader.look(signal);
}

/** One look after the other, never two at once. */
async function again(look: Look, everyMs: number, signal: AbortSignal): Promise<void> {
  let waitMs = everyMs;
  while (!signal.aborted) {
    const isRead = await look(signal);
    waitMs = isRead ? everyMs : Math.min(Math.max(waitMs * 2, everyMs), Math.max(MOST_PATIENT_MS, everyMs));
    await pause(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
