/** Finds the known word that a misspelt one was meant to be. */

/**
 * The known word that was probably meant: at most a third of its letters away, or the only one that continues it, or
 * that it continues, by a few letters; else null.
 */
export function closest(word: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(plain(word), plain(candidate));
    if (distance < bestDistance && distance <= Math.max(1, Math.floor(candidate.length / 3))) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? theOneLonger(word, known);
}

/** `opened` for `open`: minimum number of equal letters, and maximum number of further ones. */
const SAME_LETTERS = 4;
const MORE_LETTERS = 3;

function theOneLonger(word: string, known: readonly string[]): string | null {
  const found = known.filter((candidate) => {
    const [short = '', long = ''] = [plain(word), plain(candidate)].sort((a, b) => a.length - b.length);
    return short.length >= SAME_LETTERS && long.length - short.length <= MORE_LETTERS && long.startsWith(short);
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

const plain = (word: string): string => word.toLowerCase().replaceAll('-', '_');

/** No word of ours is longer, and the table below is quadratic. */
const MAX_LENGTH = 200;

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  if (a.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same, swapped));
    }
  }
  return at(a.length, b.length);
}
