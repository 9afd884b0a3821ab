/** The `feeds` of a trader's file: what each kind wants, and where it is. */

import { resolve } from 'node:path';
import type { Problem } from '../problems.js';
import type { TraderFile } from '../schema.js';
import type { At } from './venue.js';

type FeedsFile = TraderFile['feeds'];
type FeedFile = FeedsFile[string];

/** Keys that belong to one kind, the needed one first. */
const KEYS = {
  file: ['path'],
  http: ['url', 'hosts'],
  child: ['command', 'env'],
  polymarket: ['markets', 'url', 'hosts'],
  kalshi: ['markets', 'url', 'hosts'],
} as const satisfies Record<FeedFile['kind'], readonly (keyof FeedFile)[]>;

/** Where these venues answer without credentials. */
const VENUE_URLS = {
  polymarket: 'https://clob.polymarket.com',
  kalshi: 'https://api.elections.kalshi.com/trade-api/v2',
} as const;

/** Missing keys of each kind, and keys of another kind. */
export function feedProblems(feeds: FeedsFile, at: At): readonly Problem[] {
  return Object.entries(feeds).flatMap(([name, feed]) => {
    const { kind } = feed;
    const [needed] = KEYS[kind];
    const missing = feed[needed] === undefined ? [at(['feeds', name], `a feed of kind ${kind} wants ${needed}`)] : [];
    const own: readonly string[] = KEYS[kind];
    const foreign = [...new Set(Object.values(KEYS).flat())]
      .filter((key) => !own.includes(key) && feed[key] !== undefined)
      .map((key) => at(['feeds', name, key], `a feed of kind ${kind} has no ${key}; remove it`));
    const { url } = feed;
    const strange =
      url !== undefined && own.includes('hosts') && !listHosts(feed, url).includes(new URL(url).host)
        ? [at(['feeds', name, 'hosts'], `does not hold ${new URL(url).host}, the host of url`)]
        : [];
    return [...missing, ...foreign, ...strange];
  });
}

/** Of feeds without a problem. */
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
