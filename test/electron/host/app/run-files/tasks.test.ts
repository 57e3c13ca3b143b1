import { describe, expect, it } from 'vitest';
import { packedFigureSchema } from '../../../../../electron/contract/figures.ts';
import { writeFigure } from '../../../../../electron/host/app/run-files/tasks.ts';
import { datasetAt, openFile } from '../../../../../electron/host/io/hdf5/h5.ts';

const depth = {
  name: 'depth',
  unit: 'mm',
  description: 'depth along the beam axis',
  shape: [3],
  values: Float64Array.of(0.5, 1.5, 2.5),
  axes: null,
};
const field = {
  name: 'dose',
  unit: 'MeV/mm²',
  description: 'dose, mean over each sample',
  shape: [2, 3],
  values: Float32Array.of(1, 2, 3, 4, 5, 6),
  axes: ['x', 'depth'],
};
const x = { ...depth, name: 'x', shape: [2], values: Float64Array.of(-1, 1) };

describe('a figure as HDF5', () => {
  it('holds what is plotted with units, and its axes as dimension scales', async () => {
    const figure = packedFigureSchema.parse({
      title: 'Bone: dose',
      notes: { run: 'Bone', step: 12 },
      arrays: [field, depth, x],
    });
    await openFile(await writeFigure(figure), (file) => {
      expect(file.attrs['title']?.value).toBe('Bone: dose');
      expect(file.attrs['step']?.value).toBe(12);
      const dose = datasetAt(file, 'dose');
      expect(dose?.shape).toEqual([2, 3]);
      expect(dose?.value).toEqual(field.values);
      expect(dose?.attrs['units']?.value).toBe('MeV/mm²');
      expect(datasetAt(file, 'depth')?.value).toEqual(depth.values);
      expect(dose?.get_attached_scales(1)).toEqual(['/depth']);
      expect(dose?.get_attached_scales(0)).toEqual(['/x']);
    });
  });

  it('is refused when a shape does not fit its values', () => {
    const wrong = packedFigureSchema.safeParse({ title: '', notes: {}, arrays: [{ ...field, shape: [2, 4] }] });
    expect(wrong.error?.issues[0]?.message).toBe('the shape does not fit the values');
  });
});
