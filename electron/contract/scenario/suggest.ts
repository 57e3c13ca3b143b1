/** "Did you mean": the known word that a reader most likely wanted. */

/** Optimal string alignment distance: insertions, deletions, substitutions, neighbours swapped. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** Longer words than this are no typing slip of a known word; comparing them would only cost time. */
const longestWord = 64;

/**
 * The candidate nearest to `word`, or null when none is near: at most a third
 * of its letters wrong (case and the kind of separator count nothing); or one
 * is the beginning of the other, as `dx` is of `dx_mm`.
 */
export function suggest(word: string, candidates: readonly string[]): string | null {
  if (word.length === 0 || word.length > longestWord) return null;
  const plain = (text: string): string => text.toLowerCase().replace(/[_\-\s]/g, '');
  const wanted = plain(word);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const unitLeftOut = candidate.toLowerCase().startsWith(`${word.toLowerCase()}_`);
    const beginning = unitLeftOut || (wanted.length >= 3 && (known.startsWith(wanted) || wanted.startsWith(known)));
    const distance = beginning ? Math.min(1, editDistance(wanted, known)) : editDistance(wanted, known);
    const near = distance <= Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (near && distance < wanted.length && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
