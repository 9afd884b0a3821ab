/**
 * `twinbook record`: polls a venue within a share of its request budget and records it until stopped. It has no wallet
 * and places nothing; credentials only let it read own orders and trades.
 */

import { plainLine } from '../../shared/base/text.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { ServiceClient } from '../client/client.js';
import type { ClientNotice } from '../client/contract.js';
import type { Environment } from '../config/environment.js';
import type { FeedConfig } from '../config/types.js';
import { type OpenFeeds, openFeeds } from '../feeds/feeds.js';
import type { FeedEars } from '../feeds/inbox.js';
import { duration, nowMs, steadyMs } from '../runtime/clock.js';
import { Loop, type Told } from '../runtime/loop.js';
import type { Credentials } from '../wallet/credentials.js';
import type { CaptureCounts } from './capture/contract.js';
import { QUIET_INTERVAL_MS, type RecordNotice, RecordPlan } from './record-plan.js';
import { Recorder } from './recorder.js';

const LINE_EVERY_MS = 60_000;
/** The first ones come sooner, so that a person sees progress. */
const FIRST_LINES_MS = [5_000, 15_000, 30_000] as const;

export interface RecordOptions {
  readonly venue: string;
  readonly profile: VenueProfile;
  readonly baseUrl: string;
  /** Absolute path of the folder of recordings. */
  readonly folder: string;
  /** Fraction of the venue's request budget to use, above 0, at most 1. */
  readonly share: number;
  /** Only these markets; empty for all open ones. */
  readonly marketIds: readonly string[];
  /** Ends after this time; null: never. */
  readonly minutes: number | null;
  /** Requested levels per side, 1 to 100. */
  readonly bookDepth: number;
  /** For own orders and trades; null records only public data. */
  readonly credentials: Credentials | null;
  /** Followed and recorded too. */
  readonly feeds: readonly FeedConfig[];
}

export interface RecordIo {
  /** For programs that are feeds. */
  readonly env: Environment;
  readonly out: (text: string) => void;
  readonly stopAsked: () => Promise<void>;
}

/**
 * Records until stopped; returns counts. Throws TwinbookError for an unwritable folder, also when the disk fills up.
 */
export async function record(options: RecordOptions, io: RecordIo): Promise<CaptureCounts> {
  const asked = io.stopAsked();
  const limits = sharedLimits(options);
  let onFailure: (error: unknown) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    onFailure = reject;
  });
  // A waiting caller still gets the error; this only avoids an unhandled rejection.
  failure.catch(() => undefined);
  const recorder = await Recorder.open({
    folder: options.folder,
    venue: options.venue,
    bookIntervalMs: QUIET_INTERVAL_MS,
    only: options.marketIds.length === 0 ? null : new Set(options.marketIds),
    publicPerMinute: limits.public_per_minute,
    onFailure,
  });
  const service = new RecordService(options, limits, recorder, io, onFailure);
  try {
    await Promise.race([asked, failure, service.run()]);
  } finally {
    await service.end();
  }
  service.sayLast();
  return recorder.capture.counts;
}

/** Whole requests, and at least one a minute of each kind. */
function sharedLimits({ profile, share }: RecordOptions): VenueProfile['rate_limits'] {
  const part = (perMinute: number) => Math.max(1, Math.floor(perMinute * share));
  const { public_per_minute: open, signed_per_minute: signed, bootstrap_per_minute: bootstrap } = profile.rate_limits;
  return { public_per_minute: part(open), signed_per_minute: part(signed), bootstrap_per_minute: bootstrap };
}

class RecordService {
  readonly #options: RecordOptions;
  readonly #limits: VenueProfile['rate_limits'];
  readonly #recorder: Recorder;
  readonly #say: (text: string) => void;
  readonly #client: ServiceClient;
  readonly #plan: RecordPlan;
  readonly #loop: Loop;
  readonly #startedMs = steadyMs();
  readonly #env: RecordIo['env'];
  #feeds: OpenFeeds | null = null;
  readonly #timers: NodeJS.Timeout[] = [];
  #finish: () => void = () => undefined;

