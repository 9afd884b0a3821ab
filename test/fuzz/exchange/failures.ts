/** A failure with everything needed to repeat it: the seed, the request, its answer. */

export interface Failure {
  readonly seed: number;
  /** The case of the seed: its lane and its number. */
  readonly at: string;
  readonly kind: string;
  readonly fault: string;
  readonly request: Buffer;
  readonly answer: string;
}

export function failureText({ seed, at, kind, fault, request, answer }: Failure): string {
  return [
    `seed ${seed}, case ${at} (${kind}): ${fault}`,
    'request:',
    shown(request),
    'answer:',
    answer.slice(0, 2000),
  ].join('\n');
}

/** Printable on any terminal, and exact. */
const shown = (bytes: Buffer): string =>
  bytes
    .toString('latin1', 0, 4000)
    .replace(/[^\n\u0020-\u007e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
