/** Where recordings lie on object storage, and with which keys they are asked for. */

import { TwinbookError } from '../../shared/base/errors.js';
import { isDayFolder } from '../store/layout.js';

/** A folder of recordings in a bucket. Plain data, without a secret. */
export interface ObjectPlace {
  readonly bucket: string;
  /** What comes before `market=…` in every key: empty, or with a slash at its end. */
  readonly prefix: string;
  /** What follows of one market or day: empty, or such as `market=…/date=…`. */
  readonly inside: string;
  /** Scheme and host, without a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  /** Whether the bucket is named in the path and not in the host. */
  readonly pathStyle: boolean;
}

export interface ObjectCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a path means object storage. */
export const isObjectUrl = (path: string): boolean => path.startsWith('s3://');

const OPTIONS = ['endpoint', 'region', 'path_style', 'allow_http'] as const;
type Option = (typeof OPTIONS)[number];
const HINT =
  'Wanted s3://BUCKET/PREFIX, with ?endpoint=URL&region=NAME&path_style=true&allow_http=true as they are needed.';

/**
 * Reads `s3://bucket/prefix`, with what its query and the environment say of the server.
 * Throws TwinbookError `usage` for an address that is none, or one over plain http to another machine.
 */
export function readPlace(url: string, env: Environment): ObjectPlace {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? [];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket)) throw wrong(url, 'its bucket is no name of a bucket');
  const options = readOptions(url, query);
  const region = options.get('region') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const given = options.get('endpoint') ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const endpoint = readEndpoint(
    url,
    given ?? `https://s3.${region}.amazonaws.com`,
    isTrue(url, options, 'allow_http', false),
  );
  const parts = path.split('/').filter((part) => part !== '');
  const at = parts.findIndex((part) => part.startsWith('market=') || isDayFolder(`/${part}`));
  const outer = at < 0 ? parts : parts.slice(0, at);
  return {
    bucket,
    prefix: outer.map((part) => `${part}/`).join(''),
    inside: at < 0 ? '' : parts.slice(at).join('/'),
    endpoint,
    region,
    // The certificate of a host fits no bucket with a dot, and servers of one's own rarely have a host for each bucket.
    pathStyle: isTrue(url, options, 'path_style', given !== undefined || bucket.includes('.')),
  };
}

/**
 * The keys of the usual variables; null where neither is set: requests are then not signed.
 * Throws TwinbookError `usage` where one is set without the other.
 */
export function readCredentials(env: Environment): ObjectCredentials | null {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? '';
  if (accessKeyId === '' && secretAccessKey === '') return null;
  if (accessKeyId !== '' && secretAccessKey !== '') {
    return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] || null };
  }
  const [set, missing] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].sort((a, b) =>
    (env[a] ?? '') === '' ? 1 : (env[b] ?? '') === '' ? -1 : 0,
  );
  throw new TwinbookError('usage', `${set} is set, ${missing} is not`, 'Set both, or neither for a public bucket.');
}

/** As a user reads them. */
export const showPlace = (place: ObjectPlace): string => `s3://${place.bucket}/${place.prefix}`.replace(/\/$/, '');
export const showKey = ({ bucket }: Pick<ObjectPlace, 'bucket'>, key: string): string => `s3://${bucket}/${key}`;

function readOptions(url: string, query: string): ReadonlyMap<Option, string> {
  const found = new Map<Option, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = OPTIONS.find((option) => option === name);
    if (known === undefined) throw wrong(url, `it has no option ${name}, only ${OPTIONS.join(', ')}`);
    found.set(known, value);
  }
  return found;
}

function isTrue(url: string, options: ReadonlyMap<Option, string>, name: Option, usual: boolean): boolean {
  const text = options.get(name);
  if (text === undefined) return usual;
  if (text !== 'true' && text !== 'false') throw wrong(url, `${name} is ${text}; wanted true or false`);
  return text === 'true';
}

function readEndpoint(url: string, text: string, allowHttp: boolean): string {
  let endpoint: URL;
  try {
    endpoint = new URL(text);
  } catch {
    throw wrong(url, `its endpoint ${text} is no address`);
  }
  const { protocol, hostname, username, password, host, pathname } = endpoint;
  if (username !== '' || password !== '')
    throw wrong(url, 'its endpoint holds a password: keys come from AWS_… variables');
  if (protocol !== 'https:' && protocol !== 'http:') throw wrong(url, `its endpoint ${text} is neither https nor http`);
  if (protocol === 'http:' && !isLoopback(hostname) && !allowHttp) {
    throw wrong(
      url,
      `its endpoint ${text} is plain http to another machine, where anybody on the way may change what is read`,
    );
  }
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Options may hold anything but no secret; they are cut all the same. */
const wrong = (url: string, what: string): TwinbookError =>
  new TwinbookError('usage', `${url.replace(/\?.*$/s, '')} cannot be used: ${what}`, HINT);
