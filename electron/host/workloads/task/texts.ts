/** `3 variants`. */
export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** How far a measurement came. */
export function roundsText({ reports }: { readonly reports: readonly { readonly rounds: number }[] }): string {
  return countText(reports[0]?.rounds ?? 0, 'round');
}
