/** A diffraction run in words, for lists. */
export function pixelsText({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width} × ${height} pixels`;
}

export function imageUpTo(done: number): string {
  return `${Math.floor(100 * done)} % of the image`;
}
