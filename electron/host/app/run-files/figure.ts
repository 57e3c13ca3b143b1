/** The arrays of a figure as an HDF5 file, with HDF5's own dimension scales for the axes. */
import type { PackedFigure } from '../../../contract/figures.ts';
import { createFile } from '../../io/hdf5/h5.ts';
import { COMPRESSION } from '../../io/hdf5/layout.ts';

export function writeFigure({ title, notes, arrays }: PackedFigure): Promise<Uint8Array> {
  const positions = new Set(arrays.flatMap(({ axes }) => axes ?? []));
  return createFile((file) => {
    file.create_attribute('title', title);
    for (const [key, value] of Object.entries(notes)) {
      // Numbers always as doubles: the library would take a whole one for a 32-bit integer.
      if (typeof value === 'number') file.create_attribute(key, value, null, '<d');
      else file.create_attribute(key, value);
    }
    // Axes first: what lies over them refers to them.
    const ordered = [...arrays].sort((a, b) => Number(positions.has(b.name)) - Number(positions.has(a.name)));
    for (const { name, unit, description, shape, values, axes } of ordered) {
      const packed = values.length > 0 ? { chunks: [...shape], compression: COMPRESSION } : {};
      const dataset = file.create_dataset({ name, data: values, shape: [...shape], ...packed });
      dataset.create_attribute('units', unit);
      dataset.create_attribute('long_name', description);
      if (positions.has(name)) dataset.make_scale(name);
      for (const [index, axis] of (axes ?? []).entries()) {
        if (ordered.some((array) => array.name === axis)) dataset.attach_scale(index, axis);
      }
    }
  });
}
