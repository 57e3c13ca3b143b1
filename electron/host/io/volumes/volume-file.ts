/** Reads volumes from MetaImage and NRRD files, whose data may be in separate files. */
import path from 'node:path';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { readRegularFileUpTo } from '../files/plain-file.ts';
import { isMetaImage, metaImageHeader } from './metaimage.ts';
import { isNrrd, nrrdHeader } from './nrrd.ts';
import { decodeVolume, type Volume, type VolumeHeader } from './volume.ts';

/**
 * Parses the header of a volume. The format is recognized by the first bytes, not by the file name. Null for other
 * formats. Throws BraggError `foreign-file`.
 */
export function volumeHeader(name: string, bytes: Uint8Array): VolumeHeader | null {
  if (isNrrd(bytes)) return nrrdHeader(name, bytes);
  return isMetaImage(bytes) ? metaImageHeader(name, bytes) : null;
}

/** Volume whose data is in `bytes`, or in the data files `parts`. Throws BraggError `foreign-file`. */
export function decodeVolumeFile(
  name: string,
  bytes: Uint8Array,
  header: VolumeHeader,
  parts: readonly (Uint8Array | null)[],
): Volume {
  if (header.dataFiles === null) return decodeVolume(name, header, [bytes.subarray(header.end)]);
  const read = header.dataFiles.map((file, i) => {
    const part = parts[i] ?? null;
    if (part === null) throw foreignFileError(name, `its data file ${file} cannot be read`);
    return part;
  });
  return decodeVolume(name, header, read);
}

const NIFTI = 'NIfTI: convert it to NRRD or MetaImage, as 3D Slicer can';
const SHEET = 'a spreadsheet or a ZIP archive: export a table as CSV, or extract it first';
const PICTURE = 'a PDF or an image';
const TREE = 'an HDF5 or netCDF file';
/**
 * Signatures of formats that users open by mistake in place of a volume or a table, with the offsets of their first
 * bytes.
 */
const nonVolumeSignatures: readonly (readonly [kind: string, at: number, ...marks: string[]])[] = [
  ['compressed by gzip: decompress it first', 0, '\x1f\x8b'],
  [SHEET, 0, 'PK\x03\x04', '\xd0\xcf\x11\xe0'],
  [NIFTI, 344, 'n+1\0', 'ni1\0'],
  [NIFTI, 4, 'n+2\0', 'ni2\0'],
  [TREE, 0, '\x89HDF', 'CDF\x01', 'CDF\x02'],
  [PICTURE, 0, '%PDF', '\x89PNG', '\xff\xd8\xff', 'GIF8'],
];

/** Name of a known format that is not a volume, for messages "it is …". Null for unknown formats. */
export function identifyOtherFormat(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 352)).toString('latin1');
  return nonVolumeSignatures.find(([, at, ...marks]) => marks.some((mark) => head.startsWith(mark, at)))?.[0] ?? null;
}

const MAX_BYTES = 2 ** 31 - 1;

/** Reads the data files in the header's folder; null for a file that cannot be read. */
export async function neighbouringDataFiles(
  file: string,
  { dataFiles }: VolumeHeader,
): Promise<readonly (Uint8Array | null)[]> {
  const parts: (Uint8Array | null)[] = [];
  let left = MAX_BYTES;
  for (const one of dataFiles ?? []) {
    const part = await readRegularFileUpTo(path.join(path.dirname(file), one), left).catch(() => null);
    left -= part?.length ?? 0;
    parts.push(part);
  }
  return parts;
}

/** Reads a volume. `file` is the path of the header; its data files are in the same folder. */
export async function readVolumeFile(
  name: string,
  file: string,
  bytes: Uint8Array,
  header: VolumeHeader,
): Promise<Volume> {
  return decodeVolumeFile(name, bytes, header, await neighbouringDataFiles(file, header));
}
