/** Serves the control socket, which only its owner can open. Each request and each answer is one line of JSON. */

import { once } from 'node:events';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { systemCode, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/files.js';
import { guarded } from '../../shared/base/processes.js';
import {
  type ControlQuestion,
  type ControlResponse,
  MAX_CONTROL_LINE,
  readControlRequest,
} from './control-protocol.js';
import type { LineReader } from './telemetry.js';

/** Time without data after which a peer is disconnected, ms. */
const IDLE_MS = 60_000;
/** Maximum number of connections; guardian, console and a few commands need about ten. */
const MOST_CONNECTIONS = 64;
/** Maximum number of sent bytes that a peer has not read, about a hundred full status answers. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;

interface ControlHost {
  answer(question: ControlQuestion): Promise<ControlResponse>;
  subscribe(reader: LineReader): string | null;
}

/** Listens on a socket, and replaces a socket on which no process listens. Throws `file_unreadable`. */
export async function serveControl(path: string, host: ControlHost): Promise<{ close(): void }> {
  // An error in one connection closes only this connection.
  const server = createServer((socket) => guarded(hearLines, () => socket.destroy())(socket, host));
  server.maxConnections = MOST_CONNECTIONS;
  try {
    makeFolder(dirname(path));
    await removeStale(path);
    await listen(server, path);
  } catch (error) {
    const hint = 'Set control.socket to a short path that no other trader uses, in a folder that you can write.';
    throw unreadable(`the control socket ${path} cannot be opened`, error, hint);
  }
  // Closing the server also removes its socket.
  return { close: () => void server.close() };
}

/** Removes an old socket. Throws for a used socket and for any other file: the configured path is then wrong. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('a file at this path is not a socket');
  const peer = connect(path);
  const failure = await once(peer, 'connect').then(() => '', systemCode);
  peer.destroy();
  // EAGAIN: the process hangs, and its queue of connections is full.
  if (failure === '' || failure === 'EAGAIN') throw new Error('another process listens on this socket');
  rmSync(path, { force: true });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The umask makes the new socket accessible to its owner only.
    const before = process.umask(0o177);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve();
    });
    process.umask(before);
  });
}

const failureText = (error: unknown): string =>
  error instanceof TwinbookError ? `${error.message}. ${error.hint}`.trim() : String(error);

const formatReply = (response: ControlResponse): string => `${JSON.stringify(response)}\n`;

function hearLines(socket: Socket, host: ControlHost): void {
  let received = '';
  socket.setEncoding('utf8');
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const cut = () => void socket.destroy();
  socket.on('error', cut);
  const reply = (response: ControlResponse) => {
    socket.write(formatReply(response));
    if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
  };
  const hear = (chunk: string) => {
    received += chunk;
    for (let end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n')) {
      const request = readControlRequest(received.slice(0, end));
      received = received.slice(end + 1);
      if (typeof request === 'string') {
        reply({ ok: false, error: request });
        continue;
      }
      // The command may take longer than the idle limit; the trader itself bounds its duration.
      socket.setTimeout(0);
      if (request.command === 'subscribe') return subscribe(socket, host);
      const failed = (error: unknown) => reply({ ok: false, error: failureText(error) });
      host.answer(request).then(reply, failed).catch(cut);
    }
    if (received.length <= MAX_CONTROL_LINE) return;
    reply({ ok: false, error: `a request is one line of at most ${MAX_CONTROL_LINE} bytes` });
    socket.destroy();
  };
  const end = (error: unknown) => socket.end(formatReply({ ok: false, error: failureText(error) }));
  socket.on('data', guarded(hear, end));
}

/** Streams telemetry on a connection. The peer's later input is ignored. */
function subscribe(socket: Socket, host: ControlHost): void {
  socket.removeAllListeners('data').resume();
  const refusal = host.subscribe(socket);
  if (refusal !== null) socket.end(formatReply({ ok: false, error: refusal }));
}