  constructor(
    options: RecordOptions,
    limits: VenueProfile['rate_limits'],
    recorder: Recorder,
    io: RecordIo,
    onFailure: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#limits = limits;
    this.#recorder = recorder;
    this.#say = (text) => io.out(`${plainLine(text)}\n`);
    this.#env = io.env;
    const { profile, baseUrl, credentials } = options;
    this.#client = new ServiceClient({
      profile,
      baseUrl,
      onNotice: (notice) => this.#tell(notice),
      budgets: { public: limits.public_per_minute, signed: limits.signed_per_minute },
      ...(credentials === null ? {} : { credentials }),
    });
    this.#plan = new RecordPlan({
      limits,
      ownTrades: profile.own_trades,
      bookDepth: options.bookDepth,
      marketIds: options.marketIds,
      own: credentials !== null,
      shared: options.share < 1,
    });
    const afterStep: Told = (...step) => this.#afterStep(...step);
    this.#loop = new Loop(this.#plan, this.#client, { before: () => null, afterStep, onFailure });
  }

  /** Resolves after the given minutes, or when every named market is over. */
  run(): Promise<void> {
    const { venue, baseUrl, folder, bookDepth, credentials, minutes } = this.#options;
    this.#say(`recording ${venue} at ${baseUrl} into ${folder}`);
    const own = credentials === null ? 'public data only' : 'with own orders and own trades';
    const { public_per_minute: open, signed_per_minute: signed } = this.#limits;
    this.#say(`up to ${open} public and ${signed} signed requests a minute, ${bookDepth} levels a side, ${own}`);
    this.#loop.start();
    this.#openFeeds();
    this.#timers.push(
      ...FIRST_LINES_MS.map((afterMs) => setTimeout(() => this.#line(), afterMs)),
      setInterval(() => this.#line(), LINE_EVERY_MS),
    );
    return new Promise((resolve) => {
      this.#finish = resolve;
      if (minutes !== null) this.#timers.push(setTimeout(resolve, minutes * 60_000));
    });
  }

  #openFeeds(): void {
    const { feeds } = this.#options;
    if (feeds.length === 0) return;
    const say = (text: string): void => this.#say(text);
    const deliver: FeedEars['deliver'] = (feed, values) => this.#loop.feed(feed, values);
    this.#feeds = openFeeds(feeds, { deliver, loud: say, quiet: say }, this.#env);
    this.#say(`with the feeds ${feeds.map(({ name }) => name).join(', ')}`);
  }

  /** Throws the disk's errors. */
  async end(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#loop.end();
    await this.#feeds?.close();
    await this.#client.close();
    await this.#recorder.close();
  }

  sayLast(): void {
    this.#say(`recorded ${duration(steadyMs() - this.#startedMs)}: ${countsText(this.#recorder.capture.counts)}`);
  }

  #afterStep(...[observation, requests, failure]: Parameters<Told>): void {
    if (failure !== null) return;
    this.#recorder.step(observation, requests);
    this.#plan.ownResting = this.#recorder.capture.ownResting;
    const notices = this.#plan.takeNotices();
    for (const notice of notices) this.#onNotice(notice);
    if (notices.length === 0 || !this.#plan.isOver) return;
    this.#say('none of the named markets can be recorded any more');
    this.#finish();
  }

  #onNotice(notice: RecordNotice): void {
    const at = new Date(nowMs()).toISOString().slice(11, 19);
    switch (notice.kind) {
      case 'silent':
        return this.#say(`${at} the venue does not answer (${notice.reason}); until it does the recording has gaps`);
      case 'answering':
        this.#say(`${at} the venue answers again`);
        return this.#line();
      case 'list':
      case 'market':
        return this.#say(`${at} ${notice.text}`);
    }
  }

  #line(): void {
    const { perMinute, available: left } = this.#plan.queue.status('public', nowMs());
    const parts = [
      duration(steadyMs() - this.#startedMs),
      `${this.#plan.open} markets open`,
      countsText(this.#recorder.capture.counts),
      `each book about every ${Math.round(this.#recorder.usualMs / 1000)} s`,
      `requests/min public ${Math.max(0, perMinute - left)} of ${this.#limits.public_per_minute}`,
    ];
    this.#say(parts.join(' | '));
  }

  #tell(notice: ClientNotice): void {
    if (notice.kind === 'throttled') {
      return this.#say(`the venue refuses requests for ${Math.ceil(notice.waitMs / 1000)} s: the budget is used up`);
    }
    this.#say(`this machine's clock differs from the venue's by ${(notice.offsetMs / 1000).toFixed(1)} s`);
  }
}

function countsText({ markets, levels, trades, gaps, own, feedValues, refused }: CaptureCounts): string {
  const more = [
    ...(own > 0 ? [`${own} own rows`] : []),
    ...(feedValues > 0 ? [`${feedValues} values of feeds`] : []),
    ...(refused > 0 ? [`${refused} refused as no events`] : []),
  ];
  return [`${markets} recorded`, `${levels} levels`, `${trades} trades`, `${gaps} gaps`, ...more].join(', ');
}
