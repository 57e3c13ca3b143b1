/** Tables of the documents that need longer solver runs. */
import { expect, test } from 'vitest';
import {
  letAgainstMonteCarlo,
  planRangeTable,
  reactionsAgainstMonteCarlo,
  shippedScenarios,
  waterBeams,
} from '../../../electron/build/figures/programs.ts';
import { expectRows, places } from './document-rows.ts';

test.each([
  ['water-beams', () => waterBeams([70, 150])],
  ['shipped-scenarios', () => shippedScenarios(['water-70MeV', 'water-150MeV', 'bone-slab-150MeV'])],
  // The C++ tests of nuclear reactions print this table.
  ['reactions-monte-carlo', reactionsAgainstMonteCarlo],
  ['plan-offset', planRangeTable],
  ['let-monte-carlo', letAgainstMonteCarlo],
] as const)('%s', async (name, make) => {
  expect(places.map((place) => place.name)).toContain(name);
  expectRows(name, await make());
});
