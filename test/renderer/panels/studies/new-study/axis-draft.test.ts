import { expect, test } from 'vitest';
import { newDocument } from '../../../../../electron/contract/scenario/index.ts';
import {
  type AxisDraft,
  axisAround,
  axisOf,
  countOf,
  faultOf,
  pathsIn,
  typedValues,
  unitAt,
  withKinds,
} from '../../../../../renderer/panels/studies/new-study/axis-draft.ts';

const range: AxisDraft = {
  id: 1,
  path: 'beam.energy_MeV',
  kind: 'range',
  values: '',
  from: '60',
  to: '80',
  count: '5',
};

test('typed values: numbers where they are numbers', () => {
  expect(typedValues(' 60, 7.5e1 ,fp32,true,, 0x10')).toEqual([60, 75, 'fp32', true, 16]);
  expect(typedValues(' , ')).toEqual([]);
});

test('an axis, and what is wrong with one', () => {
  expect(axisOf(range)).toEqual({ kind: 'range', path: 'beam.energy_MeV', from: 60, to: 80, count: 5 });
  expect([countOf(range), faultOf(range)]).toEqual([5, null]);
  const list: AxisDraft = { ...range, kind: 'list', values: 'depth, window' };
  expect(axisOf(list)).toEqual({ kind: 'list', path: 'beam.energy_MeV', values: ['depth', 'window'] });
  expect([countOf(list), faultOf(list)]).toEqual([2, null]);
  expect(faultOf({ ...list, values: ' ' })).toMatch(/Give values/);
  expect(faultOf({ ...range, from: '' })).toMatch(/numbers/);
  expect(faultOf({ ...range, kind: 'log', from: '0' })).toMatch(/above 0/);
  expect(faultOf({ ...range, count: '2.5' })).toMatch(/whole number/);
  expect(faultOf({ ...range, path: 'beam..energy' })).toMatch(/what changes/);
  expect(faultOf({ ...range, path: 'grid.dx_mm + grid.dz_mm' })).toBeNull();
});

const document = newDocument('transport');
const complete = {
  ...document,
  beam: { energy_MeV: 70, spots: [{ x_mm: 3 }] },
  grid: { dx_mm: 0.5, energy: { kind: 'range', step_mm: 0.2 } },
  solver: { variant: 'auto' },
};

test('paths to single values, without what changes no answer', () => {
  expect(pathsIn({ ...complete, name: 'x', notes: 'y', output: { keyframes: 3 } })).toEqual([
    'beam.energy_MeV',
    'beam.spots[0].x_mm',
    'grid.dx_mm',
    'grid.energy.kind',
    'grid.energy.step_mm',
    'solver.variant',
  ]);
});

test('an axis begins around the value that is there, in its unit', () => {
  expect(axisAround(3, complete, 'beam.energy_MeV')).toMatchObject({ id: 3, kind: 'range', from: '56', to: '84' });
  expect(axisAround(3, complete, 'solver.variant')).toMatchObject({ kind: 'list', values: 'auto' });
  expect(unitAt(complete, 'beam.energy_MeV')).toBe('MeV');
  expect(unitAt(complete, 'grid.dx_mm+grid.dz_mm')).toBe('mm');
  expect(unitAt(complete, 'solver.variant')).toBe('');
});

test('a value within a default object brings the kind of that object', () => {
  expect(withKinds({ kind: 'transport' }, complete, ['grid.energy.step_mm', 'grid.dx_mm'])).toEqual({
    kind: 'transport',
    grid: { energy: { kind: 'range' } },
  });
  const own = { kind: 'transport', grid: { energy: { kind: 'uniform', step_MeV: 0.5 } } };
  expect(withKinds(own, complete, ['grid.energy.step_MeV'])).toEqual(own);
});
