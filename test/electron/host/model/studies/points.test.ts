import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath, valueAt } from '../../../../../electron/contract/scenario/index.ts';
import { validateStudy } from '../../../../../electron/contract/study/index.ts';
import { computePoints, pointId } from '../../../../../electron/host/model/studies/points.ts';

type Axes = readonly unknown[];
const base = { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, solver: { variant: 'depth' } };

function planPoints(axes: Axes, more: Readonly<Record<string, unknown>> = {}, bases: readonly unknown[] = [base]) {
  const { study, faults } = validateStudy({ kind: 'study', version: 1, base: [{ scenario: {} }], axes, ...more });
  if (study === null) throw new Error(JSON.stringify(faults));
  return computePoints(
    study,
    bases.map((document) => ({ document, beside: [] })),
  );
}
const values = (axes: Axes, more?: Readonly<Record<string, unknown>>) =>
  planPoints(axes, more).points.map(({ settings }) => settings.map(({ value }) => value));
const issuesOf = (axes: Axes, more?: Readonly<Record<string, unknown>>) =>
  planPoints(axes, more).faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);

const energies = { kind: 'list', path: 'beam.energy_MeV', values: [60, 70] } as const;

describe('points of a study', () => {
  test('cross all axes, with the last one changing fastest', () => {
    const steps = { kind: 'range', path: 'grid.dx_mm', from: 0.1, to: 0.3, count: 3 } as const;
    expect(values([energies, steps])).toEqual([
      [60, 0.1],
      [60, 0.2],
      [60, 0.3],
      [70, 0.1],
      [70, 0.2],
      [70, 0.3],
    ]);
  });
  test('are the base scenarios if there are no axes', () => {
    expect(planPoints([], {}, [base, { ...base, beam: { energy_MeV: 71 } }]).points).toHaveLength(2);
  });
  test('include the ends and the decades of a logarithmic axis', () => {
    expect(values([{ kind: 'log', path: 'a', from: 1e-3, to: 10, count: 5 }]).flat()).toEqual([1e-3, 0.01, 0.1, 1, 10]);
  });
  test('advance zipped axes together, for which a+b is a short form', () => {
    const other = { kind: 'list', path: 'x+y', values: ['p', 'q'] } as const;
    expect(values([{ kind: 'zip', axes: [energies, other] }])).toEqual([
      [60, 'p', 'p'],
      [70, 'q', 'q'],
    ]);
  });
  test('are filtered by conditions, which can use values of the base', () => {
    const conditions = ['beam.energy_MeV > 60 && solver.variant == "depth"'];
    expect(values([energies], { conditions })).toEqual([[70]]);
  });
  test('are merged if they describe identical problems', () => {
    const found = planPoints([{ kind: 'list', path: 'beam.energy_MeV', values: [60, 60.0, 61] }]);
    expect([found.points.length, found.repeated, found.combinations]).toEqual([2, 1, 3]);
  });
  test('have their errors reported with a path', () => {
    expect(issuesOf([{ kind: 'list', path: '.a', values: [1] }])).toEqual([
      expect.stringMatching(/^axes\[0\]\.path: "\.a" is not a path/),
    ]);
    expect(issuesOf([energies, energies])).toEqual([expect.stringMatching(/^axes\[1\].* is set by axes\[0\] too/)]);
    expect(issuesOf([{ kind: 'log', path: 'a', from: 0, to: 1, count: 3 }])[0]).toMatch(
      /axes\[0\]\.from: 0 has no log/,
    );
    const zip = { kind: 'zip', axes: [energies, { kind: 'list', path: 'x', values: [1] }] } as const;
    expect(issuesOf([zip])[0]).toMatch(/^axes\[0\]\.axes\[1\].* has 1 values/);
    const wide = (path: string) => ({ kind: 'range', path, from: 0, to: 1, count: 2000 }) as const;
    expect(issuesOf([wide('a'), wide('b')])[0]).toMatch(/4000000 combinations.* are too many/);
    expect(issuesOf([energies], { conditions: ['nowhere > 1'] })[0]).toMatch(/^conditions\[0\].* nowhere is not set/);
    expect(issuesOf([{ kind: 'list', path: 'list[3]', values: [1] }])[0]).toMatch(/list\[3\]: .*the list is shorter/);
  });
});

describe('sampled points', () => {
  const count = fc.integer({ min: 1, max: 200 });
  const between = { kind: 'between', path: 'a', from: 2, to: 4 } as const;
  test('use every stratum of every axis once in a latin hypercube, whatever the seed', () => {
    fc.assert(
      fc.property(count, fc.nat(4_294_967_295), (n, seed) => {
        const axes = [between, { ...between, path: 'b' }];
        const drawn = values([{ kind: 'latin', count: n, axes }], { seed });
        for (const axis of [0, 1]) {
          const strata = drawn.map((point) => Math.floor(((Number(point[axis]) - 2) / 2) * n + 1e-9));
          expect(strata.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
        }
      }),
    );
  });
  test('depend only on the seed, and do not change when axes are added later', () => {
    fc.assert(
      fc.property(fc.constantFrom('random', 'latin'), fc.nat(1_000_000), (kind, seed) => {
        const axes = [{ kind, count: 3, axes: [between] } as const];
        const drawn = values(axes, { seed });
        expect(values(axes, { seed })).toEqual(drawn);
        expect(values(axes, { seed: seed + 1 })).not.toEqual(drawn);
        const added = values([...axes, { kind: 'list', path: 'z', values: [1] }], { seed });
        expect(added.map(([first]) => [first])).toEqual(drawn);
      }),
    );
  });
  test('stay within their bounds, are integers on request, and take words from their list', () => {
    const axes = [
      { kind: 'between', path: 'a', from: 1, to: 64, scale: 'log', whole: true },
      { kind: 'among', path: 'b', values: ['x', 'y'] },
    ] as const;
    for (const [a, b] of values([{ kind: 'random', count: 300, axes: [...axes] }])) {
      expect(Number.isInteger(a) && Number(a) >= 1 && Number(a) <= 64).toBe(true);
      expect(['x', 'y']).toContain(b);
    }
  });
});

describe('ids of points', () => {
  test('do not depend on the order of keys, on names or notes, but on values and neighbouring files', () => {
    const reversed = Object.fromEntries(Object.entries(base).toReversed());
    expect(pointId({ ...reversed, name: 'x', notes: 'y' }, [])).toBe(pointId(base, []));
    expect(pointId({ ...base, version: 2 }, [])).not.toBe(pointId(base, []));
    expect(pointId(base, ['table abc'])).not.toBe(pointId(base, []));
  });
  test('equal those of the document with its values set', () => {
    const { points: found } = planPoints([energies]);
    expect(found[1]?.id).toBe(pointId(base, []));
    expect(valueAt(base, ['beam', 'energy_MeV'])).toBe(70);
  });
});
