/** Reads a YAML file strictly, and finds the line and column of each key and value. */

import { readFileSync, statSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { systemCode, TwinbookError } from '../../shared/base/errors.js';
import { findYamlExcess, formatByteExcess, MAX_YAML_BYTES, MAX_YAML_DEPTH } from '../../shared/base/yaml-bounds.js';
import { configError, fieldName, type Problem, shownPath } from './problems.js';

/** Texts of a configuration, as in `Config.texts`, from the files or from a stored copy. */
export class SourceTexts {
  readonly all: Map<string, string>;
  readonly isCopy: boolean;

  constructor(copy: ReadonlyMap<string, string> | null = null) {
    this.all = new Map(copy ?? []);
    this.isCopy = copy !== null;
  }

  /** Returns a file's text from the stored copy; null if there is no copy or the copy lacks the file. */
  findCopied(path: string): string | null {
    return this.isCopy ? (this.all.get(path) ?? null) : null;
  }
}

interface ReadYamlOptions {
  /** The setting that names the file; absent if the operator named the file on the command line. */
  readonly asker?: Problem | undefined;
  readonly sources?: SourceTexts | undefined;
}

/** Reads and parses a file. Every failure is a `TwinbookError` with the file's name. */
export function readYaml(file: string, cwd: string, options: ReadYamlOptions = {}) {
  const text = options.sources?.findCopied(file) ?? readText(file, cwd, options);
  options.sources?.all.set(file, text);
  return parseYaml(text, file, shownPath(file, cwd));
}

function readText(file: string, cwd: string, { asker }: ReadYamlOptions): string {
  const name = shownPath(file, cwd);
  const fail = (what: string, hint: string): never => {
    if (asker === undefined) throw new TwinbookError('config_invalid', `${name}: ${what}`, hint);
    throw configError([{ ...asker, text: `${asker.text} ${name}: ${what}` }], hint);
  };
  try {
    const stat = statSync(file);
    if (!stat.isFile())
      return fail(stat.isDirectory() ? 'is a folder, not a file' : 'is not an ordinary file', 'Name a YAML file.');
    if (stat.size > MAX_YAML_BYTES) return fail(formatByteExcess(stat.size), SPLIT);
    const text = readFileSync(file, 'utf8');
    const excess = findYamlExcess(text);
    return excess === null ? text : fail(excess, SPLIT);
  } catch (error) {
    if (error instanceof TwinbookError) throw error;
    const code = systemCode(error);
    if (code !== 'ENOENT')
      return fail(`cannot be read (${code})`, 'Check the permissions of the file and its folders.');
    const named = 'Name the configuration with -c FILE, or write one: `twinbook init`.';
    return fail('no such file', asker === undefined ? named : 'Relative paths in a file are relative to that file.');
  }
}

const SPLIT = 'Name a YAML file of settings; split a long file into several strategy files.';

/** Parses YAML text whose size was checked. Throws one `config_invalid` with every problem. */
export function parseYaml(text: string, file: string, name: string) {
  const counter = new LineCounter();
  const problemAt = (offset: number, field: string, complaint: string): Problem => {
    const { line, col: column } = counter.linePos(offset);
    return { where: `${name}:${line}:${column}`, place: { line, column }, field, text: complaint };
  };
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    // Repeated keys are found below, because the library would slowly compare every key with every other key.
    uniqueKeys: false,
    lineCounter: counter,
    prettyErrors: false,
  });
  const syntax = [...document.errors, ...document.warnings].map((error) =>
    problemAt(error.pos[0], '', syntaxText(error.code, error.message)),
  );
  if (syntax.length > 0) throw configError(syntax);
  const problems: Problem[] = [];
  const value = plain(document.contents, [], (node, path, complaint) =>
    problems.push(problemAt(node?.range?.[0] ?? 0, fieldName(path), complaint)),
  );
  if (problems.length > 0) throw configError(problems);
  return {
    file,
    /** File name for error messages. */
    name,
    /** The file's content as plain objects (without `__proto__` keys), lists, texts, numbers, booleans and nulls. */
    value,
    /** Makes a problem placed at a field's value or key, or at the closest existing parent of a missing field. */
    problem: (path: readonly PropertyKey[], complaint: string, part: 'key' | 'value' = 'value'): Problem => {
      const field = fieldName(part === 'key' ? path.slice(0, -1) : path);
      return problemAt(findOffset(document.contents, path, part), field, complaint);
    },
  };
}

const SYNTAX_TEXTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent YAML; use spaces',
  MULTIPLE_DOCS: 'more than one document (---) in the file; keep one',
};

const syntaxText = (code: string, message: string): string =>
  SYNTAX_TEXTS[code] ?? `not valid YAML: ${message.replace(/\s+/g, ' ')}`;

type Complain = (node: Node | null | undefined, path: readonly PropertyKey[], text: string) => void;

function plain(node: unknown, path: readonly PropertyKey[], complain: Complain): unknown {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return complain(node, path, 'aliases (*name) are not used here; write the value out');
  if (path.length > MAX_YAML_DEPTH) return complain(null, path.slice(0, 3), 'nested too deeply');
  if (isScalar(node) || isMap(node) || isSeq(node)) {
    if (node.anchor !== undefined) complain(node, path, `anchors (&${node.anchor}) are not used; remove the anchor`);
    if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
      complain(node, path, `unknown tag ${node.tag}`);
  }
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map((item, index) => plain(item, [...path, index], complain));
  if (!isMap(node)) return null;
  const entries = new Map<string, unknown>();
  for (const pair of node.items) {
    const key = readKey(pair);
    if (key === null) complain(asNode(pair.key) ?? node, path, 'a key must be a plain word');
    else if (key === '__proto__' || key === '<<') complain(asNode(pair.key), path, `unknown key '${key}'`);
    else if (entries.has(key)) complain(asNode(pair.key), path, 'this key is twice in the same mapping; keep one');
    else entries.set(key, plain(pair.value, [...path, key], complain));
  }
  return Object.fromEntries(entries);
}

const readKey = (pair: Pair) => (isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : null);

/** Returns a YAML key or value as a node, which has its position in the text; null for other values. */
const asNode = (end: unknown): Node | null => (isScalar(end) || isMap(end) || isSeq(end) || isAlias(end) ? end : null);

function findOffset(root: unknown, path: readonly PropertyKey[], part: 'key' | 'value'): number {
  let node: unknown = root;
  let offset = asNode(root)?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
    } else if (isMap(node)) {
      const pair = node.items.find((candidate) => readKey(candidate) === step);
      if (pair === undefined) return offset;
      offset = asNode(pair.key)?.range?.[0] ?? offset;
      if (depth === path.length - 1 && part === 'key') return offset;
      node = pair.value;
    } else {
      return offset;
    }
    const start = asNode(node)?.range?.[0];
    // An empty value has no text, so the problem is shown at its key.
    const empty = node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '');
    if (start !== undefined && !empty) offset = start;
  }
  return offset;
}
