/**
 * Which requests are heard at all. Any web page in the operator's browser can send requests to a loopback address, and any
 * name can be made to resolve to it: so a request must name this very address, and come from the page itself or from no
 * page at all. Whether it may see or do anything is the pass's business, not this one's.
 */

/** Header names in lower case, as Node gives them; a repeated header has two values. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

export interface Refusal {
  readonly status: 403 | 405 | 415;
  readonly text: string;
}

const METHODS: readonly string[] = ['GET', 'POST'];

/** Null when the request is accepted. `port` is the listening one. */
export function findRefusal({ method, target, headers }: RequestHead, port: number): Refusal | null {
  const all = (name: string) => headers.get(name) ?? [];
  const [host, ...otherHosts] = all('host');
  // A name that an attacker resolved to this machine is not among these.
  if (host === undefined || otherHosts.length > 0 || !listHosts(port).includes(host)) {
    return { status: 403, text: `this page answers to its own address only, such as ${listHosts(port)[0]}` };
  }
  if (!METHODS.includes(method)) return { status: 405, text: 'only GET and POST' };
  // Browsers set these themselves, scripts cannot; other programs omit them.
  if (all('origin').some((origin) => origin !== `http://${host}`)) return FOREIGN;
  const fromHere = method === 'GET' ? ['same-origin', 'none'] : ['same-origin'];
  // The document itself may be opened from anywhere: it contains and proves nothing, and no frame may show it.
  const isOpened = method === 'GET' && /^\/(?:\?|$)/.test(target) && isTopNavigation(all);
  if (!isOpened && all('sec-fetch-site').some((site) => !fromHere.includes(site))) return FOREIGN;
  if (method === 'GET') return null;
  // A form can send three other types directly; this one makes every browser ask first, and that request is refused.
  const isJson = all('content-type').length === 1 && /^application\/json(?:;|$)/.test(all('content-type')[0] ?? '');
  return isJson ? null : { status: 415, text: 'the body must be application/json' };
}

const isTopNavigation = (all: (name: string) => readonly string[]): boolean =>
  all('sec-fetch-mode').join() === 'navigate' && all('sec-fetch-dest').join() === 'document';

const FOREIGN: Refusal = { status: 403, text: 'a request of another page is not heard' };

const listHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/** From `rawHeaders`: names and values alternate. */
export function groupHeaders(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), raw[i + 1] ?? '']);
  }
  return headers;
}
