/**
 * Texts of strangers (titles, reasons, error messages of the venue) as a terminal may show them: a control character could
 * move the cursor, clear the screen, set the clipboard, or write a line that the program never said.
 */

const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const INVISIBLE_IN_TEXT = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu;

/** One line: whatever is no visible character is `?`. */
export const plainLine = (text: string): string => text.replace(INVISIBLE, '?');

/** The same for a text of several lines, whose line breaks and tabs stay. */
export const plainText = (text: string): string => text.replace(INVISIBLE_IN_TEXT, '?');

/** JSON that says the same with every such character escaped, beside those that JSON escapes itself. Line breaks between its tokens stay. */
export const plainJson = (json: string): string =>
  json.replace(INVISIBLE_IN_TEXT, (one) =>
    [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
