/** Checks bounds on a YAML text in linear time before the parser, which is quadratic and aborts on deep nesting. */

import { CST, Lexer } from 'yaml';

export const MAX_YAML_BYTES = 256 * 1024;
/** Maximum keys and list items of a configuration file; anchors, aliases and tags count too. */
export const MAX_YAML_ENTRIES = 5_000;
/** Maximum nesting depth; every setting is less deep. */
export const MAX_YAML_DEPTH = 20;

/** Returns the first exceeded bound and its sizes, or null. Depth counts brackets, and marks such as `- - - x`. */
export function findYamlExcess(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) return formatByteExcess(bytes);
  let [entries, brackets, marks] = [0, 0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    const kind = CST.tokenType(lexeme) ?? '';
    const isEntry = COUNTED.has(kind);
    if (isEntry) entries += 1;
    if (kind === 'newline') marks = 0;
    else if (kind === 'flow-map-start' || kind === 'flow-seq-start') brackets += 1;
    else if (kind === 'flow-map-end' || kind === 'flow-seq-end') brackets = Math.max(0, brackets - 1);
    else if (isEntry && brackets === 0) marks += 1;
    // The lexer calls the text of a block a space too.
    const isWide = lexeme.length > WIDEST_INDENT && lexeme.trim() === '';
    if (isWide || Math.max(brackets, marks) > MAX_YAML_DEPTH)
      return `is nested too deeply; at most ${MAX_YAML_DEPTH} levels are read`;
  }
  if (entries <= MAX_YAML_ENTRIES) return null;
  return `has ${entries} keys and list items; at most ${MAX_YAML_ENTRIES} are read`;
}

export const formatByteExcess = (bytes: number): string => `has ${bytes} bytes; at most ${MAX_YAML_BYTES} are read`;

/** Deeper indentation cannot be read; the reader of the parsed text counts its levels. */
const WIDEST_INDENT = 200;

/** Counted tokens; every token is an entry or part of an entry. */
const COUNTED: ReadonlySet<string> = new Set([
  'map-value-ind',
  'explicit-key-ind',
  'seq-item-ind',
  'flow-map-start',
  'flow-seq-start',
  'comma',
  'anchor',
  'alias',
  'tag',
  'doc-start',
  'doc-end',
  'directive-line',
]);
