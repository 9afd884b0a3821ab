/** Separate process that cancels all orders when the trader's heartbeat stops. It shares only files with the trader. */

import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { appendFile, type FileHandle, link, open, access as reach, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, systemCode, TwinbookError } from '../../shared/base/errors.js';
import { isGone, readMark } from '../../shared/base/processes.js';
import { plainJson, plainLine } from '../../shared/base/text.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { ApiKey } from '../client/accepted-credentials.js';
import { ServiceClient } from '../client/client.js';
import { openKeyFile, walletPassphrase } from '../wallet/key-file.js';
import { secrets } from '../wallet/secrets.js';
import { encode, readBeat } from './beat-file.js';
import {
  decide,
  describeState,
  FRESH_MIND,
  type GuardianAction,
  type GuardianObservation,
  type GuardianReport,
  type GuardianRules,
  heartbeatSchema,
  locateHeartbeatFile,
  locateReportFile,
  reportSchema,
} from './decide.js';

/** Maximum time that a cancel waits for a disk write, ms: a hanging disk may have caused the alarm. */
const DISK_WITHIN_MS = 1_000;
/** Maximum number of log lines that wait for a hanging disk; further lines are lost. */
const MOST_WAITING = 1_000;

/** Returns whether `work` succeeded within `DISK_WITHIN_MS`. */
export const inTime = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), pause(DISK_WITHIN_MS, false, { ref: false })]).catch(() => false);

type GuardianLog = ReturnType<typeof openLog>;

function openLog(path: string, echo: (line: string) => void) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    write: (severity: 'quiet' | 'loud', text: string): void => {
      const time = new Date().toISOString();
      echo(`${time} ${plainLine(text)}\n`);
      if (waiting >= MOST_WAITING) return;
      waiting += 1;
      const line = secrets.clean(`${plainJson(JSON.stringify({ time, severity, pid: process.pid, text }))}\n`);
      last = last
        .then(() => appendFile(path, line, { mode: 0o600 }))
        // A failed write to the log is ignored, because the terminal shows the lines too.
        .catch(() => undefined)
        .finally(() => {
          waiting -= 1;
        });
    },
    close: () => inTime(last),
  };
}

/** Writes the guardian's report file. While one write is in progress, further reports are skipped. */
export class Reporter {
  readonly #path: string;
  /** The open file, writable even after its path was removed; null until the file could be opened. */
  #file: FileHandle | null = null;
  #last: Promise<unknown> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  write(report: GuardianReport): void {
    if (this.#last !== null) return;
    this.#last = this.#put(report)
      // A failed write is ignored: the trader notices that the report no longer changes, and warns.
      .catch(() => undefined)
      .finally(() => {
        this.#last = null;
      });
  }

  async close(report: GuardianReport): Promise<void> {
    const before = this.#last ?? Promise.resolve();
    await inTime(before.then(() => this.#put(report)).finally(() => this.#file?.close()));
  }

  async #put(report: GuardianReport): Promise<void> {
    const bytes = encode({ ...report, text: secrets.clean(report.text) });
    // The report file is created if missing, but never truncated, because a reader must not find an empty file.
    this.#file ??= await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await this.#file.write(bytes, 0, bytes.length, 0);
  }
}

/**
 * Writes the stop file durably. An existing stop file stays, because its reason is older. A trader never finds a partly
 * written file. On a full disk the file may be empty, but still kills the trader. Throws the file system's errors.
 */
export async function leaveMark(path: string, reason: string): Promise<void> {
  const text = `${reason}\n`;
  try {
    if (!(await leaveWhole(path, text))) await leavePlain(path, text);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    throw error;
  }
  const folder = await open(dirname(path), constants.O_RDONLY);
  await folder.sync().finally(() => folder.close());
}

/** Writes a temporary file and links it to `path`; false if a step fails. Throws if the sync to disk fails. */
async function leaveWhole(path: string, text: string): Promise<boolean> {
  // An earlier attempt may still hang on the disk, so each attempt has its own file.
  const beside = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(beside, 'wx', 0o600).catch(() => null);
  if (file === null) return false;
  try {
    const isNamed = await file
      .writeFile(text)
      .then(() => link(beside, path))
      .then(
        () => true,
        () => false,
      );
    // The stop file already works at this point, even if this sync to disk takes long.
    if (isNamed) await file.sync();
    return isNamed;
  } finally {
    await file.close();
    await rm(beside, { force: true });
  }
}

/** Creates the stop file, then writes the reason. Throws the system's error, such as EEXIST for an existing file. */
async function leavePlain(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
    });
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Maximum time of one of the guardian's requests, ms; short, because the next round repeats the request. */
const TIMEOUT_MS = 5_000;

