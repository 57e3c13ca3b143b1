/** A seeded source of random numbers: the same seed gives the same shuffles and the same intervals anywhere. */

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, count). */
  below(count: number): number;
}

/** sfc32 (C. Doty-Humphrey, PractRand): 128 bits of state, passes BigCrush. */
export function seededRandom(seed: number): Random {
  let [a, b, c, counter] = [0x9e3779b9, seed | 0, (seed / 0x1_0000_0000) | 0, 1];
  function word(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  }
  // The seed has reached every bit of the state after a dozen words.
  for (let i = 0; i < 12; i += 1) word();
  return {
    next: () => word() / 0x1_0000_0000,
    below: (count) => Math.floor((word() / 0x1_0000_0000) * count),
  };
}

/** A copy in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = random.below(i + 1);
    const [x, y] = [all[i], all[j]];
    if (x !== undefined && y !== undefined) [all[i], all[j]] = [y, x];
  }
  return all;
}
