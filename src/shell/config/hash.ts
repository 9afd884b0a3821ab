/** Hash of a configuration; each order stores the hash in force. */

import { createHash } from 'node:crypto';
import type { Config } from './types.js';

/**
 * Lower-case hex SHA-256 over canonical JSON (keys sorted) of everything that shapes a decision. Places on this machine
 * (paths, ports, sockets, logs) are left out, so that the same settings have the same hash everywhere; a strategy's
 * code is in it by the hash of its file.
 */
export function configHash(config: Omit<Config, 'configHash'>, sourceHashes: readonly string[]): string {
  const { venue, exchange, capitalMicros, risk, polling, merge, economics, events, feeds, schedule, strategies } =
    config;
  const shaping = {
    venue,
    exchange:
      exchange === null ? null : { ...exchange, dataDir: null, port: null, marketData: exchange.marketData.length },
    capitalMicros,
    risk,
    polling,
    merge,
    economics,
    events,
    schedule,
    // The source of a feed is a place on this machine; a file without feeds keeps its hash.
    feeds: feeds.length === 0 ? undefined : feeds.map(({ name, maxAgeMs }) => ({ name, maxAgeMs })),
    strategies: strategies.map(({ name, params, markets, quoteHours, risk: limits, module }, index) => ({
      name,
      strategy: module.name,
      source: sourceHashes[index],
      params,
      markets,
      quoteHours,
      risk: limits,
    })),
  };
  return createHash('sha256').update(canonicalJson(shaping)).digest('hex');
}

/** JSON with sorted keys and no blanks: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
