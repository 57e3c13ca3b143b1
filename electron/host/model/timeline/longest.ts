/**
 * The longest span of any range of spans without looking at each: a pyramid
 * whose levels hold the longest of 16, 256, … neighbours. This is the level of
 * detail of a timeline: a pixel that holds a thousand spans takes the colour of
 * the longest after some thirty comparisons.
 */

const FAN = 16;

export interface Longest {
  /** levels[k][i] is the longest of spans i·16^(k+1) … (i+1)·16^(k+1) − 1. */
  readonly levels: readonly Uint32Array[];
}

const longer = (duration: Float64Array, a: number, b: number): number =>
  (duration[b] ?? 0) > (duration[a] ?? 0) ? b : a;

export function buildLongest(duration: Float64Array): Longest {
  const levels: Uint32Array[] = [];
  let below: Uint32Array | null = null;
  let length = duration.length;
  while (length > FAN) {
    const count = Math.ceil(length / FAN);
    const level = new Uint32Array(count);
    for (let i = 0; i < count; i += 1) {
      const end = Math.min(length, (i + 1) * FAN);
      let best = below === null ? i * FAN : (below[i * FAN] ?? 0);
      for (let j = i * FAN + 1; j < end; j += 1) best = longer(duration, best, below === null ? j : (below[j] ?? 0));
      level[i] = best;
    }
    levels.push(level);
    below = level;
    length = count;
  }
  return { levels };
}

/** Index of the longest span in [from, to), the first of equals; the range is not empty. */
export function longestIn({ levels }: Longest, duration: Float64Array, from: number, to: number): number {
  let best = from;
  let [low, high] = [from, to];
  let level = -1;
  const at = (i: number): number => (level < 0 ? i : (levels[level]?.[i] ?? 0));
  // From both ends up the pyramid, until the ends meet.
  while (low < high) {
    if (high - low <= 2 * FAN || level + 1 >= levels.length) {
      for (let i = low; i < high; i += 1) best = better(duration, best, at(i));
      break;
    }
    while (low % FAN !== 0) {
      best = better(duration, best, at(low));
      low += 1;
    }
    while (high % FAN !== 0) {
      high -= 1;
      best = better(duration, best, at(high));
    }
    low /= FAN;
    high /= FAN;
    level += 1;
  }
  return best;
}

function better(duration: Float64Array, a: number, b: number): number {
  const [da, db] = [duration[a] ?? 0, duration[b] ?? 0];
  return db > da || (db === da && b < a) ? b : a;
}
