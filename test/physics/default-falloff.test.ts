/**
 * The distal falloff of a beam straight ahead on the grid that the program chooses; against the quadrature of the
 * oracle and against finer grids: neither its cells nor its range bins show. Other energies: `default-falloff.long.test.ts`.
 */
import { test } from 'vitest';
import { expectFalloffOfFinerCells, expectFalloffWithoutAngles } from './falloff.ts';

test('70 MeV without angles', () => expectFalloffWithoutAngles(70));

test('70 MeV with its angles, of cells of 0.05 mm', () => expectFalloffOfFinerCells(70, 0.05));
