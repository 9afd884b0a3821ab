/** Checks limits of a YAML text in linear time. The YAML parser takes quadratic time, and aborts on deep nesting. */

import { CST, Lexer } from 'yaml';

export const MAX_YAML_BYTES = 256 * 1024;
/** Maximum number of keys and list items in a configuration file. YAML anchors, aliases and tags also count. */
const MAX_YAML_ENTRIES = 5_000;
/** Maximum nesting depth of a configuration file. No setting of a configuration file is nested more deeply. */
export const MAX_YAML_DEPTH = 20;

/** Returns a sentence about an exceeded YAML limit, or null. Brackets and marks like `- - - x` count as nesting. */
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
    // The lexer also reports block text as `space`, so only a token that contains only spaces is indentation.
    const isWide = lexeme.length > WIDEST_INDENT && lexeme.trim() === '';
    if (isWide || Math.max(brackets, marks) > MAX_YAML_DEPTH)
      return `is nested too deeply; at most ${MAX_YAML_DEPTH} levels are read`;
  }
  if (entries <= MAX_YAML_ENTRIES) return null;
  return `has ${entries} keys and list items; at most ${MAX_YAML_ENTRIES} are read`;
}

export const formatByteExcess = (bytes: number): string => `has ${bytes} bytes; at most ${MAX_YAML_BYTES} are read`;

/** Maximum indentation, characters. The limit is coarse, because the exact depth is checked after parsing. */
const WIDEST_INDENT = 200;

/** Kinds of YAML tokens that count as entries; each token is an entry or a part of one. */
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
