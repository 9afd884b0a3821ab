/** Bounds on a YAML text, checked in linear time before the text is parsed: the parser is quadratic, and aborts on deep nesting. */

import { CST, Lexer } from 'yaml';

export const MAX_YAML_BYTES = 256 * 1024;
/** Maximum keys and list items of a configuration file; anchors, aliases and tags count too. */
export const MAX_YAML_ENTRIES = 5_000;
/** Deeper than any setting. */
export const MAX_YAML_DEPTH = 20;

/** The first exceeded bound, with actual and allowed size; null for a text that may be parsed. */
export function findYamlExcess(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) return formatByteExcess(bytes);
  const depth = new NestingDepth();
  let entries = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const kind = CST.tokenType(lexeme);
    if (depth.after(kind, lexeme) > MAX_YAML_DEPTH)
      return `is nested too deeply; at most ${MAX_YAML_DEPTH} levels are read`;
    if (kind !== null && COUNTED.has(kind)) entries += 1;
  }
  if (entries <= MAX_YAML_ENTRIES) return null;
  return `has ${entries} keys and list items; at most ${MAX_YAML_ENTRIES} are read`;
}

export const formatByteExcess = (bytes: number): string => `has ${bytes} bytes; at most ${MAX_YAML_BYTES} are read`;

/** Nesting by brackets, by indentation, and by marks on one line (`- - - x`); each is measured on its own. */
class NestingDepth {
  #flow = 0;
  #marksOnLine = 0;
  #indent = 0;
  #isLineStart = true;
  readonly #indents: number[] = [];

  /** The deepest of the three after one more lexeme. */
  after(kind: CST.TokenType | null, lexeme: string): number {
    if (kind === 'newline') {
      this.#marksOnLine = 0;
      this.#indent = 0;
      this.#isLineStart = true;
    } else if (kind === 'space' || kind === 'comment') {
      if (this.#isLineStart) this.#indent = lexeme.length;
    } else if (kind === 'flow-map-end' || kind === 'flow-seq-end') {
      this.#flow = Math.max(0, this.#flow - 1);
    } else {
      if (this.#isLineStart && this.#flow === 0) this.#openLine();
      this.#isLineStart = false;
      if (kind === 'flow-map-start' || kind === 'flow-seq-start') this.#flow += 1;
      else if (this.#flow === 0 && kind !== null && COUNTED.has(kind)) this.#marksOnLine += 1;
    }
    return Math.max(this.#flow, this.#marksOnLine, this.#indents.length);
  }

  #openLine(): void {
    while ((this.#indents.at(-1) ?? -1) >= this.#indent) this.#indents.pop();
    this.#indents.push(this.#indent);
  }
}

/** Each is an entry or part of one. */
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
