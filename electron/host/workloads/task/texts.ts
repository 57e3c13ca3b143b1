import { countText } from '../../../contract/units.ts';

/** Number of rounds that a measurement completed. */
export function roundsText({ reports }: { readonly reports: readonly { readonly rounds: number }[] }): string {
  return countText(reports[0]?.rounds ?? 0, 'round');
}
