/** Everything that a client may conclude from an answer. Plain, and independent of the client's code. */

import type { Declaration } from '../../../src/shared/protocol/endpoints.js';
import { draft } from '../../../src/shared/protocol/records.js';
import type { ClientAnswer } from '../../../src/shell/client/contract.js';
import type { HostileAnswer, Meaning } from './answers.js';

export interface Asked {
  readonly declaration: Declaration;
  readonly answer: HostileAnswer;
  /** The mark with which the record was requested. */
  readonly mark: string;
  /** Whether the venue ever sent the answer. */
  readonly wasGiven: boolean;
}

/** The client's error about an answer; null if it was right. */
export function faultOfAnswer({ declaration, answer, mark, wasGiven }: Asked, heard: ClientAnswer): string | null {
  const { outcome } = heard;
  const numbers = [heard.sentMs, heard.nowMs, heard.venueTimeMs ?? 0, heard.budget?.resetMs ?? 0, heard.pageLimit ?? 1];
  if (!numbers.every(Number.isFinite)) return `tells of no number: ${numbers.join(', ')}`;
  const proven = answer.meaning === null ? 'nothing' : provenBy(declaration, answer.meaning, mark);
  if (outcome.kind === 'unknown') {
    if (outcome.reason === '' || outcome.reason.length > 1000)
      return `gives a reason of ${outcome.reason.length} characters`;
    if (!outcome.sent && wasGiven && !answer.lasting) return `says that nothing was sent: ${outcome.reason}`;
    return wasGiven && mustBeKnown(answer, proven) ? `makes nothing of a plain answer: ${outcome.reason}` : null;
  }
  if (outcome.kind === 'refused') return proven === 'refused' ? null : `believes a refusal (${outcome.slug})`;
  if (proven === 'nothing' || proven === 'refused') return 'believes a success';
  return JSON.stringify(outcome.data) === JSON.stringify(proven.data) ? null : 'answers something else than what came';
}

/** A client that rejected every answer would never be wrong. */
const mustBeKnown = ({ kind, lasting }: HostileAnswer, proven: unknown): boolean =>
  !lasting && ((kind === 'honest' && proven !== 'nothing') || (kind === 'refusal' && proven === 'refused'));

type Proof = 'nothing' | 'refused' | { readonly data: unknown };

function provenBy(declaration: Declaration, { status, text }: Meaning, mark: string): Proof {
  const body = parsed(text);
  if (body === null) return 'nothing';
  const { data, error } = body;
  if (status >= 200 && status <= 299) {
    const read = declaration.data.safeParse(readableRows(declaration, data));
    return error === null && read.success && isAsked(declaration, data, mark) ? { data: read.data } : 'nothing';
  }
  const slug = typeof error === 'object' && error !== null && 'slug' in error ? error.slug : null;
  const isRefusal =
    (status >= 400 && status < 500) || status === 501 || (status === 503 && slug === 'gringotts_unavailable');
  return isRefusal && typeof slug === 'string' && (data ?? null) === null ? 'refused' : 'nothing';
}

/** An unreadable row of such a list is dropped, unless no other row is left. */
function readableRows({ looseRow, data: schema }: Declaration, data: unknown): unknown {
  if (looseRow === undefined || !Array.isArray(data) || schema.safeParse(data).success) return data;
  const rows = data.filter((row) => looseRow.safeParse(row).success);
  return rows.length === 0 ? data : rows;
}

/** A record other than the requested one proves nothing. A draft of a cancel may have its own name. */
function isAsked({ path, data: schema }: Declaration, data: unknown, mark: string): boolean {
  if (!path.includes('{') || schema === draft || typeof data !== 'object' || data === null) return true;
  const names: Readonly<Record<string, unknown>> = { ...data };
  const own = path.includes('{pubkey}') ? ['pubkey', 'position_pubkey'] : ['condition_id', 'market', 'key_id'];
  return own.every((name) => typeof names[name] !== 'string' || names[name] === mark);
}

function parsed(text: string): { readonly data?: unknown; readonly error?: unknown } | null {
  try {
    // RFC 8259, 8.1: a byte order mark may be ignored.
    const body: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof body === 'object' && body !== null ? body : null;
  } catch {
    return null;
  }
}
