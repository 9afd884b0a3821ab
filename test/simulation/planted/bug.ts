/** A bug that a developer might make: its effect, and the text of the product that makes it. */

export interface Edit {
  /** Below the repository. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
}

export interface Bug {
  readonly name: string;
  /** One sentence: what goes wrong. */
  readonly what: string;
  /** More than one where a single one would be caught by a second guard; `what` then names both. */
  readonly edits: readonly Edit[];
}

/** Applies the edits that are of this file. Throws where a text does not stand in it exactly once. */
export function patched(bug: Bug, file: string, source: string): string {
  let text = source;
  for (const edit of bug.edits.filter((each) => each.file === file)) {
    const pieces = text.split(edit.text);
    if (pieces.length !== 2) {
      throw new Error(`${bug.name}: ${file} has ${pieces.length - 1} places, not one, of this text:\n${edit.text}`);
    }
    text = pieces.join(edit.replacement);
  }
  return text;
}
