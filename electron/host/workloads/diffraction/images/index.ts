/** Image files of a diffraction run, by the extension of their name. */
import { extname } from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import type { DiffractionScenario } from '../../../../contract/scenario/index.ts';
import type { ImageRunData } from '../image-data.ts';
import { littleEndian } from './pixels.ts';
import { smvImage } from './smv.ts';
import { tiffImage } from './tiff.ts';

export { imageFigure } from './figure.ts';

export type ImageBits = 16 | 32;

interface Format {
  readonly title: string;
  readonly bits: readonly ImageBits[];
  readonly write: (run: ImageRunData, bits: ImageBits) => Uint8Array;
}

const tiff: Format = {
  title: 'TIFF',
  bits: [32, 16],
  write: ({ image, width, height }, bits) => tiffImage(image, width, height, bits),
};

const raw: Format = {
  title: 'raw float32, slow · width + fast',
  bits: [32],
  write: ({ image }) => littleEndian(image),
};

/** The first entry of `bits` is the usual one. */
export const imageFormats: Readonly<Record<string, Format>> = {
  '.img': {
    title: 'SMV',
    bits: [16],
    write: ({ image, completeScenario }) => smvImage(image, completeScenario as unknown as DiffractionScenario),
  },
  '.tif': tiff,
  '.tiff': tiff,
  '.bin': raw,
  '.raw': raw,
};

/** The bytes of an image file with this name. Throws a BraggError for a name or a depth that no format has. */
export function imageFile(run: ImageRunData, name: string, bits?: ImageBits): Uint8Array {
  const extension = extname(name).toLowerCase();
  const format = imageFormats[extension];
  if (format === undefined) {
    const known = [...Object.keys(imageFormats), '.h5'].join(', ');
    throw new BraggError(
      'unsupported',
      `${name}: ${extension || 'no extension'} is no image format; allowed: ${known}`,
    );
  }
  const [usual = 32] = format.bits;
  const wanted = bits ?? usual;
  if (!format.bits.includes(wanted)) {
    throw new BraggError(
      'unsupported',
      `${name}: ${format.title} has no ${wanted} bits; allowed: ${format.bits.join(', ')}`,
    );
  }
  return format.write(run, wanted);
}
