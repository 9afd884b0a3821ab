/**
 * Foreign texts (titles, reasons, the venue's error messages) made safe for a terminal: control characters could move
 * the cursor, clear the screen, set the clipboard, or forge a line of output.
 */

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const INVISIBLE_IN_TEXT = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/** One line; invisible characters become `?`. */
export const plainLine = (text: string): string => text.replace(INVISIBLE, '?');

/** The same for several lines; line breaks and tabs stay. */
export const plainText = (text: string): string => text.replace(INVISIBLE_IN_TEXT, '?');

/**
 * Equivalent JSON with such characters escaped, besides those that JSON escapes itself. Line breaks between tokens
 * stay.
 */
export const plainJson = (json: string): string =>
  json.replace(INVISIBLE_IN_TEXT, (one) =>
    [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** Undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
