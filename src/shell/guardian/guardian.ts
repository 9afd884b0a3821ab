/**
 * The guardian: a small separate process that cancels everything when the trader's heart stops, for any reason.
 * It holds the wallet's key and its own API key from the start, looks at the heartbeat beside the ledger four times a
 * second, and `decide` chooses the action.
 *
 * It never trades: it only reads and cancels resting orders. It reads no ledger, follows no strategy, and
 * shares no memory, thread or connection with the trader. It exits once no order can rest any more.
 */

import { randomBytes } from 'node:crypto';
import { access as reach } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, systemCode, TwinbookError } from '../../shared/base/errors.js';
import { isGone, readMark } from '../../shared/base/processes.js';
import { readBeat } from './beat-file.js';
import {
  type GuardianAction,
  type GuardianObservation,
  type GuardianReport,
  type GuardianRules,
  heartbeatSchema,
  locateHeartbeatFile,
  locateReportFile,
  reportSchema,
} from './contract.js';
import { decide, describeState, FRESH_MIND, type GuardianMind } from './decide.js';
import { type Access, type AccessSettings, GuardianSession } from './guardian-session.js';
import { GuardianLog, inTime, leaveMark, Reporter } from './record.js';

const LOOK_EVERY_MS = 250;
/** Interval of the checks that the exchange accepts our key, ms: a revoked key must be noticed early. */
const CHECK_EVERY_MS = 600_000;
const CHECK_AGAIN_MS = 5_000;
/** A report has a fixed length; three-byte characters fit. */
const MAX_TEXT = 200;
/** Time in which another guardian's report must change, ms. */
const OTHER_WITHIN_MS = 1_500;

export interface GuardianOptions extends AccessSettings {
  readonly ledgerPath: string;
  readonly logFile: string;
  readonly rules: GuardianRules;
  /** Mark that keeps a woken trader from quoting; null when it may resume alone. */
  readonly markFile: string | null;
  /** Cancels everything and reads the resting orders twice. Throws TwinbookError when they cannot be known. */
  readonly cancelEverything: (access: Access) => Promise<{ readonly asked: number; readonly verified: boolean }>;
  readonly say: (line: string) => void;
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  readonly stopAsked: () => Promise<void>;
}

/** Runs until there is nothing left to guard. Throws TwinbookError when the key or its files cannot be used. */
export async function runGuardian(options: GuardianOptions): Promise<void> {
  const other = await anotherGuards(options.ledgerPath);
  if (other !== null) {
    options.say(`process ${other} guards this ledger already\n`);
    return;
  }
  await new Guardian(options).run();
}

/** Process id of an active guardian of this ledger; null without one. */
async function anotherGuards(ledgerPath: string): Promise<number | null> {
  const read = () => readBeat(locateReportFile(ledgerPath), reportSchema);
  const first = await read();
  if (first === null || first === 'unreadable' || isOver(first) || isGone(first.process)) return null;
  for (const endMs = performance.now() + OTHER_WITHIN_MS; performance.now() < endMs; await pause(LOOK_EVERY_MS)) {
    const now = await read();
    if (now === null || now === 'unreadable' || (now.run === first.run && now.count === first.count)) continue;
    return isOver(now) ? null : now.process.pid;
  }
  return null;
}

const isOver = ({ state }: GuardianReport): boolean => state === 'ended' || state === 'failed';

class Guardian {
  readonly #options: GuardianOptions;
  readonly #log: GuardianLog;
  readonly #reporter: Reporter;
  readonly #identity = { run: randomBytes(8).toString('hex'), process: readMark(process.pid) };
  #mind: GuardianMind = FRESH_MIND;
  #key: GuardianSession | null = null;
  /** Last content read from the disk; null before the first. */
  #seen: Pick<Extract<GuardianObservation, { kind: 'look' }>, 'heartbeat' | 'ledgerGone'> | null = null;
  #reading = false;
  /** Why our key is unusable now; null when it is usable. */
  #trouble: string | null = 'not asked yet';
  /** Reason of a mark that could not be written yet. */
  #unleftMark: string | null = null;
  #count = 0;
  #end: (text: string) => void = () => undefined;

  constructor(options: GuardianOptions) {
    this.#options = options;
    this.#log = new GuardianLog(options.logFile, options.say);
    this.#reporter = new Reporter(locateReportFile(options.ledgerPath));
  }

  async run(): Promise<void> {
    const ended = new Promise<string>((resolve) => {
      this.#end = resolve;
    });
    this.#options.onUnusedSignal((text) => this.#log.write('quiet', text));
    this.#report('opening', 'opens key and credentials');
    this.#key = await this.#openKey();
    void this.#options.stopAsked().then(() => this.#observe({ kind: 'ask-to-end', nowMs: performance.now() }));
    this.#log.write('quiet', `watches ${locateHeartbeatFile(this.#options.ledgerPath)}`);
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    const checking = new AbortController();
    void this.#keepChecking(this.#key, checking.signal);
    const text = await ended;
    clearInterval(looking);
    checking.abort();
    this.#log.write('quiet', `ends: ${text}`);
    await this.#close('ended', text);
  }

