/**
 * A script with less of what is only for those who read it: comments, indentation, and space around signs. Strings, templates and
 * regular expressions stay as they are. A test holds that the program stays the same.
 */

/**
 * What is kept letter by letter, comments, separators with nothing after them, and signs with the space around them. `+` and `-` mean
 * something else when they touch.
 */
const TOKENS =
  /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![/*\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|\s*\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s*;\s*(?=})|\s*,\s*(?=[)\]}])|\s*([=*<>!?:;,{}()[\]&|%])\s*/g;

/** @param script whose statements end with a semicolon or a brace, none of which is empty, and in which no template stands within another */
export const makeDense = (script: string): string =>
  script.replace(TOKENS, (_, kept: string | undefined, sign: string | undefined) => kept ?? sign ?? '').trim();
