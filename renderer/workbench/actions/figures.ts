/** Exports a figure: asks for the location, and writes the chosen format. */
import { type Figure, type FigureFormat, figureCsv } from '../../drawing/export/figure.ts';
import type { ActionContext } from './context.ts';
import { offerFile, safeFileName, withExtension } from './save-file.ts';

export interface FigureActions {
  /** Does nothing if the figure is null. */
  save(figure: Figure | null, format: FigureFormat): Promise<void>;
}

const types: Readonly<Record<FigureFormat, string>> = {
  png: 'image/png',
  svg: 'image/svg+xml',
  csv: 'text/csv',
  npz: 'application/zip',
  h5: 'application/x-hdf5',
};

export function createFigureActions(context: ActionContext): FigureActions {
  const { client, stores } = context;
  async function bytesOf(figure: Figure, format: FigureFormat): Promise<Uint8Array> {
    const text = (words: string): Uint8Array => new TextEncoder().encode(words);
    if (format === 'csv') return text(figureCsv(figure.arrays));
    if (format === 'h5') {
      const arrays = figure.arrays.map(({ axes, shape, ...array }) => ({
        ...array,
        shape: [...shape],
        axes: axes === undefined ? null : [...axes],
      }));
      return (await client.call('figure.pack', { title: figure.title, notes: { ...figure.notes }, arrays })).bytes;
    }
    // The module is loaded when it is first needed.
    if (format === 'npz') {
      const { figureNpz } = await import('../../drawing/export/npz.ts');
      return figureNpz(figure.arrays, { title: figure.title, ...figure.notes });
    }
    const { figurePng, figureSvg } = await import('../../drawing/export/raster.ts');
    return format === 'png' ? figurePng(figure) : text(await figureSvg(figure));
  }

  return {
    async save(figure, format) {
      if (figure === null) return;
      try {
        const name = withExtension(safeFileName(figure.name), `.${format}`);
        const bytes = await bytesOf(figure, format);
        await offerFile(context, { name, mime: types[format], bytes });
      } catch (error) {
        stores.notices.fail('The figure could not be exported', error);
      }
    },
  };
}
