export function reference(u: Float64Array, height: number, width: number): Float64Array {
  const next = Float64Array.from(u);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const [here, left, right, up, down] = [at, at - 1, at + 1, at - width, at + width].map((i) => u[i] ?? 0);
      next[at] = (here ?? 0) + 0.125 * ((left ?? 0) + (right ?? 0) + (up ?? 0) + (down ?? 0) - 4 * (here ?? 0));
    }
  }
  return next;
}
