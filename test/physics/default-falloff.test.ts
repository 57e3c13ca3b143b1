/**
 * The distal falloff of a straight beam on the program's default grid, compared with the oracle's quadrature and with
 * finer grids: neither cells nor range bins have a visible effect. Other energies: `falloff.long.test.ts`.
 */
import { test } from 'vitest';
import { expectFalloffOfFinerCells, expectFalloffWithoutAngles } from './falloff.ts';

test('70 MeV without angles has the theoretical falloff', () => expectFalloffWithoutAngles(70));

test('70 MeV with its angles has the theoretical falloff, on cells of 0.05 mm', () =>
  expectFalloffOfFinerCells(70, 0.05));
