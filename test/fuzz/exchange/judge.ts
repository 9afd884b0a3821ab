/** Checks whether this exchange may give an answer. */

import { AnswerCheck } from '../../support/answers/check.js';
import type { Document } from '../schema.js';
import type { Case, HostileRequest } from './requests.js';
import type { WireAnswer } from './wire.js';

/** The only failures of the service that its interface declares. */
const SERVICE_SIDE = new Set(['gringotts_unavailable', 'hyperliquid_margin_tp_sl_not_supported']);

export class Judge {
  readonly #check: AnswerCheck;
  /** Method and path template of every operation. */
  readonly #templates: readonly Template[];

  constructor(document: Document) {
    this.#check = new AnswerCheck(document.json);
    const templates = document.operations.map(({ method, path }) => ({ method, parts: path.split('/') }));
    // A name in a template precedes a parameter: `/margin/positions/requests/` is no position.
    this.#templates = templates.sort((a, b) => paramsIn(a) - paramsIn(b));
  }

  /** The error of the answer; null if it is correct. */
  faultOf({ request, path, duty }: Case, answer: WireAnswer): string | null {
    const { status, text } = answer;
    if (status >= 500 && !isKnown(text)) return `HTTP ${status}`;
    if (duty === 'unauthorised' && status !== 401) return `HTTP ${status} for a caller who is nobody`;
    if (duty === 'refused' && status < 400) return `HTTP ${status} for a caller who may not`;
    if (request.method === 'HEAD') return status < 400 ? `HTTP ${status} for a HEAD` : null;
    return path === null ? this.#anyFault(request, answer) : this.#faults(request, path, answer);
  }

  /** For bytes without a clear meaning: an answer of the path that they may name, or of no call. */
  faultOfBytes(bytes: Buffer, answer: WireAnswer): string | null {
    const [method = '', target = ''] = bytes.toString('latin1', 0, 20_000).split(' ', 2);
    return this.faultOf({ kind: '', path: null, duty: 'anything', request: { ...NOTHING, method, target } }, answer);
  }

  #anyFault(request: HostileRequest, answer: WireAnswer): string | null {
    const asCall = this.#faults(request, this.#templateOf(request), answer);
    return asCall === null ? null : this.#faults(request, null, answer) === null ? null : asCall;
  }

  #faults({ method }: HostileRequest, path: string | null, { status, headers, text }: WireAnswer): string | null {
    const [fault] = this.#check.violations({ method, path, status, headers, text });
    return fault ?? null;
  }

  /** The declared path that serves a request; null if undetermined. */
  #templateOf({ method, target }: HostileRequest): string | null {
    // The absolute form also names the path.
    const path = decoded(target.replace(/^http:\/\/[^/]*/, '').replace(/[?;#].*$/s, '')).split('/');
    const fits = this.#templates.find((template) => template.method === method && isUnder(template, path));
    return fits?.parts.join('/') ?? null;
  }
}

interface Template {
  readonly method: string;
  readonly parts: readonly string[];
}

const isUnder = ({ parts }: Template, path: readonly string[]): boolean =>
  parts.length === path.length && parts.every((part, at) => part.startsWith('{') || part === path[at]);

const NOTHING = { headers: [], body: null, signer: null };

const paramsIn = ({ parts }: Template): number => parts.filter((part) => part.startsWith('{')).length;

const isKnown = (text: string): boolean => SERVICE_SIDE.has(/"slug":"(\w+)"/.exec(text)?.[1] ?? '');

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
