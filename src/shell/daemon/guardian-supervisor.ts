/**
 * The trader's supervisor of its guardian: starts it, checks its beats, restarts it without them, and informs the
 * operator. It trusts only the guardian's file: a living process may hang.
 */

import { spawn } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TwinbookError } from '../../shared/base/errors.js';
import { isGone } from '../../shared/base/process-mark.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { Config } from '../config/types.js';
import { readBeat } from '../guardian/beat-file.js';
import {
  describeReport,
  type GuardianReport,
  type GuardianState,
  locateReportFile,
  reportSchema,
} from '../guardian/contract.js';
import { Heart } from '../guardian/heartbeat.js';

const LOOK_EVERY_MS = 500;
/** A guardian writes four times a second; without a write for this long it hangs. */
const HANGS_AFTER_MS = 5_000;
/** Wait between two starts, ms, doubled each time: a guardian that dies at once must not keep the machine busy. */
const START_AGAIN_MS = { first: 1_000, longest: 60_000 } as const;
/** A guardian that lived this long may be restarted at once. */
const LIVED_MS = 60_000;
/** A key under a passphrase takes a second to open, a busy machine some more. */
const READY_WITHIN_MS = 20_000;
/** A guardian that knows from the last heartbeat that no order rests exits within one check. */
const GONE_WITHIN_MS = 3_000;

const ABLE: readonly string[] = ['watching', 'canceling', 'secured'] satisfies readonly GuardianState[];
const OVER: readonly string[] = ['ended', 'failed'] satisfies readonly GuardianState[];

const HERE = fileURLToPath(import.meta.url);
const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

export interface GuardianSupervisorOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledger: Ledger;
  /** Notice for the operator. */
  readonly loud: (text: string) => void;
  readonly quiet: (text: string) => void;
}

/** Services of the trader for its guardian. */
export class GuardianSupervisor {
  readonly #options: GuardianSupervisorOptions;
  readonly #heart: Heart;
  #timer: NodeJS.Timeout | null = null;
  #report: GuardianReport | null = null;
  /** Our own clock, ms, of the last change of the report. */
  #movedMs = performance.now();
  #startedMs = Number.NEGATIVE_INFINITY;
  /** The newest guardian has not ended. */
  #isAlive = false;
  #pauseMs: number = START_AGAIN_MS.first;
  #isReading = false;
  #isClosed = false;
  #said = '';