type GuardianAccess = ReturnType<typeof openAccess>;

/** Loads wallet and API key, so that cancels need no disk. Throws `file_unreadable`, `key_insecure`, `key_invalid`. */
function openAccess({ walletFile, credentialsFile, profile, env }: GuardianOptions) {
  if (!existsSync(walletFile)) {
    const hint = 'A paper trader makes a wallet at its first start; for real money run `twinbook keys create`.';
    throw new TwinbookError('file_unreadable', `there is no wallet file ${walletFile}`, hint);
  }
  const wallet = openKeyFile({ path: walletFile, passphrase: walletPassphrase(env) });
  // The environment's credentials are ignored, because they are the trader's: a shared key could fail for both at once.
  const apiKey = new ApiKey(credentialsFile, profile.base_url, wallet, {});
  // Pacing is off, so that an answer about rate limits does not delay cancels. A round of cancels sends few requests.
  const client = new ServiceClient({ profile, timeoutMs: TIMEOUT_MS, isPaced: false, ...apiKey.option });
  return { wallet, apiKey, client };
}

const LOOK_EVERY_MS = 250;
/** Interval between two tests of the guardian's API key, ms, so that a revoked key is noticed early. */
const CHECK_EVERY_MS = 600_000;
const CHECK_AGAIN_MS = 5_000;
/** Maximum number of characters of a report's text: even three-byte characters then fit into the file. */
const MAX_TEXT = 200;
/** Time within which the report of another guardian changes if that guardian is active, ms. */
const OTHER_WITHIN_MS = 1_500;

interface GuardianOptions {
  readonly profile: VenueProfile;
  readonly walletFile: string;
  readonly credentialsFile: string;
  readonly isPaper: boolean;
  /** Whether the trader is in a fleet. If so, a revoked key is not replaced: revoking must stop the guardian. */
  readonly isFenced: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledgerPath: string;
  readonly logFile: string;
  readonly rules: GuardianRules;
  /** Path of the stop file, which prevents a recovering trader from quoting; null if no stop file is wanted. */
  readonly markFile: string | null;
  /** Cancels all orders and reads the resting orders twice. Throws TwinbookError if these reads fail. */
  readonly cancelEverything: (access: GuardianAccess) => Promise<Readonly<{ asked: number; verified: boolean }>>;
  readonly say: (line: string) => void;
  readonly onUnusedSignal: (tell: (text: string) => void) => void;
  readonly stopAsked: () => Promise<void>;
}

