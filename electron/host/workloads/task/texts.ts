import { countText } from '../../../contract/units.ts';

/** How far a measurement came. */
export function roundsText({ reports }: { readonly reports: readonly { readonly rounds: number }[] }): string {
  return countText(reports[0]?.rounds ?? 0, 'round');
}
