/**
 * The distal falloff of a beam straight ahead on the grid that the program chooses; against the quadrature of the
 * oracle and against finer grids: neither its cells nor its range bins show. 70 MeV: `default-falloff.test.ts`.
 */
import { test } from 'vitest';
import { expectFalloffOfFinerCells, expectFalloffWithoutAngles } from './falloff.ts';

test.each([65, 90, 110, 150, 210])('%d MeV without angles', expectFalloffWithoutAngles);

test.each([
  [110, 0.1],
  [150, 0.2],
  [210, 0.25],
])('%d MeV with its angles, of cells of %d mm', expectFalloffOfFinerCells);
