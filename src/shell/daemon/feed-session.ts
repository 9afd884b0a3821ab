/** The feeds of a trader while it runs. */

import type { Config } from '../config/types.js';
import type { OpenFeeds } from '../feeds/feeds.js';
import type { FeedEars, FeedStatus } from '../feeds/inbox.js';
import type { Loop } from '../runtime/loop.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

export interface FeedSessionOptions {
  readonly config: Pick<Config, 'feeds'>;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly screen: Pick<Screen, 'say'>;
  readonly loop: Pick<Loop, 'feed'>;
}

/** Follows every feed of the configuration from its start on. */
export class FeedSession {
  readonly #options: FeedSessionOptions;
  #opened: Promise<OpenFeeds | null> = Promise.resolve(null);
  #feeds: OpenFeeds | null = null;
  #isClosed = false;

  constructor(options: FeedSessionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#opened = this.#open(this.#options);
  }

  get status(): readonly FeedStatus[] {
    return this.#feeds?.status() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opened)?.close();
  }

  async #open({ config, log, env, screen, loop }: FeedSessionOptions): Promise<OpenFeeds | null> {
    // Most traders have none: they start faster without loading the readers.
    if (config.feeds.length === 0) return null;
    const { openFeeds } = await import('../feeds/feeds.js');
    if (this.#isClosed) return null;
    const loud = (text: string): void => {
      log.logger.warn(text);
      screen.say(`warning: ${text}`);
    };
    const quiet = (text: string): void => log.logger.info(text);
    const deliver: FeedEars['deliver'] = (feed, values) => loop.feed(feed, values);
    this.#feeds = openFeeds(config.feeds, { deliver, loud, quiet }, env);
    return this.#feeds;
  }
}