export async function runGuardian(options: GuardianOptions): Promise<void> {
  const other = await anotherGuards(options.ledgerPath);
  if (other !== null) {
    options.say(`this ledger already has a guardian, process ${other}\n`);
    return;
  }
  await new Guardian(options).run();
}

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
  #mind = FRESH_MIND;
  #access: GuardianAccess | null = null;
  /** Newest heartbeat, its age, and whether the ledger is gone; null before the first read. */
  #seen: Pick<Extract<GuardianObservation, { kind: 'look' }>, 'heartbeat' | 'ageMs' | 'ledgerGone'> | null = null;
  #reading = false;
  /** Reason why the guardian's key is unusable; null for a usable key. */
  #trouble: string | null = 'the exchange has not yet confirmed the API key';
  /** Reason for a stop file that must still be written; null if no stop file is due. */
  #unleftMark: string | null = null;
  /** Last attempt to write the stop file. */
  #marking: Promise<void> = Promise.resolve();
  #count = 0;
  #end: (text: string) => void = () => undefined;

  constructor(options: GuardianOptions) {
    this.#options = options;
    this.#log = openLog(options.logFile, options.say);
    this.#reporter = new Reporter(locateReportFile(options.ledgerPath));
  }

  async run(): Promise<void> {
    const ended = new Promise<string>((resolve) => {
      this.#end = resolve;
    });
    this.#options.onUnusedSignal((text) => this.#log.write('quiet', text));
    this.#report('opening', 'reading the wallet key and the credentials');
    this.#access = await this.#open();
    void this.#options.stopAsked().then(() => this.#observe({ kind: 'ask-to-end', nowMs: performance.now() }));
    this.#log.write('quiet', `watches ${locateHeartbeatFile(this.#options.ledgerPath)}`);
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    const checking = new AbortController();
    void this.#keepChecking(this.#access, checking.signal);
    const text = await ended;
    clearInterval(looking);
    checking.abort();
    this.#log.write('quiet', `ends: ${text}`);
    await this.#close('ended', text);
  }

  async #open(): Promise<GuardianAccess> {
    try {
      return openAccess(this.#options);
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
    if (this.#access !== null) await inTime(this.#access.client.close());
  }

  /** Starts to read the files, but decides by the previous read, because a hanging disk must not delay a check. */
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
    const path = locateHeartbeatFile(ledgerPath);
    const [heartbeat, ageMs, ledgerGone] = await Promise.all([
      readBeat(path, heartbeatSchema),
      ageOf(path),
      isMissing(ledgerPath),
    ]);
    this.#seen = { heartbeat, ageMs, ledgerGone };
  }

  #observe(observation: GuardianObservation): void {
    const { mind, actions } = decide(this.#mind, this.#options.rules, observation);
    this.#mind = mind;
    // A stop file that is written after its alarm would give an untrue reason.
    if (mind.alarm === null) this.#unleftMark = null;
    for (const action of actions) this.#do(action);
  }

  #do(action: GuardianAction): void {
    switch (action.kind) {
      case 'record':
        return this.#log.write(action.severity, action.text);
      case 'leave-mark':
        this.#unleftMark = action.reason;
        this.#marking = this.#leaveMark(action.reason);
        return;
      case 'cancel':
        return void this.#round();
      case 'end':
        return this.#end(action.text);
    }
  }

  /** Runs a round of cancels. Waits only briefly for the stop file, and repeats a failed write afterwards. */
  async #round(): Promise<void> {
    await inTime(this.#marking);
    const found = await this.#cancel();
    if (this.#unleftMark !== null) this.#marking = this.#leaveMark(this.#unleftMark);
    this.#observe({ kind: 'round', nowMs: performance.now(), ...found });
  }

  async #leaveMark(reason: string): Promise<void> {
    const { markFile } = this.#options;
    try {
      if (markFile !== null) await leaveMark(markFile, reason);
      this.#unleftMark = null;
    } catch (error) {
      this.#log.write('loud', `no stop file was written: a recovering trader may quote again: ${messageOf(error)}`);
    }
  }

  async #cancel(): Promise<Pick<Extract<GuardianObservation, { kind: 'round' }>, 'outcome' | 'text'>> {
    const access = this.#access;
    try {
      if (access === null) return { outcome: 'failed', text: 'the guardian has no key yet' };
      if (access.apiKey.option.credentials === undefined) await this.#check(access);
      const { asked, verified } = await this.#options.cancelEverything(access);
      this.#trouble = null;
      if (verified && asked === 0) return { outcome: 'empty', text: 'two reads show that no order rests' };
      const rests = verified ? 'two reads show that no order rests' : 'an order still rests';
      return { outcome: 'canceled', text: `the guardian asked to cancel ${asked} orders; ${rests}` };
    } catch (error) {
      const isRefused = error instanceof TwinbookError && error.code === 'venue_refused';
      if (isRefused && !this.#options.isFenced)
        await access?.apiKey.replaceRefused(access.client, (text) => this.#log.write('loud', text));
      return { outcome: 'failed', text: `could not cancel: ${messageOf(error)}` };
    }
  }

  /** Tests the API key, or creates it. Throws `venue_unreachable`, or `venue_refused` for a rejected key. */
  #check({ apiKey, client }: GuardianAccess): Promise<void> {
    return apiKey.accept(client, this.#options.isPaper);
  }

  /** Tests the API key regularly, because the trader must learn early that its guardian cannot cancel. */
  async #keepChecking(access: GuardianAccess, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = this.#trouble;
      this.#trouble = await this.#check(access).then(
        () => null,
        (error: unknown) => `CANNOT CANCEL: ${messageOf(error)}`,
      );
      if (this.#trouble !== null && this.#trouble !== before) this.#log.write('loud', this.#trouble);
      if (this.#trouble === null && before !== null) this.#log.write('quiet', 'the exchange accepts the API key');
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

/** Returns the time since a file was written, by the wall clock, ms; 0 if unknown, or if the clock was set back. */
const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Math.max(0, Date.now() - mtimeMs),
    () => 0,
  );

const isMissing = (path: string): Promise<boolean> =>
  reach(path).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
