/** Volumes as files hold them: MetaImage and NRRD, each with its data inside or in a second file. */
import path from 'node:path';
import { readPlainAtMost } from '../files/plain-file.ts';
import { foreign } from './header-fields.ts';
import { isMetaImage, metaImageHeader } from './metaimage.ts';
import { isNrrd, nrrdHeader } from './nrrd.ts';
import { type Volume, type VolumeHeader, volumeOf } from './volume.ts';

/** By the first bytes, whatever the file's name; null for those of other formats. Throws BraggError `foreign-file`. */
export function volumeHeader(name: string, bytes: Uint8Array): VolumeHeader | null {
  if (isNrrd(bytes)) return nrrdHeader(name, bytes);
  return isMetaImage(bytes) ? metaImageHeader(name, bytes) : null;
}

/** The volume whose data is inside the file, or in `parts`. Throws BraggError `foreign-file`. */
export function volumeIn(
  name: string,
  bytes: Uint8Array,
  header: VolumeHeader,
  parts: readonly (Uint8Array | null)[],
): Volume {
  if (header.dataFiles === null) return volumeOf(name, header, [bytes.subarray(header.end)]);
  const read = header.dataFiles.map((file, i) => {
    const part = parts[i] ?? null;
    if (part === null) throw foreign(name, `its data file ${file} cannot be read`);
    return part;
  });
  return volumeOf(name, header, read);
}

const MOST_BYTES = 2 ** 31 - 1;

/** Bytes of the data files next to a header; null for those that cannot be read. */
export async function dataFilesBeside(
  file: string,
  { dataFiles }: VolumeHeader,
): Promise<readonly (Uint8Array | null)[]> {
  const parts: (Uint8Array | null)[] = [];
  let left = MOST_BYTES;
  for (const one of dataFiles ?? []) {
    const part = await readPlainAtMost(path.join(path.dirname(file), one), left).catch(() => null);
    left -= part?.length ?? 0;
    parts.push(part);
  }
  return parts;
}

/** `file`: where it is; its data files are in the same folder. */
export async function readVolumeFile(
  name: string,
  file: string,
  bytes: Uint8Array,
  header: VolumeHeader,
): Promise<Volume> {
  return volumeIn(name, bytes, header, await dataFilesBeside(file, header));
}
