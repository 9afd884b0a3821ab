/**
 * A bucket on loopback for tests: the calls of S3 that recordings need, with signatures checked by code of its own, and faults
 * on demand. Objects are in memory.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  /** Without the bucket; empty for a list. */
  readonly key: string;
  readonly headers: IncomingMessage['headers'];
}

/** In place of the answer. */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The body ends after so many bytes, and the connection with it. */
  | { readonly cutAfter: number }
  /** Other bytes than the object's. */
  | { readonly content: Buffer };

export const KEYS = { id: 'AKIATESTTESTTEST', secret: 'a-secret-of-the-test/+=' };

export interface Bucket {
  readonly endpoint: string;
  /** `s3://bucket`. */
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  readonly meta: Map<string, Readonly<Record<string, string>>>;
  readonly asked: Asked[];
  /** Variables that reach it, and a cache below this folder. */
  env(cacheFolder: string): Record<string, string>;
  /** Asked before each answer; null for none. */
  fault: (asked: Asked) => Fault | null;
  /** Objects on a page of a list. */
  pageSize: number;
  /** Sends parts of objects to who asks for them; else the whole. */
  knowsRanges: boolean;
}

export async function openBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const meta: Bucket['meta'] = new Map();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(bucket, request, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const bucket: Bucket = {
    endpoint,
    url: 's3://bucket',
    objects,
    meta,
    asked,
    env: (cacheFolder) => ({
      AWS_ACCESS_KEY_ID: KEYS.id,
      AWS_SECRET_ACCESS_KEY: KEYS.secret,
      AWS_ENDPOINT_URL: endpoint,
      TWINBOOK_CACHE_DIR: cacheFolder,
    }),
    fault: () => null,
    pageSize: 1000,
    knowsRanges: true,
  };
  return bucket;
}

export const errorXml = (code: string, message: string): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;

function answer(bucket: Bucket, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const url = new URL(request.url ?? '', bucket.endpoint);
  const [name, ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const one: Asked = { method: request.method ?? '', key: rest.join('/'), headers: request.headers };
  bucket.asked.push(one);
  const send = (status: number, text: string | Buffer, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
    response.end(one.method === 'HEAD' ? undefined : text);
  };
  const fault = bucket.fault(one);
  if (fault !== null && 'status' in fault) return send(fault.status, fault.body ?? '', { ...fault.headers });
  const refusal = checkSignature(request, url, body);
  if (refusal !== null) return send(403, errorXml('SignatureDoesNotMatch', refusal));
  if (name !== 'bucket') return send(404, errorXml('NoSuchBucket', 'The specified bucket does not exist'));
  if (one.key === '') return send(200, listXml(bucket, url.searchParams), { 'content-type': 'application/xml' });
  if (one.method === 'PUT') {
    const md5 = createHash('md5').update(body).digest('base64');
    if (request.headers['content-md5'] !== md5) return send(400, errorXml('BadDigest', 'wrong Content-MD5'));
    bucket.objects.set(one.key, body);
    bucket.meta.set(one.key, { 'x-amz-meta-sha256': String(request.headers['x-amz-meta-sha256']) });
    return send(200, '', { etag: etagOf(body) });
  }
  const content = bucket.objects.get(one.key);
  if (content === undefined) return send(404, errorXml('NoSuchKey', 'The specified key does not exist.'));
  const headers = { etag: etagOf(content), ...bucket.meta.get(one.key) };
  if (fault !== null && 'content' in fault) return send(200, fault.content, headers);
  if (fault === null) {
    const { status, body: part, contentRange } = bucket.knowsRanges ? partOf(content, one) : wholeOf(content);
    return send(status, part, contentRange === '' ? headers : { ...headers, 'content-range': contentRange });
  }
  response.writeHead(200, { ...headers, 'content-length': String(content.length) });
  response.write(content.subarray(0, fault.cutAfter), () => response.destroy());
}

interface Part {
  readonly status: number;
  readonly body: Buffer;
  readonly contentRange: string;
}

const wholeOf = (body: Buffer): Part => ({ status: 200, body, contentRange: '' });

function partOf(content: Buffer, { headers }: Asked): Part {
  const nothing = { body: Buffer.alloc(0), contentRange: '' };
  if (headers['if-match'] !== undefined && headers['if-match'] !== etagOf(content)) return { status: 412, ...nothing };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined) return wholeOf(content);
  const [from, to] = [Number(first), Math.min(Number(last) + 1, content.length)];
  if (from >= content.length) return { status: 416, ...nothing };
  return { status: 206, body: content.subarray(from, to), contentRange: `bytes ${from}-${to - 1}/${content.length}` };
}

const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`;

function listXml({ objects, pageSize }: Bucket, query: URLSearchParams): string {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
  const from = Number(query.get('continuation-token') ?? '0');
  const page = keys.slice(from, from + pageSize);
  const isMore = from + pageSize < keys.length;
  const contents = page.map((key) => {
    const content = objects.get(key) ?? Buffer.alloc(0);
    const etag = etagOf(content).replaceAll('"', '&quot;');
    return `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${etag}</ETag><Size>${content.length}</Size></Contents>`;
  });
  return `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isMore}</IsTruncated>${
    isMore ? `<NextContinuationToken>${from + pageSize}</NextContinuationToken>` : ''
  }${contents.join('')}</ListBucketResult>`;
}

/** Version 4 of Amazon's signatures as its documentation says; null where it holds. */
function checkSignature(request: IncomingMessage, url: URL, body: Buffer): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', names = '', given = ''] = pattern.exec(request.headers.authorization ?? '') ?? [];
  if (id !== KEYS.id) return `no key ${id}`;
  const payload = String(request.headers['x-amz-content-sha256']);
  const hash = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash(body)) return 'another body than was signed';
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const encode = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)));
  const canonical = [request.method, path.join('/'), query.join('&'), headers.join(''), names, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const sign = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const signingKey = sign(sign(sign(sign(`AWS4${KEYS.secret}`, day), region), 's3'), 'aws4_request');
  const wanted = createHmac('sha256', signingKey).update(toSign).digest();
  return timingSafeEqual(wanted, Buffer.from(given, 'hex')) ? null : 'the signature is another one';
}