  async #openKey(): Promise<GuardianSession> {
    try {
      return new GuardianSession(this.#options);
    } catch (error) {
      const text = `cannot guard: ${messageOf(error)}`;
      this.#log.write('loud', text);
      await this.#close('failed', text);
      throw error;
    }
  }

  async #close(state: 'ended' | 'failed', text: string): Promise<void> {
    await this.#reporter.close(this.#makeReport(state, text));
    await this.#log.close();
    if (this.#key !== null) await inTime(this.#key.close());
  }

  /** The disk is read in the background: a check that waited for it would miss everything else. */
  #look(): void {
    if (!this.#reading) {
      this.#reading = true;
      void this.#read().finally(() => {
        this.#reading = false;
      });
    }
    if (this.#seen === null) return;
    const { heartbeat } = this.#seen;
    const known = heartbeat === null || heartbeat === 'unreadable' ? this.#mind.heartbeat : heartbeat;
    const traderGone = known !== null && known !== 'unreadable' && isGone(known.process);
    this.#observe({ kind: 'look', nowMs: performance.now(), ...this.#seen, traderGone });
    const { state, text } = describeState(this.#mind);
    const isQuiet = state === 'watching' && this.#trouble !== null;
    this.#report(isQuiet ? 'opening' : state, isQuiet ? (this.#trouble ?? '') : text);
  }

  async #read(): Promise<void> {
    const { ledgerPath } = this.#options;
    const [heartbeat, ledgerGone] = await Promise.all([
      readBeat(locateHeartbeatFile(ledgerPath), heartbeatSchema),
      isMissing(ledgerPath),
    ]);
    this.#seen = { heartbeat, ledgerGone };
  }

  #observe(observation: GuardianObservation): void {
    const { mind, actions } = decide(this.#mind, this.#options.rules, observation);
    this.#mind = mind;
    for (const action of actions) this.#do(action);
  }

  #do(action: GuardianAction): void {
    switch (action.kind) {
      case 'record':
        return this.#log.write(action.severity, action.text);
      case 'leave-mark':
        this.#unleftMark = action.reason;
        return;
      case 'cancel':
        return void this.#round();
      case 'end':
        return this.#end(action.text);
    }
  }

  /** The mark first, so that a trader that wakes meanwhile finds it; but a hanging disk delays no cancel. */
  async #round(): Promise<void> {
    if (this.#unleftMark !== null) await inTime(this.#leaveMark(this.#unleftMark));
    const found = await this.#cancel();
    this.#observe({ kind: 'round', nowMs: performance.now(), ...found });
  }

  async #leaveMark(reason: string): Promise<void> {
    const { markFile } = this.#options;
    try {
      if (markFile !== null) await leaveMark(markFile, reason);
      this.#unleftMark = null;
    } catch (error) {
      this.#log.write('loud', `the trader may quote on when it wakes: ${messageOf(error)}`);
    }
  }

  async #cancel(): Promise<Pick<Extract<GuardianObservation, { kind: 'round' }>, 'outcome' | 'text'>> {
    try {
      if (this.#key === null) return { outcome: 'failed', text: 'there is no key yet' };
      const { asked, verified } = await this.#options.cancelEverything(await this.#key.open());
      this.#trouble = null;
      if (verified && asked === 0) return { outcome: 'empty', text: 'two reads show that nothing rests' };
      const rests = verified ? 'two reads show that none rests' : 'something still rests';
      return { outcome: 'canceled', text: `asked to cancel ${asked} orders; ${rests}` };
    } catch (error) {
      const isRefused = error instanceof TwinbookError && error.code === 'venue_refused';
      if (isRefused) await this.#key?.ensureTaken((text) => this.#log.write('loud', text));
      return { outcome: 'failed', text: `could not cancel: ${messageOf(error)}` };
    }
  }

  /** A trader that relies on the guardian must learn at once that the guardian cannot cancel. */
  async #keepChecking(key: GuardianSession, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = this.#trouble;
      this.#trouble = await key.check().then(
        () => null,
        (error: unknown) => `CANNOT CANCEL: ${messageOf(error)}`,
      );
      if (this.#trouble !== null && this.#trouble !== before) this.#log.write('loud', this.#trouble);
      if (this.#trouble === null && before !== null) this.#log.write('quiet', 'the exchange takes the key');
      await pause(this.#trouble === null ? CHECK_EVERY_MS : CHECK_AGAIN_MS, null, { signal }).catch(() => null);
    }
  }

  #report(state: GuardianReport['state'], text: string): void {
    this.#reporter.write(this.#makeReport(state, text));
  }

  #makeReport(state: GuardianReport['state'], text: string): GuardianReport {
    this.#count += 1;
    const { stays } = this.#options.rules;
    return { ...this.#identity, count: this.#count, stays, state, text: text.slice(0, MAX_TEXT) };
  }
}

const isMissing = (path: string): Promise<boolean> =>
  reach(path).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
