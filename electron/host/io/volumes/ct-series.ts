/** Finds the CT series in a folder of DICOM files, and reads the headers of the requested series' slices. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { CtSeriesInfo } from '../../../contract/fields.ts';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import { type DicomSlice, dicomModality, dicomSeries, isDicom, isLocalizer, readDicomHeader } from './dicom.ts';

const MAX_BYTES = 2 ** 30;
const MAX_FILES = 4000;

export interface ListedSeries extends DicomSlice {
  readonly file: string;
}

/** Position of a slice along the axis normal to it, in mm. */
export const slicePosition_mm = ({ position_mm, axes }: DicomSlice): number => position_mm[axes[2]] ?? 0;

export interface CtSeries {
  readonly slices: readonly ListedSeries[];
  readonly notes: readonly string[];
}

interface UnusableSlice {
  readonly series: string;
  readonly error: BraggError;
}

/** Classifies a DICOM file: returns a CT slice, an unusable slice with its error, or the kind of another object. */
function classifyFile(name: string, file: string, bytes: Uint8Array): ListedSeries | UnusableSlice | string {
  const shown = `${name}/${file}`;
  const modality = dicomModality(shown, bytes);
  if (modality !== 'CT' && modality !== '') return modality;
  if (isLocalizer(shown, bytes)) return 'localizer';
  try {
    return { ...readDicomHeader(shown, bytes), file };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return { series: dicomSeries(shown, bytes), error };
  }
}

/** Lists the series of a folder for a message. */
function seriesText(found: readonly ListedSeries[]): string {
  const counts = Map.groupBy(found, ({ series }) => series);
  return [...counts]
    .map(([uid, slices]) => {
      const about = slices[0]?.description.trim() ?? '';
      return `${slices.length} of ${uid}${about === '' ? '' : ` "${about}"`}`;
    })
    .join(', ');
}

/** Error at the scenario's field for the series, because the folder itself is valid. */
function seriesError(name: string, what: string, requested: string | null): BraggError {
  const { code, message } = foreignFileError(name, what);
  const [file, path, value] = [null, 'geometry.ct.series', requested === null ? null : JSON.stringify(requested)];
  return new BraggError(code, message, [
    { severity: 'error', file, path, line: null, column: null, message, value, allowed: null },
  ]);
}

/** SeriesInstanceUID of the requested series in a folder; of the only series if none is requested. */
export function findRequestedSeries(name: string, found: readonly ListedSeries[], asked: string | null): string {
  const uids = [...new Set(found.map(({ series }) => series))];
  const [only = '', second] = uids;
  const allowed = 'its UID or its description in geometry.ct.series';
  if (asked === null) {
    if (second === undefined) return only;
    throw seriesError(
      name,
      `it contains ${uids.length} series (${seriesText(found)}); allowed: one, or ${allowed}`,
      asked,
    );
  }
  if (uids.includes(asked)) return asked;
  const described = new Set(found.filter((one) => one.description.trim() === asked.trim()).map((one) => one.series));
  const [match, other] = described;
  if (match !== undefined && other === undefined) return match;
  const how = match === undefined ? 'no series matches' : `${described.size} series match`;
  throw seriesError(name, `${how} "${asked}"; allowed: ${allowed}: ${seriesText(found)}`, asked);
}

interface FolderScan {
  readonly found: readonly ListedSeries[];
  readonly unusable: readonly UnusableSlice[];
  /** Number of DICOM files of other kinds, by kind. */
  readonly others: ReadonlyMap<string, number>;
}

