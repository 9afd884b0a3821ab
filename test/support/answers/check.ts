/**
 * Checks that an answer of the exchange conforms to its OpenAPI document: path, status, headers, every field. Imports
 * no module of the package, because it also runs inside the real processes that tests start, see child.ts.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compiledHere, compiledIn, escapedKey, type Json, type ValidatorOf } from './compiled.js';

/** As the exchange publishes it (src/exchange/http/server.ts). */
export interface Answer {
  readonly method: string;
  readonly path: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export const ANSWERS_CHANNEL = 'twinbook:exchange:answer';

/** Served beside the calls; neither in the envelope nor in the document. */
const NO_CALLS = /^\/(openapi\.json|docs|docs\/.*)?$/;

/** Folder of compiled checks, beside the document. */
export const COMPILED = 'compiled';

export class AnswerCheck {
  readonly #document: Json;
  readonly #validatorOf: ValidatorOf;
  readonly #parts = new Map<string, Json | null>();
  readonly #validators = new Map<string, ValidateFunction>();
  /** The last correct body of each response: polls mostly repeat it. */
  readonly #lastRight = new Map<string, string>();

  constructor(document: Json, validatorOf: ValidatorOf = compiledHere(document)) {
    this.#document = document;
    this.#validatorOf = validatorOf;
  }

  /** Uses the checks compiled beside the document. */
  static ofFile(path: string): AnswerCheck {
    return new AnswerCheck(JSON.parse(readFileSync(path, 'utf8')) as Json, compiledIn(join(dirname(path), COMPILED)));
  }

  /** The errors of an answer, one line each; empty if none. */
  violations(answer: Answer): readonly string[] {
    if (answer.path !== null && NO_CALLS.test(answer.path)) return [];
    const where = `${answer.method} ${answer.path ?? '(no call)'} answered ${answer.status}`;
    const pointer = this.#responsePointer(answer);
    if (pointer === null) return [`${where}, which the document does not know: ${answer.text.slice(0, 300)}`];
    const wrong = [...this.#headerFaults(pointer, answer), ...this.#bodyFaults(pointer, answer)];
    return wrong.map((fault) => `${where}: ${fault}\n  ${answer.text.slice(0, 1000)}`);
  }

  /** JSON pointer of the document's response for this answer; null if it has none. */
  #responsePointer({ method, path, status, text }: Answer): string | null {
    const pointer =
      path === null
        ? `/components/responses/${status}.${slugOf(text)}`
        : `/paths/${escapedKey(path)}/${method.toLowerCase()}/responses/${status}`;
    const response = this.#at(pointer);
    if (response === null) return null;
    return typeof response['$ref'] === 'string' ? response['$ref'].slice(1) : pointer;
  }

  /** Null if absent from the document; cached, because every answer needs the same few. */
  #at(pointer: string): Json | null {
    const known = this.#parts.get(pointer);
    if (known !== undefined) return known;
    const part = this.#find(pointer);
    this.#parts.set(pointer, part);
    return part;
  }

  #find(pointer: string): Json | null {
    let part: unknown = this.#document;
    for (const key of pointer.split('/').slice(1)) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return null;
      part = (part as Json)[name];
    }
    return part as Json;
  }

  #headerFaults(pointer: string, { headers }: Answer): string[] {
    const type = headers['content-type'];
    const faults = type === 'application/json; charset=utf-8' ? [] : [`content-type is ${String(type)}`];
    const declared = (this.#at(`${pointer}/headers`) ?? {}) as Readonly<Record<string, Json>>;
    for (const [name, { $ref }] of Object.entries(declared)) {
      const header = this.#at(String($ref).slice(1));
      const value = headers[name.toLowerCase()];
      if (value === undefined && header?.['required'] === true) faults.push(`lacks the header ${name}`);
      const schema = header?.['schema'] as Json | undefined;
      if (value !== undefined && schema?.['type'] === 'integer' && !/^\d+$/.test(String(value)))
        faults.push(`header ${name} is ${String(value)}`);
    }
    return faults;
  }

  #bodyFaults(pointer: string, { text }: Answer): string[] {
    if (this.#lastRight.get(pointer) === text) return [];
    const validate = this.#validator(pointer);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return ['is not JSON'];
    }
    if (validate(body)) {
      this.#lastRight.set(pointer, text);
      return [];
    }
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    );
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer);
    if (known !== undefined) return known;
    const validator = this.#validatorOf(pointer);
    this.#validators.set(pointer, validator);
    return validator;
  }
}

const slugOf = (text: string): string => /"slug":"(\w+)"/.exec(text)?.[1] ?? '';
