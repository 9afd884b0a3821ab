/** Runs the program with the process's streams, environment and signals, and sets its exit code. */

import { writeFileSync, writeSync } from 'node:fs';
import { Socket, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { ADDRESS_ATTEMPT_MS } from '../shared/base/processes.js';
import { plainText } from '../shared/base/text.js';
import type { Environment } from '../shell/config/config.js';
import { secrets } from '../shell/wallet/secrets.js';
import { runCli } from './cli.js';
import { type CliIo, type CliTerminal, EXIT } from './io.js';

setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_ATTEMPT_MS);
let takeUncaught: ((error: unknown) => void) | null = null;
// Uncaught exceptions and unhandled rejections are printed without secrets.
process.on('uncaughtException', (error) => {
  if (takeUncaught !== null) return takeUncaught(error);
  // The error is written synchronously, because a stream would not be flushed before the exit.
  writeSync(2, plainText(secrets.clean(`Sorry, this is a bug in Twinbook: ${formatStack(error)}\n`)));
  process.exit(EXIT.failed);
});

// After any output error, a long-running program stops in an orderly way, because its orders may rest. For a short
// program, a closed reader of the output, as in `| head`, is no failure: further output is dropped.
let told: (() => void) | null = null;
/** First write error of stdout or stderr. A short program reports it at its end, so that `cancel-all` completes. */
let lost: NodeJS.ErrnoException | null = null;
/** When the output has this many unread bytes, a long-running program drops further output. */
const MOST_UNREAD_BYTES = 64 * 1024;

function onLost(error: NodeJS.ErrnoException): void {
  if (told !== null) told();
  else if (error.code !== 'EPIPE') lost ??= error;
}
for (const stream of [process.stdout, process.stderr]) stream.on('error', onLost);

/** Signals within this time, ms, count as one request: a supervisor and a terminal may each send a signal. */
const ONE_WISH_MS = 1_000;

/** Calls `stop` for SIGTERM, SIGHUP and Ctrl-C. A second Ctrl-C, over 1 s later, ends the process at once. */
function listenForStop(stop: () => void): void {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  let first: number | null = null;
  process.on('SIGINT', function interrupt() {
    first ??= performance.now();
    if (performance.now() - first < ONE_WISH_MS) return stop();
    const left = 'if this was a trader, orders may rest: `twinbook cancel-all --verify` cancels them';
    writeSync(2, `ended at once by a second Ctrl-C, before an orderly stop; ${left}\n`);
    process.off('SIGINT', interrupt);
    process.kill(process.pid, 'SIGINT');
  });
}

/** Beginning of the `npm start` script. `exec` makes the program npm's direct child, without a shell between them. */
const SCRIPT = 'exec node dist/src/cli/twinbook.js start';

/** Calls `isGone` when `npm start` has ended: npm forwards only SIGINT and SIGTERM to the trader. */
function whenNpmIsGone(argv: readonly string[], env: Environment, isGone: () => void): void {
  // Child processes of the trader inherit npm's environment too, but they run other commands.
  if (argv[2] !== 'start' || !env['npm_lifecycle_script']?.startsWith(SCRIPT)) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    isGone();
  }, 1_000);
  timer.unref();
}

const writeTo = (stream: NodeJS.WriteStream, fd: number) => (text: string) => {
  const clean = secrets.clean(text);
  try {
    // If the disk stores only the beginning of a text, a Node stream of a file or device loses the rest.
    if (!(stream instanceof Socket)) writeFileSync(fd, clean);
    else if (told === null || stream.writableLength <= MOST_UNREAD_BYTES) stream.write(clean);
  } catch (error) {
    onLost(error as NodeJS.ErrnoException);
  }
};
const out = writeTo(process.stdout, 1);
const err = writeTo(process.stderr, 2);

/** Makes writes to a terminal non-blocking: a terminal that is not read would block the process forever. */
function writeWithoutWaiting(stream: NodeJS.WriteStream): void {
  // Node has no public call that sets the blocking mode of a handle.
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
/** Returns the working folder; the root folder if the working folder was deleted, so that `kill` still works. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

const io: CliIo = {
  out,
  err,
  raw: { out, err },
  // The limit of `isUnread` is half that of `writeTo`, so that `writeTo` never drops part of a screen.
  isUnread: () => stdout.writableLength > MOST_UNREAD_BYTES / 2,
  env: process.env,
  cwd: currentFolder(),
  endWithReader: () => void process.stdout.on('error', () => told === null && lost === null && process.exit(EXIT.ok)),
  ...(stdout.isTTY && stdout.columns > 0 ? { columns: stdout.columns } : {}),
  ...(stdin.isTTY && stdout.isTTY ? { terminal } : {}),
  stopAsked: () =>
    new Promise((resolve) => {
      told = resolve;
      for (const stream of [process.stdout, process.stderr]) writeWithoutWaiting(stream);
      listenForStop(resolve);
      whenNpmIsGone(process.argv, process.env, () => {
        err('the npm process that started this program has ended\n');
        resolve();
      });
    }),
  // With a receiver of uncaught errors the process continues, so that a trader can cancel its orders.
  onUncaught: (take) => {
    takeUncaught = take;
  },
  onUnusedSignal: (tell) => void process.on('SIGUSR1', () => tell('SIGUSR1 does nothing: it opens no debugger')),
  onKillSignal: (kill) => void process.on('SIGUSR2', () => kill('signal SIGUSR2')),
};

/** Ends the process. At exit Node waits for all threads, even for a thread that a hanging disk blocks forever. */
function end(exitCode: number, waitedMs = 0): void {
  if (!process.getActiveResourcesInfo().includes('FSReqPromise')) process.exit(exitCode);
  if (waitedMs < 2_000) return void setTimeout(() => end(exitCode, waitedMs + 50), 50);
  writeSync(2, `a disk does not respond, so the program was ended by force; its exit code would be ${exitCode}\n`);
  process.kill(process.pid, 'SIGKILL');
}

const exitCode = await runCli(process.argv.slice(2), io);
// The program exits explicitly, because an open connection must not keep the process alive. `twinbook stop` detects the
// program's end by the closed socket. The empty write completes after all earlier output.
const finish = () => {
  if (lost !== null) err(`cannot write the output (${lost.code}): the output is incomplete\n`);
  end(lost === null ? exitCode : exitCode || EXIT.failed);
};
if (told !== null) setTimeout(finish, 2_000);
process.stdout.write('', finish);

/** Returns the stack of the error and its causes, without other fields such as a request's headers. */
function formatStack(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? stack : `${stack}\ncaused by ${formatStack(error.cause, depth + 1)}`;
}
