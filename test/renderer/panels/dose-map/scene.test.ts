/** Borders of regions under the pointer, and where dragging one leads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { borderAt, borderMoved } from '../../../../renderer/panels/dose-map/scene.ts';

const scenario = {
  geometry: {
    regions: [
      { name: 'slab', z_mm: [10, 16], x_mm: [-12, 12] },
      { name: 'rod', z_mm: [14, 20], x_mm: [-2, 2] },
    ],
  },
};
const near = { z: 0.5, x: 0.5 };
const pixel = { z: 0.07, x: 0.07 };

describe('the border under the pointer', () => {
  it('is the nearer end, along the axis that it bounds, of the region that is drawn uppermost', () => {
    expect(borderAt(scenario, { z: 10.3, x: 5 }, near)).toEqual({ axis: 'z', region: 0, end: 0 });
    expect(borderAt(scenario, { z: 15.8, x: 5 }, near)).toEqual({ axis: 'z', region: 0, end: 1 });
    expect(borderAt(scenario, { z: 17, x: 2.2 }, near)).toEqual({ axis: 'x', region: 1, end: 1 });
    expect(borderAt(scenario, { z: 14, x: 0 }, near)).toEqual({ axis: 'z', region: 1, end: 0 });
  });

  it('is none inside a region, outside all of them, or where a border is no number', () => {
    expect(borderAt(scenario, { z: 12, x: 5 }, near)).toBeNull();
    expect(borderAt(scenario, { z: 10, x: 20 }, near)).toBeNull();
    const typed = { geometry: { regions: [{ z_mm: [10, 'a'], x_mm: [-12, 12] }] } };
    expect(borderAt(typed, { z: 10, x: 0 }, near)).toBeNull();
    expect(borderAt({ geometry: {} }, { z: 10, x: 0 }, near)).toBeNull();
  });
});

describe('dragging it', () => {
  it('goes by round numbers of about a pixel', () => {
    const edit = borderMoved(scenario, { axis: 'z', region: 0, end: 0 }, { z: 11.2345, x: 0 }, pixel, [0, 48]);
    expect(edit).toEqual({ path: ['geometry', 'regions', 0, 'z_mm'], value: [11.2, 16] });
  });

  it('stays within the geometry and short of the other end, wherever the hand goes', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        fc.constantFrom<0 | 1>(0, 1),
        (to, mm, end) => {
          const size = { z: mm, x: mm };
          const edit = borderMoved(scenario, { axis: 'z', region: 0, end }, { z: to, x: 0 }, size, [0, 48]);
          const [from, until] = edit?.value ?? [Number.NaN, Number.NaN];
          expect(from).toBeLessThan(until);
          expect(until).toBeLessThanOrEqual(48);
          expect(end === 0 ? until : from).toBe(end === 0 ? 16 : 10);
          expect(String(end === 0 ? from : until).length).toBeLessThan(9);
        },
      ),
    );
  });

  it('leads nowhere once the region is gone', () => {
    const border = { axis: 'x', region: 5, end: 1 } as const;
    expect(borderMoved(scenario, border, { z: 0, x: 0 }, pixel, [0, 48])).toBeNull();
  });
});
