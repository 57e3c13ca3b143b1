/** The column's value at the plane nearest to `depth_mm`; null without a plane within one spacing. */
export function atDepth(depths: ArrayLike<number>, values: ArrayLike<number>, depth_mm: number): number | null {
  let distance = Math.abs((depths[1] ?? Number.POSITIVE_INFINITY) - (depths[0] ?? 0));
  let best: number | null = null;
  for (let i = 0; i < depths.length; i += 1) {
    const away = Math.abs((depths[i] ?? 0) - depth_mm);
    if (away > distance) continue;
    distance = away;
    best = values[i] ?? null;
  }
  return best !== null && Number.isFinite(best) ? best : null;
}
