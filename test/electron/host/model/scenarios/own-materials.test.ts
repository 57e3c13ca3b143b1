import { describe, expect, test } from 'vitest';
import { check, lines, readYaml } from './open.ts';

const small = { width_mm: 4, depth_mm: 50 };
const acrylic = { name: 'acrylic', formula: 'C5H8O2', density_g_cm3: 1.19 };
const region = (material: string) => ({ material, x_mm: [-2, 2], z_mm: [1, 3] });

async function faults(geometry: object): Promise<readonly string[]> {
  const reading = await check({ geometry: { ...small, ...geometry } });
  return lines(reading).filter((line) => !line.startsWith('warning'));
}

describe('own materials in a scenario', () => {
  test('fill regions and the background', async () => {
    const reading = await check({
      geometry: { ...small, background: 'acrylic', materials: [acrylic], regions: [region('lung')] },
    });
    expect(lines(reading)).toEqual([]);
    const problem = reading.problem?.();
    expect(problem?.materials.map(({ name }) => name)).toEqual(['water', 'acrylic', 'lung']);
    expect(problem?.materials[1]).toMatchObject({ density_g_cm3: 1.19 });
    expect(problem?.materials[1]?.elements.map(({ symbol }) => symbol)).toEqual(['C', 'H', 'O']);
  });

  test('a background of one completes the grid as the built-in one does', async () => {
    const [own, built] = [
      await check({ geometry: { background: 'acrylic', materials: [acrylic] } }),
      await check({ geometry: { background: 'pmma' } }),
    ];
    expect(own.scenario?.geometry.depth_mm).toBe(built.scenario?.geometry.depth_mm);
    expect(own.scenario?.grid.dz_mm).toBe(built.scenario?.grid.dz_mm);
    expect(Math.abs((own.range_mm ?? 0) / (built.range_mm ?? 1) - 1)).toBeLessThan(0.002);
  });

  test('a name that is neither built in nor the scenario own is told with what is near', async () => {
    const [line] = await faults({ materials: [acrylic], regions: [region('acrilyc')] });
    expect(line).toContain('geometry.regions[0].material');
    expect(line).toContain('"acrilyc" is not known (did you mean acrylic?)');
  });

  test.each([
    [{ ...acrylic, name: 'water' }, 'is a built-in material'],
    [{ ...acrylic, formula: 'C5H8O2x' }, 'is not a chemical formula'],
    [{ ...acrylic, formula: undefined }, 'has neither formula nor composition'],
    [{ ...acrylic, composition: { H: 1 } }, 'stands beside formula'],
    [{ name: 'a', composition: { H: 0.5, C: 0.4 }, density_g_cm3: 1 }, 'has mass fractions that sum to 0.9'],
    [{ name: 'a', composition: { Xy: 1 }, density_g_cm3: 1 }, 'belongs to no element'],
    [{ name: 'a', composition: { H: -1 }, density_g_cm3: 1 }, 'materials[0].composition.H'],
    [{ ...acrylic, density_g_cm3: 0 }, 'is too small'],
    [{ ...acrylic, mean_excitation_eV: 5 }, 'is too small'],
    [{ ...acrylic, name: '1a' }, 'geometry.materials[0].name'],
  ])('%j is refused', async (material, says) => {
    expect((await faults({ materials: [material] })).join('\n')).toContain(says);
  });

  test('two of one name are refused', async () => {
    expect(await faults({ materials: [acrylic, acrylic] })).toEqual([
      expect.stringContaining('is the name of two materials'),
    ]);
  });

  test('a fault in a file is told at its line', async () => {
    const reading = await readYaml(`kind: transport
version: 1
beam: { energy_MeV: 70 }
geometry:
  materials:
    - { name: brass, formula: Cu2Zx, density_g_cm3: 8.5 }
`);
    expect(lines(reading)[0]).toMatch(/^s\.yaml:6:\d+: geometry\.materials\[0\]\.formula/);
  });
});
