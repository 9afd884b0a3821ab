/** The program: real streams, environment and signals, and the exit code. */

import { writeSync } from 'node:fs';
import { plainText } from '../shared/base/text.js';
import type { Environment } from '../shell/config/config.js';
import { secrets } from '../shell/wallet/secrets.js';
import { runCli } from './cli.js';
import { type CliIo, type CliTerminal, EXIT } from './io.js';

let takeUncaught: ((error: unknown) => void) | null = null;
cleanLastWords();

// A closed reader (`| head`) is no failure. After any fault of its output, such as a full disk, a long-running program
// stops in order: its orders may rest.
let told: (() => void) | null = null;
/** A long-running program drops further output while more bytes are unread. */
const MOST_UNREAD_BYTES = 64 * 1024;
const OUTPUT_WITHIN_MS = 2_000;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (told !== null) return told();
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? 0);
  });
}

/** Duplicate signals for one stop (from a supervisor, or a terminal and the program between) arrive within this, ms. */
const ONE_WISH_MS = 1_000;

/** SIGTERM, SIGHUP and Ctrl-C stop in order. A later second Ctrl-C ends the process at once. */
function listenForStop(stop: () => void): void {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  let first: number | null = null;
  process.on('SIGINT', function interrupt() {
    first ??= performance.now();
    if (performance.now() - first < ONE_WISH_MS) return stop();
    const left = 'if this was a trader, orders may rest: `twinbook cancel-all --verify` cancels them';
    writeSync(2, `ended at once by a second Ctrl-C, before everything was finished in order; ${left}\n`);
    process.off('SIGINT', interrupt);
    process.kill(process.pid, 'SIGINT');
  });
}

/** The script of `npm start` in package.json: the program is npm's own child, without a shell between. */
const SCRIPT = 'exec node dist/src/cli/twinbook.js start';

const NPM_LOOK_EVERY_MS = 1_000;

/**
 * Calls back once the npm of `npm start` is gone. npm passes on only SIGINT and SIGTERM: after any other signal the
 * trader would run on unnoticed.
 */
function whenNpmIsGone(argv: readonly string[], env: Environment, isGone: () => void): void {
  // A started trader inherits npm's environment, but runs other commands.
  if (argv[2] !== 'start' || !env['npm_lifecycle_script']?.startsWith(SCRIPT)) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    isGone();
  }, NPM_LOOK_EVERY_MS);
  timer.unref();
}

const writeTo = (stream: NodeJS.WriteStream) => (text: string) => {
  if (told === null || stream.writableLength <= MOST_UNREAD_BYTES) stream.write(secrets.clean(text));
};
const out = writeTo(process.stdout);
const err = writeTo(process.stderr);

/** Node blocks in each write to a terminal. A terminal that is not read would block everything else forever. */
function writeWithoutWaiting(stream: NodeJS.WriteStream): void {
  // No public call sets the handle's blocking mode.
  if (stream.isTTY && '_handle' in stream)
    (stream._handle as { setBlocking(blocks: boolean): void }).setBlocking(false);
}
const { stdin, stdout } = process;
const terminal: CliTerminal = {
  size: () => ({ columns: stdout.columns, rows: stdout.rows }),
  listen: ({ key, resize }) => {
    const take = (chunk: Buffer) => key(chunk.toString('utf8'));
    stdin.setRawMode(true).on('data', take).resume();
    stdout.on('resize', resize);
    return () => {
      stdout.off('resize', resize);
      stdin.off('data', take).setRawMode(false).pause();
    };
  },
};
const io: CliIo = {
  out,
  err,
  raw: { out, err },
  // Below the limit of `writeTo`, which must not drop part of a picture.
  isUnread: () => stdout.writableLength > MOST_UNREAD_BYTES / 2,
  env: process.env,
  cwd: process.cwd(),
  ...(stdout.isTTY && stdout.columns > 0 ? { columns: stdout.columns } : {}),
  ...(stdin.isTTY && stdout.isTTY ? { terminal } : {}),
  stopAsked: () =>
    new Promise((resolve) => {
      told = resolve;
      for (const stream of [process.stdout, process.stderr]) writeWithoutWaiting(stream);
      listenForStop(resolve);
      whenNpmIsGone(process.argv, process.env, () => {
        err('npm, which started this, is gone\n');
        resolve();
      });
    }),
  onUncaught,
  onUnusedSignal: (tell) => void process.on('SIGUSR1', () => tell('SIGUSR1 does nothing: it opens no debugger')),
  onKillSignal: (kill) => void process.on('SIGUSR2', () => kill('signal SIGUSR2')),
};

const FILES_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;

/** Node joins its threads at the exit. A thread that waits for a hanging disk would block the exit forever. */
function end(exitCode: number, waitedMs = 0): void {
  if (!process.getActiveResourcesInfo().includes('FSReqPromise')) process.exit(exitCode);
  if (waitedMs < FILES_WITHIN_MS) {
    setTimeout(() => end(exitCode, waitedMs + LOOK_EVERY_MS), LOOK_EVERY_MS);
    return;
  }
  writeSync(2, `a disk does not answer: ended by force, the exit code would be ${exitCode}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const exitCode = await runCli(process.argv.slice(2), io);
// Exits explicitly: `twinbook stop` detects the end by the closed socket, and an open connection must not keep the
// process alive. The empty write completes after everything before it.
const finish = () => end(exitCode);
if (told !== null) setTimeout(finish, OUTPUT_WITHIN_MS);
process.stdout.write('', finish);

/** Passes uncaught errors to `take`; the process continues, because a trader first cancels its orders. */
function onUncaught(take: (error: unknown) => void): void {
  takeUncaught = take;
}

/** Handles uncaught exceptions and unhandled rejections. */
function cleanLastWords(): void {
  process.on('uncaughtException', (error) => {
    if (takeUncaught !== null) return takeUncaught(error);
    // Synchronous: a stream would not be flushed.
    writeSync(2, plainText(secrets.clean(`Sorry, this is a bug in Twinbook: ${formatStack(error)}\n`)));
    process.exit(EXIT.failed);
  });
}

/** Stack of the error and its causes, without other fields such as a request's headers. */
function formatStack(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? stack : `${stack}\ncaused by ${formatStack(error.cause, depth + 1)}`;
}
