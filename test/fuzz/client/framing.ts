/** Answers with wrong framing: lengths, chunks, encodings, endings. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { nastyText, noise, pick, weighted } from '../values.js';
import { BOMB, type HostileAnswer, type Meaning, type Told } from './answers.js';

type Framed = Omit<HostileAnswer, 'kind'>;

const nothing = (bytes: Buffer | string, ending: HostileAnswer['ending'] = 'close'): Framed => ({
  bytes: Buffer.from(bytes),
  ending,
  meaning: null,
  lasting: false,
});

const STATUS_LINES = ['HTTP/9.9 200 OK', 'HTTP/1.1 99999 X', 'HTTP/1.1 abc', 'ICY 200 OK', 'SSH-2.0-x'] as const;
const continues = (times: number): Buffer => Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(times));

export function hostileBytes(told: Told, { status, text }: Meaning): Framed {
  const { random } = told;
  const body = Buffer.from(text, 'utf8');
  const head = (...lines: readonly string[]) => [`HTTP/1.1 ${status} X`, ...lines, '', ''].join('\r\n');
  const whole = (length: number, ...lines: string[]) =>
    Buffer.concat([Buffer.from(head(`Content-Length: ${length}`, ...lines)), body]);
  const right = (bytes: Buffer, ending: HostileAnswer['ending']): Framed => ({
    ...nothing(bytes, ending),
    meaning: { status, text },
  });
  return weighted<() => Framed>(random, [
    [3, () => nothing(whole(body.length + 1 + random.below(1000)))],
    [2, () => nothing(whole(random.below(body.length)))],
    [1, () => nothing(whole(body.length, `Content-Length: ${body.length + 1}`))],
    [1, () => nothing(`${head('Content-Length: -5')}${text}`)],
    [1, () => nothing(`${head('Content-Length: 18446744073709551617')}${text}`)],
    [2, () => right(Buffer.from(`${head('Transfer-Encoding: chunked')}${chunked(body)}0\r\n\r\n`), 'keep')],
    [2, () => nothing(`${head('Transfer-Encoding: chunked')}${chunked(body)}`)],
    [1, () => nothing(`${head('Transfer-Encoding: chunked')}zz\r\n${text}\r\n0\r\n\r\n`)],
    [1, () => nothing(`${head('Transfer-Encoding: chunked')}ffffffffffffffff\r\n${text}`)],
    [1, () => nothing(whole(body.length, 'Transfer-Encoding: chunked'))],
    [1, () => right(Buffer.concat([Buffer.from(head('Connection: close')), body]), 'close')],
    [2, () => nothing(whole(body.length).subarray(0, random.below(whole(body.length).length)), 'reset')],
    [1, () => nothing('', pick(random, ['close', 'reset']))],
    [2, () => nothing(noise(random, 400))],
    [1, () => nothing(`${pick(random, STATUS_LINES)}\r\n\r\n${text}`)],
    [1, () => right(Buffer.concat([continues(1 + random.below(500)), whole(body.length)]), 'keep')],
    [1, () => nothing('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(random.below(200)))],
    [1, () => nothing('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')],
    [1, () => nothing(head(`X-Long: ${'a'.repeat(40_000)}`))],
    [1, () => nothing(head(...Array.from({ length: 3000 }, (_, at) => `X-${at}: ${at}`)))],
    [1, () => nothing(head(`X: ${nastyText(random)}\u0000`))],
    [1, () => nothing(`${head('Content-Encoding: gzip', 'Content-Length: 5')}hello`)],
    [1, () => packed(gzipSync(body).subarray(0, -30), 'gzip', status)],
    [0.05, () => packed(BOMB, 'gzip', status)],
    [0.5, () => ({ ...packed(gzipSync(body), 'gzip', status), meaning: { status, text } })],
    [0.5, () => ({ ...packed(brotliCompressSync(body), 'br', status), meaning: { status, text } })],
    [0.3, () => nothing(whole(body.length).subarray(0, -1), 'silence')],
    [0.3, () => nothing(whole(body.length + 500), 'drip')],
    [0.05, () => nothing(head(), 'endless')],
    [0.3, () => nothing('', 'silence')],
  ])();
}

function packed(bytes: Buffer, encoding: string, status: number): Framed {
  const head = `HTTP/1.1 ${status} X\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return nothing(Buffer.concat([Buffer.from(head), bytes]));
}

const chunked = (body: Buffer): string => `${body.length.toString(16)}\r\n${body.toString('utf8')}\r\n`;
