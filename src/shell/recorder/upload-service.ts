/**
 * Sends what a recorder has closed to object storage, beside the recording and never in its way: a bucket that does not answer
 * costs disk, nothing else. What was not sent is sent by the next pass, or by the next start.
 */

import type { Uploader } from '../../recording/objects/upload.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { nowMs } from '../runtime/clock.js';
import { endsWithin } from '../runtime/disk.js';

const PASS_EVERY_MS = 60_000;

export interface UploadOptions {
  /** Absolute path of the folder of recordings. */
  readonly folder: string;
  /** `s3://bucket/prefix`. */
  readonly url: string;
  /** Local days are removed so long after they ended, once the bucket has all of them. */
  readonly keepDays: number;
  /** Only days with many markets in a file: of the others the files are packed first. */
  readonly packed?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told what an operator should know. */
  readonly say: (text: string) => void;
}

export class UploadService {
  readonly #options: UploadOptions;
  readonly #uploader: Uploader;
  readonly #timer: NodeJS.Timeout;
  #pass: Promise<void> | null = null;
  /** What was said last of a bucket that does not take it; null while it does. */
  #trouble: string | null = null;

  private constructor(options: UploadOptions, uploader: Uploader) {
    this.#options = options;
    this.#uploader = uploader;
    this.#timer = setInterval(() => void this.pass(), PASS_EVERY_MS);
    this.#timer.unref();
  }

  /** Throws TwinbookError `usage` for an address that is none, or keys of which one is missing. */
  static async open(options: UploadOptions): Promise<UploadService> {
    const { Uploader } = await import('../../recording/objects/upload.js');
    return new UploadService(
      options,
      new Uploader(options.folder, options.url, options.env, undefined, options.packed),
    );
  }

  /** One at a time. Never throws: it is said once, and again when it is over. */
  pass(): Promise<void> {
    this.#pass ??= this.#send()
      .then(() => this.#onSent())
      .catch((error: unknown) => this.#onTrouble(error))
      .finally(() => {
        this.#pass = null;
      });
    return this.#pass;
  }

  /**
   * Sends the rest, once the recorder has closed its files. Throws TwinbookError `file_unreadable` when that did not succeed
   * within `withinMs`; everything is in the folder then.
   */
  async end(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    const { folder, url } = this.#options;
    let failure: string | null = null;
    const ended = this.#sendRest().catch((error: unknown) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    const isInTime = await endsWithin(ended, withinMs);
    if (isInTime && failure === null) return;
    const reason = failure ?? `it has not ended within ${withinMs / 1000} s`;
    const place = url.replace(/\?.*$/s, '');
    const hint = `\`twinbook data upload ${folder} --to ${place}\` goes on, and so does the next recording there.`;
    throw new TwinbookError('file_unreadable', `${folder} is not all in ${place}: ${reason}`, hint);
  }

  async #sendRest(): Promise<void> {
    await this.#pass;
    await this.#send();
  }

  async #send(): Promise<void> {
    await this.#uploader.upload();
    await this.#uploader.removeUploaded(this.#options.keepDays, nowMs());
  }

  #onSent(): void {
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.#options.say('recordings are uploaded again, all that waited too');
  }

  #onTrouble(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (text === this.#trouble) return;
    this.#trouble = text;
    this.#options.say(`recordings are not uploaded now and wait on the disk: ${text}`);
  }
}
