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

/** The volume whose data is inside the file, or in `data`. Throws BraggError `foreign-file`. */
export function volumeIn(name: string, bytes: Uint8Array, header: VolumeHeader, data: Uint8Array | null): Volume {
  if (header.dataFile === null) return volumeOf(name, header, bytes.subarray(header.end));
  if (data === null) throw foreign(name, `its data file ${header.dataFile} cannot be read`);
  return volumeOf(name, header, data);
}

const MOST_BYTES = 2 ** 31 - 1;

/** `file`: where it is; its data file is in the same folder. */
export async function readVolumeFile(
  name: string,
  file: string,
  bytes: Uint8Array,
  header: VolumeHeader,
): Promise<Volume> {
  const { dataFile } = header;
  const data =
    dataFile === null
      ? null
      : await readPlainAtMost(path.join(path.dirname(file), dataFile), MOST_BYTES).catch(() => null);
  return volumeIn(name, bytes, header, data);
}