/** Classifies the DICOM files of a folder. Hidden files and files of other formats are ignored. */
async function scanFolder(folder: string, name: string): Promise<FolderScan> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.name !== 'DICOMDIR');
  if (files.length > MAX_FILES)
    throw foreignFileError(name, `it contains ${files.length} files; allowed: ${MAX_FILES}`);
  const found: ListedSeries[] = [];
  const unusable: UnusableSlice[] = [];
  const others = new Map<string, number>();
  let total = 0;
  for (const entry of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const bytes = await readFile(path.join(folder, entry.name));
    total += bytes.length;
    if (total > MAX_BYTES)
      throw foreignFileError(
        name,
        `its files have more than ${formatBytes(MAX_BYTES)}; allowed: ${formatBytes(MAX_BYTES)}`,
      );
    if (!isDicom(bytes)) continue;
    const one = classifyFile(name, entry.name, bytes);
    if (typeof one === 'string') others.set(one, (others.get(one) ?? 0) + 1);
    else if ('error' in one) unusable.push(one);
    else found.push(one);
  }
  return { found, unusable, others };
}

/** Lists the CT series of a folder, beginning with the one with most slices; empty if the path is a file. */
export async function listCtSeries({ path: where, name }: { readonly path: string; readonly name: string }) {
  const there = await stat(where).catch(() => null);
  if (there?.isDirectory() !== true) return [];
  const { found, unusable } = await scanFolder(where, name);
  const reasons = new Map(unusable.map(({ series, error }) => [series, error.message]));
  const readable = [...Map.groupBy(found, ({ series }) => series)].map(([uid, slices]): CtSeriesInfo => {
    const [first] = slices;
    const places = slices.map(slicePosition_mm).sort((a, b) => a - b);
    return {
      uid,
      description: first?.description.trim() ?? '',
      slices: slices.length,
      columns: first?.columns ?? 0,
      rows: first?.rows ?? 0,
      from_mm: places[0] ?? 0,
      to_mm: places.at(-1) ?? 0,
      notes: [...new Set(slices.flatMap(({ notes }) => notes))],
      reason: reasons.get(uid) ?? null,
    };
  });
  const known = new Set(readable.map(({ uid }) => uid));
  const others = [...reasons].flatMap(([uid, reason]): CtSeriesInfo[] => {
    if (known.has(uid)) return [];
    const slices = unusable.filter(({ series }) => series === uid).length;
    return [{ uid, description: '', slices, columns: 0, rows: 0, from_mm: 0, to_mm: 0, notes: [], reason }];
  });
  return [...readable.sort((a, b) => b.slices - a.slices), ...others];
}

/** Slices of the folder's requested CT series, or of its only one. */
export async function readSeries(folder: string, name: string, asked: string | null): Promise<CtSeries> {
  const { found, unusable, others } = await scanFolder(folder, name);
  const known = new Set(found.map((one) => one.series));
  // An unreadable slice would leave a gap in its series. A series without any readable slice is treated as another kind
  // of image.
  const [broken] = unusable.filter((one) => one.series === asked || (asked === null && known.size === 0));
  if (broken !== undefined) throw broken.error;
  if (found.length === 0) {
    const there = [...others].map(([kind, count]) => `${count} × ${kind}`).join(', ');
    throw foreignFileError(
      name,
      `it contains no DICOM file of a CT${there === '' ? '' : ` (${there})`}; allowed: the slices of one CT series`,
    );
  }
  const chosen = findRequestedSeries(name, found, asked);
  const gap = unusable.find((one) => one.series === chosen);
  if (gap !== undefined) throw gap.error;
  const left = found.filter((one) => one.series !== chosen);
  const foreignSeries = new Map(unusable.map((one) => [one.series, one.error.message]));
  return {
    slices: found.filter((one) => one.series === chosen),
    notes: [
      ...(left.length === 0 ? [] : [`Other series in ${name} were ignored: ${seriesText(left)}.`]),
      ...[...others].map(
        ([kind, count]) =>
          `${count} ${count === 1 ? 'file' : 'files'} in ${name} ignored: ${kind}, not a slice of the CT.`,
      ),
      ...[...foreignSeries].map(([uid, why]) => `The series ${uid} in ${name} was ignored: ${why}`),
    ],
  };
}
