/** Marks of unclear prose: phrases that hide the subject of a sentence. CONTRIBUTING.md describes their budget. */

import { type Node, parseSync } from 'oxc-parser';
import { walk } from './walk.js';

const WHAT =
  'is|was|are|were|has|had|comes?|came|it|they|he|she|we|the|a|an|stands?|stood|rests?|remains?|others?|nobody|somebody|cannot|can|may|must|would|will|does|did|left|leaves|happens|happened|needs?|goes|went|follows|belongs';

/** Name of each mark, and the pattern that finds it. */
const MARKS: Readonly<Record<string, RegExp>> = {
  'headless what': new RegExp(`\\bwhat (?:${WHAT})\\b`, 'gi'),
  'invented people': /\b(?:nobody|whoever|somebody|someone's|anybody)\b/gi,
  'tell, told': /\b(?:tells?|told|telling)\b/gi,
  stands: /\b(?:stands?|stood)\b/gi,
  'so many': /\bso (?:many|much|long|far)\b(?! as)/gi,
  anew: /\b(?:anew|by itself|of its own|by themselves)\b/gi,
  'fragment of': /(?:^|[.!?]\s+)Of (?:a|an|the|all|each|its|one|two|what)\b/g,
  'let go': /\b(?:lets? go|put aside|takes? back|taken back|goes on|go on|comes? to)\b/gi,
};

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*/g;
const QUOTED = /`[^`\n]*`/g;
/** A literal of fewer words is a name or a key, not a message. */
const FEWEST_WORDS = 3;

/** Marks of all kinds per 10,000 words of these texts. */
export function marksPer10000(texts: readonly string[]): number {
  const counts = texts.map((text) => ({ words: countWords(text), marks: countMarks(text) }));
  const words = counts.reduce((sum, { words }) => sum + words, 0);
  const marks = counts.reduce((sum, { marks }) => sum + marks, 0);
  return (marks / words) * 1e4;
}

/** The comments of a source file, without quoted code. */
export const commentsIn = (source: string): string =>
  [...source.matchAll(COMMENT)]
    .map(([comment]) => comment.replace(/^[\s/*]+|\*\/$/g, '').replace(/\n\s*\*\s?/g, '\n'))
    .join('\n\n')
    .replace(QUOTED, 'x');

/** The sentences of a Markdown page, without code. */
export const proseIn = (page: string): string =>
  page
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^(?: {4}|\t).*$/gm, '')
    .replace(QUOTED, 'x');

/** Messages and help texts of a source file: its string literals of at least three words. */
export function messagesIn(path: string, source: string): string {
  const texts: string[] = [];
  walk(parseSync(path, source).program, (node) => {
    const text = literalText(node);
    if (text !== null && countWords(text) >= FEWEST_WORDS) texts.push(text);
  });
  return texts.join('\n\n').replace(QUOTED, 'x');
}

function literalText(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join(' x ');
  return null;
}

const countWords = (text: string): number => text.match(/\b[\p{L}'’-]+\b/gu)?.length ?? 0;

const countMarks = (text: string): number =>
  Object.values(MARKS).reduce((sum, pattern) => sum + [...text.matchAll(pattern)].length, 0);
