/**
 * Checks of bodies, compiled once for a whole run: ajv needs a tenth of a second for those of one exchange, and
 * otherwise every exchange of a test would spend it. Imports no module of the package, see check.ts.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Ajv2020 as Ajv, ValidateFunction } from 'ajv/dist/2020.js';

export type Json = Readonly<Record<string, unknown>>;

/** Name under which `addSchema` keeps the document, so that pointers into it resolve. */
const DOCUMENT = 'openapi';

const require = createRequire(import.meta.url);

/** The check of the body of the response under a JSON pointer. */
export type ValidatorOf = (pointer: string) => ValidateFunction;

/** Compiles checks on demand. */
export function compiledHere(document: Json): ValidatorOf {
  let ajv: Ajv | null = null;
  return (pointer) => {
    ajv ??= ajvOf(document);
    return compile(ajv, pointer);
  };
}

/** Reads the checks that `writeCompiled` has written into this folder. */
export const compiledIn =
  (folder: string): ValidatorOf =>
  (pointer) => {
    const module = { exports: {} };
    // It requires a part of ajv, which resolves from here and not from its folder.
    compileFunction(readFileSync(fileOf(folder, pointer), 'utf8'), ['module', 'require'])(module, require);
    return module.exports as ValidateFunction;
  };

/** Writes a check for every response of the document, a file each: an exchange answers only a few calls. */
export function writeCompiled(document: Json, folder: string): void {
  const { default: codeOf } = require('ajv/dist/standalone/index.js') as {
    default: (ajv: Ajv, validate: ValidateFunction) => string;
  };
  mkdirSync(folder, { recursive: true });
  const ajv = ajvOf(document);
  for (const pointer of responsesIn(document))
    writeFileSync(fileOf(folder, pointer), codeOf(ajv, compile(ajv, pointer)));
}

/** JSON pointers of all responses with a body, including shared ones. */
function responsesIn(document: Json): readonly string[] {
  const found: string[] = [];
  const look = (part: unknown, pointer: string): void => {
    if (typeof part !== 'object' || part === null) return;
    if (/\/responses\/[^/]+$/.test(pointer) && 'content' in part) found.push(pointer);
    else for (const [key, value] of Object.entries(part)) look(value, `${pointer}/${escapedKey(key)}`);
  };
  for (const part of ['paths', 'components']) look(document[part], `/${part}`);
  return found;
}

export const escapedKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const fileOf = (folder: string, pointer: string): string => join(folder, `${encodeURIComponent(pointer)}.cjs`);

function ajvOf(document: Json): Ajv {
  // Loaded here and synchronously: most processes never serve an answer, and one that does may be killed at any time.
  const { Ajv2020 } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv };
  // The whole document is not a schema, only its compiled parts are.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, code: { source: true } });
  return ajv.addSchema(document, DOCUMENT);
}

/** A pointer in a URI fragment: braces of path templates are percent-encoded. */
const compile = (ajv: Ajv, pointer: string): ValidateFunction =>
  ajv.compile({ $ref: `${DOCUMENT}#${encodeURI(pointer)}/content/application~1json/schema` });
