/** A plausible bug of a developer: its effect, and the changed text of the product. */

interface Edit {
  /** Path in the repository. */
  readonly file: string;
  /** Must be in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
}

interface Named {
  readonly name: string;
  /** One sentence about the failure. */
  readonly what: string;
}

export interface Bug extends Named {
  /** More than one if a second guard would catch a single one; `what` then names both. */
  readonly edits: readonly Edit[];
}

/** A bug as the files beside this one state it: one edit has no list. */
export type WrittenBug = Bug | (Named & Edit);

/** Applies the edits of this file. Throws if a text is not in it exactly once. */
export function patched(bug: Bug, file: string, source: string): string {
  let text = source;
  for (const edit of bug.edits.filter((each) => each.file === file)) {
    const pieces = text.split(edit.text);
    if (pieces.length !== 2)
      throw new Error(`${bug.name}: ${file} has ${pieces.length - 1} places, not one, of this text:\n${edit.text}`);
    text = pieces.join(edit.replacement);
  }
  return text;
}
