/** Client of the control socket, for the command line and the console. */

import { existsSync, lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/processes.js';
import { parseJson } from '../../shared/base/text.js';
import { type StatusLine, statusLine, traderStatus } from '../../shared/protocol/trader-status.js';
import { type ControlData, type ControlQuestion, systemMs } from './control-protocol.js';

/** Maximum length of a line that the trader sends, characters. */
const LONGEST_LINE = 16 * 1024 * 1024;

interface ControlCall {
  readonly socket: string;
  readonly timeoutMs: number;
  /** Whether the call ends only when the trader closes the connection, which it does when it exits. */
  readonly untilGone?: boolean;
}

/** Sends a command. Throws `not_running`, `timed_out`, `usage` (refused command) or `config_invalid` (bad files). */
export async function askTrader<R extends ControlQuestion>(request: R, call: ControlCall) {
  requireTrusted(call.socket);
  // A trader that reads a risk-adding command after the end of this wait does not execute it.
  const line = await exchangeLine(JSON.stringify({ ...request, waitsUntil: systemMs() + call.timeoutMs }), call);
  const response = readResponse(line, call.socket);
  if (response.ok) {
    if (request.command === 'status') requireStatus(response.data, call.socket);
    return response.data as ControlData[R['command']]; // The cast is safe for a trader of this version.
  }
  const code = response.ofFiles === true ? 'config_invalid' : 'usage';
  const hint = '`twinbook status` shows the current mode and the command that ends this mode.';
  // No hint about modes for a refused configuration, or if the trader's message already names a command.
  const isHintless = request.command === 'config' || response.error.includes('`twinbook ');
  throw new TwinbookError(code, `the trader refused: ${response.error}`, isHintless ? '' : hint);
}

/** Why a trader cannot be asked: no process writes the ledger, or its writer (`silentPid`, if known) does not answer. */
export type Unreached = { readonly silentPid: number | null } | 'not running';

export async function findSilent(ledgerPath: string): Promise<Unreached> {
  const found = import('../../trader/ledger/lock.js').then(({ findWriter }) => findWriter(ledgerPath));
  const writer = await found.catch((error) => {
    if (error instanceof TwinbookError) return { pid: null };
    throw error;
  });
  return writer === null ? 'not running' : { silentPid: writer.pid };
}

/** Like `askTrader`, but throws `not_running` if the trader of another ledger answers at the socket. */
export async function askOwner<R extends ControlQuestion>(
  request: R,
  { control: { socket }, ledger }: Readonly<{ control: { socket: string }; ledger: { path: string } }>,
  call: Omit<ControlCall, 'socket'>,
) {
  const { pid } = await askTrader({ command: 'ping' }, { socket, timeoutMs: call.timeoutMs });
  const writer = await findSilent(ledger.path);
  if (writer !== 'not running' && (writer.silentPid ?? pid) === pid) return askTrader(request, { socket, ...call });
  const hint = 'Give each trader its own control.socket, and start the trader with `twinbook start`.';
  throw new TwinbookError('not_running', `the trader at ${socket} does not write the ledger ${ledger.path}`, hint);
}

/** Throws for another user's socket, which could intercept a kill. Accepts root's sockets; root accepts all sockets. */
function requireTrusted(socket: string): void {
  const own = process.getuid?.();
  const owner = existsSync(socket) ? lstatSync(socket, { throwIfNoEntry: false })?.uid : undefined;
  if (own === undefined || own === 0 || owner === undefined || owner === own || owner === 0) return;
  const what = `the control socket ${socket} belongs to another user (${owner})`;
  throw new TwinbookError('file_unreadable', what, 'Run this command as the user who started the trader.');
}

/** Reason of `onLost` if no process listens on the socket. */
export const NO_TRADER = 'no trader is running';

/** Returns `not_running` only if no process listens: the socket is missing, or was left by a killed trader. */
function connectFailure(socket: string, error: NodeJS.ErrnoException): TwinbookError {
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
    const hint = 'Start the trader with `twinbook start` and the same -c FILE.';
    const what = `${NO_TRADER} (no process listens on ${socket})`;
    return new TwinbookError('not_running', what, hint, { cause: error });
  }
  const hint = 'The socket belongs to the user who started the trader.';
  const what = `the control socket ${socket} cannot be used (${error.code ?? error.message})`;
  return new TwinbookError('file_unreadable', what, hint, { cause: error });
}

