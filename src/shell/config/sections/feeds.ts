/** The `feeds` of a trader's file: keys of each kind, and their sources. */

import { resolve } from 'node:path';
import { type At, type KindKeys, kindProblems } from '../explain-issues.js';
import type { Problem } from '../problems.js';
import type { TraderFile } from '../schema.js';

type FeedsFile = TraderFile['feeds'];
type FeedFile = FeedsFile[string];

const OTHER_VENUE = { wants: ['markets'], may: ['url', 'hosts'] };
const KEYS: KindKeys<FeedFile['kind']> = {
  file: { wants: ['path'], may: [] },
  http: { wants: ['url'], may: ['hosts'] },
  child: { wants: ['command'], may: ['env'] },
  polymarket: OTHER_VENUE,
  kalshi: OTHER_VENUE,
};

/** Addresses at which these venues answer without credentials. */
const VENUE_URLS = {
  polymarket: 'https://clob.polymarket.com',
  kalshi: 'https://api.elections.kalshi.com/trade-api/v2',
} as const;

export const feedProblems = (feeds: FeedsFile, at: At): readonly Problem[] =>
  Object.entries(feeds).flatMap(([name, feed]) => {
    const path = ['feeds', name];
    const { kind, url } = feed;
    const host = url === undefined || !KEYS[kind].may.includes('hosts') ? null : new URL(url).host;
    const isStrange = host !== null && !listHosts(feed, url ?? '').includes(host);
    return [
      ...kindProblems('feed', feed, KEYS, path, at),
      ...(isStrange ? [at([...path, 'hosts'], `does not hold ${host}, the host of url`)] : []),
    ];
  });

/** The feeds must be without a problem. */
export const makeFeeds = (feeds: FeedsFile, folder: string) =>
  Object.entries(feeds).map(([name, feed]) => makeFeed(name, feed, folder));

function makeFeed(name: string, feed: FeedFile, folder: string) {
  const { kind, path = '', url = '', command = [], env = [], every_ms: everyMs } = feed;
  const named = { name, maxAgeMs: Math.round(feed.max_age_s * 1000) };
  switch (kind) {
    case 'file':
      return { ...named, kind, path: resolve(folder, path), everyMs };
    case 'http':
      return { ...named, kind, url, hosts: listHosts(feed, url), everyMs };
    case 'child':
      return { ...named, kind, command, cwd: folder, env };
    case 'polymarket':
    case 'kalshi': {
      const base = url === '' ? VENUE_URLS[kind] : url;
      const markets = Object.entries(feed.markets ?? {}).map(([conditionId, nameThere]) => ({
        conditionId,
        nameThere,
      }));
      return { ...named, kind, url: base, hosts: listHosts(feed, base), markets, everyMs };
    }
  }
}

function listHosts({ hosts }: FeedFile, url: string): readonly string[] {
  if (hosts !== undefined) return hosts.map((host) => host.toLowerCase());
  return url === '' ? [] : [new URL(url).host];
}
