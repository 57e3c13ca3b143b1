/** Volumes in MetaImage and NRRD files, with the data inside or in separate files. */
import path from 'node:path';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { readPlainAtMost } from '../files/plain-file.ts';
import { isMetaImage, metaImageHeader } from './metaimage.ts';
import { isNrrd, nrrdHeader } from './nrrd.ts';
import { type Volume, type VolumeHeader, volumeOf } from './volume.ts';

/** Recognizes the format by the first bytes, not by name. Null for other formats. Throws BraggError `foreign-file`. */
export function volumeHeader(name: string, bytes: Uint8Array): VolumeHeader | null {
  if (isNrrd(bytes)) return nrrdHeader(name, bytes);
  return isMetaImage(bytes) ? metaImageHeader(name, bytes) : null;
}

/** Volume with its data inside the file, or in `parts`. Throws BraggError `foreign-file`. */
export function volumeIn(
  name: string,
  bytes: Uint8Array,
  header: VolumeHeader,
  parts: readonly (Uint8Array | null)[],
): Volume {
  if (header.dataFiles === null) return volumeOf(name, header, [bytes.subarray(header.end)]);
  const read = header.dataFiles.map((file, i) => {
    const part = parts[i] ?? null;
    if (part === null) throw foreignFileError(name, `its data file ${file} cannot be read`);
    return part;
  });
  return volumeOf(name, header, read);
}

const NIFTI = 'NIfTI: convert it to NRRD or MetaImage, as 3D Slicer can';
const SHEET = 'a spreadsheet or a ZIP archive: export a table as CSV, or extract it first';
const PICTURE = 'a PDF or an image';
const TREE = 'an HDF5 or netCDF file';
/** Signatures, with their offsets, of files that users open in place of a volume or a table. */
const others: readonly (readonly [kind: string, at: number, ...marks: string[]])[] = [
  ['compressed by gzip: decompress it first', 0, '\x1f\x8b'],
  [SHEET, 0, 'PK\x03\x04', '\xd0\xcf\x11\xe0'],
  [NIFTI, 344, 'n+1\0', 'ni1\0'],
  [NIFTI, 4, 'n+2\0', 'ni2\0'],
  [TREE, 0, '\x89HDF', 'CDF\x01', 'CDF\x02'],
  [PICTURE, 0, '%PDF', '\x89PNG', '\xff\xd8\xff', 'GIF8'],
];

/** Completes "it is …" for a known format that is not a volume. Null for all others. */
export function otherFormat(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 352)).toString('latin1');
  return others.find(([, at, ...marks]) => marks.some((mark) => head.startsWith(mark, at)))?.[0] ?? null;
}

const MAX_BYTES = 2 ** 31 - 1;

/** Bytes of the data files next to a header. Null for unreadable ones. */
export async function neighbouringDataFiles(
  file: string,
  { dataFiles }: VolumeHeader,
): Promise<readonly (Uint8Array | null)[]> {
  const parts: (Uint8Array | null)[] = [];
  let left = MAX_BYTES;
  for (const one of dataFiles ?? []) {
    const part = await readPlainAtMost(path.join(path.dirname(file), one), left).catch(() => null);
    left -= part?.length ?? 0;
    parts.push(part);
  }
  return parts;
}

/** `file`: path of the header; its data files are in the same folder. */
export async function readVolumeFile(
  name: string,
  file: string,
  bytes: Uint8Array,
  header: VolumeHeader,
): Promise<Volume> {
  return volumeIn(name, bytes, header, await neighbouringDataFiles(file, header));
}