function exchangeLine(line: string, { socket: path, timeoutMs, untilGone = false }: ControlCall): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let received = '';
    const finish = (error: TwinbookError | null): void => {
      clearTimeout(timer);
      socket.destroy();
      if (error === null) resolve(received.slice(0, received.indexOf('\n')));
      else reject(error);
    };
    const timer = setTimeout(() => {
      const what = received.includes('\n') ? 'the trader answered but did not exit' : 'the trader did not answer';
      const hint = 'The trader may be busy or frozen: see its log. `twinbook kill` and `cancel-all` work nevertheless.';
      finish(new TwinbookError('timed_out', `${what} within ${timeoutMs / 1000} s`, hint));
    }, timeoutMs);
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${line}\n`));
    const hear = (chunk: string) => {
      received += chunk;
      if (received.includes('\n') && !untilGone) finish(null);
      else if (received.length > LONGEST_LINE) finish(notOfTrader(path));
    };
    socket.on('data', guarded(hear, reject));
    socket.on('error', (error) => finish(received.includes('\n') ? null : connectFailure(path, error)));
    socket.on('close', () => {
      const what = 'the trader closed the connection before it answered';
      const early = new TwinbookError('not_running', what, 'The trader may be stopping: read its log.');
      finish(received.includes('\n') ? null : early);
    });
  });
}

function requireStatus(data: unknown, path: string): void {
  const [issue] = traderStatus.safeParse(data).error?.issues ?? [];
  if (issue !== undefined) throw notOfTrader(path, ` of this version (${issue.path.join('.')}: ${issue.message})`);
}

const notOfTrader = (path: string, why = ''): TwinbookError =>
  new TwinbookError(
    'usage',
    `the process at the control socket ${path} does not answer like a trader${why}`,
    'Another program or another version of twinbook answers at control.socket: end that program, or use the same version.',
  );

const responseSchema = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.unknown().transform(String),
    ofFiles: z.literal(true).optional().catch(undefined),
  }),
]);

function readResponse(line: string, path: string): z.output<typeof responseSchema> {
  const { data } = responseSchema.safeParse(parseJson(line));
  if (data === undefined) throw notOfTrader(path);
  return data;
}

const AGAIN_MS = 1_000;

type SubscriptionEvents = Readonly<{ line: (line: StatusLine) => void; onLost: (why: string) => void }>;

/** Follows the trader's status stream, and connects again when it ends, until the returned function is called. */
export function followStatus(path: string, { line, onLost }: SubscriptionEvents): () => void {
  let socket: Socket | null = null;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  const lose = (why: string): void => {
    if (isClosed) return;
    again = setTimeout(open, AGAIN_MS);
    onLost(why);
  };
  const open = (): void => {
    try {
      requireTrusted(path);
    } catch (error) {
      return lose(messageOf(error));
    }
    const opened = connect(path);
    socket = opened;
    let why = 'the trader closed the connection';
    let received = '';
    opened.setEncoding('utf8');
    opened.on('connect', () => opened.write('{"command":"subscribe"}\n'));
    opened.on('error', (error: NodeJS.ErrnoException) => {
      why = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? NO_TRADER : error.message;
    });
    const failed = (error: unknown) => {
      why = messageOf(error);
      opened.destroy();
    };
    const hear = (chunk: string) => {
      received += chunk;
      const end = received.lastIndexOf('\n');
      if (end < 0 && received.length <= LONGEST_LINE) return;
      const texts = received.slice(0, end).split('\n');
      received = received.slice(end + 1);
      for (const text of texts) line(readLine(text));
    };
    opened.on('data', guarded(hear, failed));
    opened.on('close', () => lose(why));
  };
  open();
  return () => {
    isClosed = true;
    clearTimeout(again);
    socket?.destroy();
  };
}

function readLine(text: string): StatusLine {
  const parsed = parseJson(text);
  if (parsed === undefined) throw new Error(`${OTHER_VERSION}: its answer is not a line of JSON`);
  const { data, error } = statusLine.safeParse(parsed);
  if (data !== undefined) return data;
  if (typeof parsed === 'object' && parsed !== null && 'error' in parsed)
    throw new Error(`the trader refused: ${String(parsed.error)}`);
  const [issue] = error.issues;
  throw new Error(`${OTHER_VERSION}: ${issue?.path.join('.')}: ${issue?.message}`);
}

const OTHER_VERSION = 'the process at the control socket is not a trader of this version';
