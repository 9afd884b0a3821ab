/** Stores the newest values of the user's feeds for each market. Strategies see only current feed values. */

import type { FeedValue, Observation } from '../../shared/protocol/seam.js';
import type { FeedView, FeedViews } from '../market/view.js';
import type { Markets } from './markets.js';
import type { Notices } from './notices.js';
import type { FeedSettings, TraderSettings } from './settings.js';

/** Maximum number of markets stored per feed; a further market replaces the least recently updated one. */
const MAX_MARKETS = 2_000;

interface FeedsContext {
  readonly markets: Pick<Markets, 'get' | 'listSlots' | 'hasCatalog'>;
  readonly settings: Pick<TraderSettings, 'strategies'>;
  readonly notices: Pick<Notices, 'notify' | 'alert'>;
}

interface FeedMemory {
  readonly settings: FeedSettings;
  /** Newest feed values by condition id of the market, the oldest update first. */
  readonly newest: Map<string, FeedValue>;
  values: number;
  /** True if the last notice about the feed reported current values, false for silence; null before a notice. */
  told: boolean | null;
  /** Time when the wait for the feed's first value began, our clock, ms; null before the first tick. */
  sinceMs: number | null;
  namedUnknown: boolean;
}

export class Feeds {
  readonly #feeds: ReadonlyMap<string, FeedMemory>;

  constructor(settings: readonly FeedSettings[]) {
    this.#feeds = new Map(
      settings.map((one) => [
        one.name,
        { settings: one, newest: new Map(), values: 0, told: null, sinceMs: null, namedUnknown: false },
      ]),
    );
  }

  /** Stores new values of a feed. Ignores values older than the stored value, and values of an unknown feed. */
  take(seen: Omit<Extract<Observation, { kind: 'feed' }>, 'kind'>, around: FeedsContext): void {
    const feed = this.#feeds.get(seen.feed);
    if (feed === undefined) return;
    for (const value of seen.values) {
      const { conditionId, atMs } = value;
      const before = feed.newest.get(conditionId);
      if (before !== undefined && before.atMs > atMs) continue;
      feed.values += 1;
      feed.newest.delete(conditionId);
      feed.newest.set(conditionId, value);
      const [oldest] = feed.newest.keys();
      if (feed.newest.size > MAX_MARKETS && oldest !== undefined) feed.newest.delete(oldest);
      for (const slot of around.markets.listSlots(conditionId)) {
        if (!slot.feeds.includes(seen.feed)) continue;
        slot.dirty = true;
        slot.observe({ kind: 'feed', nowMs: seen.nowMs, feed: seen.feed });
      }
      nameUnknown(feed, conditionId, seen.nowMs, around);
    }
  }

  /** Returns the current values of the feeds `names` for one market, as a frozen object. */
  of(conditionId: string, names: readonly string[], nowMs: number): FeedViews {
    const views: Record<string, FeedView> = {};
    for (const { name, view, withheld } of this.readings(conditionId, names, nowMs))
      if (view !== null && withheld === null) views[name] = view;
    return Object.freeze(views);
  }

  /** Returns the newest values of the feeds `names` for one market. `withheld`: why strategies do not see a value. */
  readings(conditionId: string, names: readonly string[], nowMs: number) {
    return [...new Set(names)].map((name) => {
      const feed = this.#feeds.get(name);
      const value = feed?.newest.get(conditionId);
      if (feed === undefined || value === undefined)
        return { name, view: null, withheld: 'the feed has no value for this market' };
      const { conditionId: _market, ...shown } = value;
      return {
        name,
        view: Object.freeze({ ...shown, ageMs: nowMs - value.atMs }),
        withheld: whyNotCurrent(value, feed.settings, nowMs),
      };
    });
  }

  /** Sets all times back together with our clock, so that no value becomes newer or valid for longer. */
  clockSetBack(byMs: number): void {
    for (const feed of this.#feeds.values()) {
      if (feed.sinceMs !== null) feed.sinceMs -= byMs;
      for (const [conditionId, value] of feed.newest) {
        const validUntilMs = value.validUntilMs === null ? null : value.validUntilMs - byMs;
        feed.newest.set(conditionId, { ...value, atMs: value.atMs - byMs, validUntilMs });
      }
    }
  }

  /** Sends one notice when a feed's values become outdated, and one when the feed has current values again. */
  look(notices: FeedsContext['notices'], nowMs: number): void {
    for (const feed of this.#feeds.values()) {
      feed.sinceMs ??= nowMs;
      const { name, maxAgeMs } = feed.settings;
      const isCurrent = countCurrent(feed, nowMs) > 0;
      const isNew = feed.told !== isCurrent && (isCurrent || feed.told === true || nowMs - feed.sinceMs > maxAgeMs);
      if (!isNew) continue;
      const silence = `feed ${name} ${describeSilence(newestAgeMs(feed, nowMs))}: strategies that need it do not quote`;
      if (isCurrent) notices.notify(nowMs, 'feed_current', `feed ${name} has current values`);
      else notices.alert(nowMs, 'feed_silent', silence);
      feed.told = isCurrent;
    }
  }

  snapshot(nowMs: number) {
    return Array.from(this.#feeds.values(), (feed) => ({
      name: feed.settings.name,
      current: countCurrent(feed, nowMs),
      values: feed.values,
      /** Time since the feed's newest stored value, ms; null before the first value. */
      ageMs: newestAgeMs(feed, nowMs),
    }));
  }
}

function whyNotCurrent({ atMs, validUntilMs }: FeedValue, { maxAgeMs }: FeedSettings, nowMs: number): string | null {
  if (!(nowMs - atMs <= maxAgeMs)) return `the value is older than ${maxAgeMs / 1000} s`;
  return validUntilMs !== null && nowMs >= validUntilMs ? 'the value has expired' : null;
}

const countCurrent = ({ newest, settings }: FeedMemory, nowMs: number): number =>
  [...newest.values()].filter((value) => whyNotCurrent(value, settings, nowMs) === null).length;

const newestAgeMs = ({ newest }: FeedMemory, nowMs: number): number | null =>
  newest.size === 0 ? null : Math.min(...Array.from(newest.values(), ({ atMs }) => nowMs - atMs));

const describeSilence = (ageMs: number | null): string =>
  ageMs === null
    ? 'has sent no value yet'
    : `has no current value, its newest value is ${Math.round(ageMs / 1000)} s old`;

/** Sends one notice per feed if the feed names an unknown market after the first complete market list. */
function nameUnknown(
  feed: FeedMemory,
  conditionId: string,
  nowMs: number,
  { markets, settings, notices }: FeedsContext,
): void {
  if (feed.namedUnknown || markets.get(conditionId) !== undefined) return;
  if (!markets.hasCatalog && settings.strategies.some(({ markets: { ids } }) => ids.length === 0)) return;
  feed.namedUnknown = true;
  const shown = conditionId.replaceAll(/[^\w-]/g, '?');
  const text = `feed ${feed.settings.name} names market ${shown}, which no strategy quotes; reported once`;
  notices.alert(nowMs, 'feed_unknown_market', text);
}
