/** The CSDA range along the beam's axis, compared with quadratures of the PSTAR tables (mm, from another program). */
import { expect, test } from 'vitest';
import { check } from './open.ts';

const slab = (material: string) => ({ regions: [{ material, x_mm: [-50, 50], z_mm: [40, 60] }], width_mm: 100 });

test.each([
  ['water', {}, 157.746],
  ['lead', { geometry: { background: 'lead' } }, 28.934],
  ['20 mm of bone', { geometry: slab('bone-compact-icru') }, 143.324],
  ['20 mm of lung', { geometry: slab('lung') }, 172.602],
  ['20 mm of lead', { geometry: slab('lead') }, 68.627],
  ['bone behind the entrance', { geometry: slab('bone-compact-icru'), beam: { energy_MeV: 150, z_mm: 60 } }, 157.746],
  ['bone beside the axis', { geometry: slab('bone-compact-icru'), beam: { energy_MeV: 150, x_mm: 60 } }, 157.746],
  [
    'water of half the density all along',
    { geometry: { regions: [{ material: 'water', x_mm: [-50, 50], z_mm: [0, 400], density_scale: 0.5 }] } },
    315.492,
  ],
])('150 MeV: %s', async (_name, parts, expected_mm) => {
  const { range_mm } = await check(parts, 150);
  expect(Math.abs((range_mm ?? Number.NaN) - expected_mm), `${range_mm} mm`).toBeLessThan(0.02);
});

test('at an angle the axis is longer inside a slab, and leaves a box through its side', async () => {
  // 20 mm of bone at 60° are 40 mm along the axis, after 80 mm of water: by quadrature 28.716 mm less range.
  const beam = { energy_MeV: 150, angle_deg: 60 };
  const wide = { regions: [{ material: 'bone-compact-icru', x_mm: [-200, 200], z_mm: [40, 60] }], width_mm: 400 };
  const slabbed = (await check({ beam, geometry: wide }, 150)).range_mm ?? 0;
  expect(Math.abs(157.746 - 28.716 - slabbed)).toBeLessThan(0.02);
  const narrow = { regions: [{ material: 'bone-compact-icru', x_mm: [-200, 10], z_mm: [0, 200] }], width_mm: 400 };
  const aside = (await check({ beam, geometry: narrow }, 150)).range_mm ?? 0;
  // 10 mm of x are 11.547 mm of the axis: 8.342 mm less.
  expect(Math.abs(157.746 - 8.342 - aside)).toBeLessThan(0.02);
});

test('whatever the energy, water alone has the range of the table', async () => {
  for (let energy = 40; energy < 200; energy += 1.37) {
    const { range_mm, waterRange_mm } = await check({ grid: { dx_mm: 5 }, geometry: { width_mm: 100 } }, energy);
    expect(Math.abs((range_mm ?? 0) - (waterRange_mm ?? 1)), `${energy} MeV`).toBeLessThan(0.01);
  }
});