  /** Begins the heartbeat; the ledger is locked. Throws `file_unreadable`. */
  constructor(options: GuardianSupervisorOptions) {
    this.#options = options;
    const { config, ledger, loud } = options;
    const knowsOrders = ledger.orders({ limit: 1 }).length > 0;
    this.#heart = new Heart(config.ledger.path, knowsOrders, (error) => {
      const why = error instanceof Error ? error.message : String(error);
      loud(`the heartbeat cannot be written, the guardian will cancel everything: ${why}`);
    });
  }

  /**
   * From here on a guardian can open key and credentials: starts one if none is awake. Throws `timed_out` when the
   * configuration requires one and none can cancel in time.
   */
  async start(): Promise<void> {
    await this.#read();
    this.#movedMs = performance.now();
    this.#look();
    this.#timer = setInterval(() => void this.#read().then(() => this.#look()), LOOK_EVERY_MS);
    this.#timer.unref();
    if (!this.#options.config.guardian.required) return;
    const endMs = performance.now() + READY_WITHIN_MS;
    while (!this.#isGuarded && !this.#hasFailed && performance.now() < endMs) await sleep(LOOK_EVERY_MS);
    if (this.#isGuarded) return;
    const text = `no guardian can cancel: ${this.status}`;
    throw new TwinbookError('timed_out', text, 'See guardian.log, or set guardian.required: false.');
  }

  /** A step was taken: resting orders may exist, or must not. Returns the time since the previous step, ms. */
  beat(nothingMayRest: boolean, oursForMs: number | null): number {
    return this.#heart.beat(nothingMayRest, oursForMs);
  }

  /** It is proven that no order rests, and none will be placed: our end raises no alarm. */
  endHeartbeat(): void {
    this.#heart.end();
  }

  /** Short text for status lines. */
  get status(): string {
    const report = this.#report;
    const nobody = 'NONE, nothing cancels when this process stops';
    if (report?.state === 'failed') return `${nobody}: it ${report.text}`;
    return report === null || this.#isStill ? nobody : describeReport(report);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#heart.close();
    const { config } = this.#options;
    if (!this.#heart.hasEnded || !config.guardian.start) return;
    // After our exit the parent must find no process of ours.
    const endMs = performance.now() + GONE_WITHIN_MS;
    while (performance.now() < endMs && (await this.#othersRemain())) await sleep(50);
  }

  async #othersRemain(): Promise<boolean> {
    const report = await readBeat(locateReportFile(this.#options.config.ledger.path), reportSchema);
    return report !== null && report !== 'unreadable' && !report.stays && !isGone(report.process);
  }

  get #isStill(): boolean {
    return performance.now() - this.#movedMs >= HANGS_AFTER_MS;
  }

  /** A guardian that cancels for us works; the trader informs the operator. */
  get #isGuarded(): boolean {
    return this.#report !== null && ABLE.includes(this.#report.state) && !this.#isStill;
  }

  /** The newest guardian reported its failure. */
  get #hasFailed(): boolean {
    return this.#report?.state === 'failed' && this.#movedMs > this.#startedMs;
  }

  #look(): void {
    if (this.#isClosed) return;
    const report = this.#report;
    const isLost = report === null || this.#isStill || OVER.includes(report.state) || isGone(report.process);
    // A loading guardian reports nothing yet: on a busy machine a second one would only slow it down.
    const patienceMs = this.#isAlive ? Math.max(this.#pauseMs, HANGS_AFTER_MS) : this.#pauseMs;
    if (isLost && performance.now() - this.#startedMs >= patienceMs) this.#spawn();
    this.#tell();
  }

  /** A hanging disk leaves the report unchanged, and soon it counts as stopped. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const read = await readBeat(locateReportFile(this.#options.config.ledger.path), reportSchema);
    this.#isReading = false;
    if (read === null || read === 'unreadable') return;
    if (read.run !== this.#report?.run || read.count !== this.#report.count) this.#movedMs = performance.now();
    this.#report = read;
  }

  #spawn(): void {
    const { config, env, loud, quiet } = this.#options;
    if (!config.guardian.start) return;
    const nowMs = performance.now();
    const lived = nowMs - this.#startedMs >= LIVED_MS;
    this.#pauseMs = lived ? START_AGAIN_MS.first : Math.min(this.#pauseMs * 2, START_AGAIN_MS.longest);
    this.#startedMs = nowMs;
    // A separate group and session: Ctrl-C and a closed terminal are for the trader, which needs its guardian until it
    // has proven that nothing rests.
    const child = spawn(
      process.execPath,
      [...process.execArgv, PROGRAM, 'guardian', '--with-trader', '-c', config.file],
      {
        detached: true,
        stdio: 'ignore',
        // It has its own key.
        env: { ...env, TWINBOOK_API_KEY: undefined, TWINBOOK_API_SECRET: undefined },
      },
    );
    this.#isAlive = true;
    const hasEnded = () => {
      if (this.#startedMs === nowMs) this.#isAlive = false;
    };
    child.once('exit', hasEnded);
    child.on('error', (error) => {
      hasEnded();
      loud(`the guardian cannot be started: ${error.message}`);
    });
    child.unref();
    quiet(`started a guardian, process ${child.pid ?? 'unknown'}`);
  }

  /** Each change once. */
  #tell(): void {
    const now = this.#isGuarded ? '' : this.status;
    // Opening its key takes a second and needs no message.
    const isYoung = !this.#hasFailed && performance.now() - this.#startedMs < READY_WITHIN_MS / 2;
    if (now === this.#said || (now !== '' && isYoung)) return;
    if (now === '') this.#options.quiet('guarded again');
    else this.#options.loud(`not guarded: ${now}`);
    this.#said = now;
  }
}
