/**
 * CT phantoms as files: ellipses in Hounsfield units, written as DICOM, NRRD and MetaImage according to the formats'
 * specifications.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gammaIndex } from '../../../../../electron/host/model/fields/gamma.ts';
import { readDoseFile } from '../../../../../electron/host/workloads/transport/dose-file.ts';

export interface Phantom {
  readonly columns: number;
  readonly rows: number;
  readonly slices: number;
  /** Distances between columns, rows and slices. */
  readonly spacing_mm: readonly [number, number, number];
  /** Centre of the first pixel. */
  readonly origin_mm: readonly [number, number, number];
  readonly hu: (column: number, row: number, slice: number) => number;
}

interface Ellipse {
  readonly at: readonly [number, number];
  readonly half: readonly [number, number];
  readonly hu: number;
}

/** A thorax in air: soft tissue with two lungs, a spine and a rib. Positions are fractions of half the image size. */
export const thorax: readonly Ellipse[] = [
  { at: [0, 0], half: [0.85, 0.6], hu: 40 },
  { at: [-0.42, -0.05], half: [0.28, 0.38], hu: -750 },
  { at: [0.42, -0.05], half: [0.28, 0.38], hu: -750 },
  { at: [0, 0.4], half: [0.12, 0.12], hu: 700 },
  { at: [0, -0.52], half: [0.3, 0.04], hu: 350 },
];

export function ellipsePhantom(size: number, list: readonly Ellipse[] = thorax, slices = 3): Phantom {
  const middle = (size - 1) / 2;
  const step = 512 / size;
  return {
    columns: size,
    rows: size,
    slices,
    spacing_mm: [step * 0.8, step * 0.8, 3],
    origin_mm: [-middle * step * 0.8, -middle * step * 0.8, -30],
    hu: (column, row) => {
      const [x, y] = [(column - middle) / (size / 2), (row - middle) / (size / 2)];
      const hit = list.findLast(({ at, half }) => ((x - at[0]) / half[0]) ** 2 + ((y - at[1]) / half[1]) ** 2 <= 1);
      return hit?.hu ?? -1000;
    },
  };
}

/** A phantom of layers along y: each row has one value in all columns, which are along x. */
export function layeredPhantom(rows: readonly number[], columns: number, pixel_mm: number): Phantom {
  return {
    columns,
    rows: rows.length,
    slices: 1,
    spacing_mm: [pixel_mm, pixel_mm, 2],
    origin_mm: [-((columns - 1) / 2) * pixel_mm, pixel_mm / 2, 0],
    hu: (_, row) => rows[row] ?? 0,
  };
}

function voxelValues({ columns, rows, slices, hu }: Phantom): Int16Array {
  const all = new Int16Array(columns * rows * slices);
  for (let k = 0; k < slices; k += 1) {
    for (let j = 0; j < rows; j += 1) {
      for (let i = 0; i < columns; i += 1) all[(k * rows + j) * columns + i] = hu(i, j, k);
    }
  }
  return all;
}

const bytesOf = (all: Int16Array): Uint8Array => new Uint8Array(all.buffer, all.byteOffset, all.byteLength);

function concatenateBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

export function nrrdOf(phantom: Phantom, changes: Readonly<Record<string, string>> = {}): Uint8Array {
  const { columns, rows, slices, spacing_mm, origin_mm } = phantom;
  const fields: Record<string, string> = {
    type: 'short',
    dimension: '3',
    space: 'left-posterior-superior',
    sizes: `${columns} ${rows} ${slices}`,
    'space directions': spacing_mm.map((d, i) => `(${[0, 1, 2].map((k) => (k === i ? d : 0)).join(',')})`).join(' '),
    'space origin': `(${origin_mm.join(',')})`,
    endian: 'little',
    encoding: 'raw',
    ...changes,
  };
  const header = ['NRRD0004', ...Object.entries(fields).map(([key, value]) => `${key}: ${value}`), '', ''].join('\n');
  return concatenateBytes(new TextEncoder().encode(header), bytesOf(voxelValues(phantom)));
}

export function metaImageOf(phantom: Phantom): Uint8Array {
  const { columns, rows, slices, spacing_mm, origin_mm } = phantom;
  const header = [
    'ObjectType = Image',
    'NDims = 3',
    'BinaryData = True',
    'BinaryDataByteOrderMSB = False',
    'TransformMatrix = 1 0 0 0 1 0 0 0 1',
    `Offset = ${origin_mm.join(' ')}`,
    `ElementSpacing = ${spacing_mm.join(' ')}`,
    `DimSize = ${columns} ${rows} ${slices}`,
    'ElementType = MET_SHORT',
    'ElementDataFile = LOCAL',
    '',
  ].join('\n');
  return concatenateBytes(new TextEncoder().encode(header), bytesOf(voxelValues(phantom)));
}

/** Elements by tag, in ascending order; values are text or 16-bit numbers. */
export type Elements = Readonly<Record<string, readonly [vr: string, value: string | number | Uint8Array]>>;

const LONG_LENGTH_VRS = ['OB', 'OW', 'SQ', 'UN', 'UT'];

/** Encodes elements as explicit VR, little endian (part 5 of the standard). */
function encodeElements(elements: Elements): Uint8Array {
  const parts = Object.entries(elements)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, [vr, value]]) => {
      const raw =
        typeof value === 'number'
          ? Uint8Array.of(value & 255, (value >> 8) & 255)
          : typeof value === 'string'
            ? new TextEncoder().encode(value)
            : value;
      const body = raw.length % 2 === 0 ? raw : concatenateBytes(raw, Uint8Array.of(vr === 'UI' ? 0 : 32));
      const head = new Uint8Array(LONG_LENGTH_VRS.includes(vr) ? 12 : 8);
      const view = new DataView(head.buffer);
      view.setUint16(0, Number.parseInt(tag.slice(0, 4), 16), true);
      view.setUint16(2, Number.parseInt(tag.slice(4), 16), true);
      head.set(new TextEncoder().encode(vr), 4);
      if (LONG_LENGTH_VRS.includes(vr)) view.setUint32(8, body.length, true);
      else view.setUint16(6, body.length, true);
      return concatenateBytes(head, body);
    });
  return concatenateBytes(...parts);
}

/** One slice as DICOM; `changes` replaces elements, and removes those with an absent value. */
export function dicomOf(
  phantom: Phantom,
  slice: number,
  changes: Readonly<Record<string, Elements[string] | undefined>> = {},
): Uint8Array {
  const { columns, rows, spacing_mm, origin_mm } = phantom;
  const stored = new Int16Array(columns * rows);
  for (let j = 0; j < rows; j += 1) {
    for (let i = 0; i < columns; i += 1) stored[j * columns + i] = phantom.hu(i, j, slice) + 1024;
  }
  const place = [origin_mm[0], origin_mm[1], origin_mm[2] + slice * spacing_mm[2]];
  const { '00020010': syntax = ['UI', '1.2.840.10008.1.2.1'] as const, ...others } = changes;
  const elements: Readonly<Record<string, Elements[string] | undefined>> = {
    '00080016': ['UI', '1.2.840.10008.5.1.4.1.1.2'],
    '00080018': ['UI', `1.2.3.${slice + 1}`],
    '00080060': ['CS', 'CT'],
    '0020000d': ['UI', '1.2.3'],
    '0020000e': ['UI', '1.2.3.4'],
    '00200013': ['IS', String(slice + 1)],
    '00200032': ['DS', place.join('\\')],
    '00200037': ['DS', '1\\0\\0\\0\\1\\0'],
    '00280002': ['US', 1],
    '00280004': ['CS', 'MONOCHROME2'],
    '00280010': ['US', rows],
    '00280011': ['US', columns],
    '00280030': ['DS', `${spacing_mm[1]}\\${spacing_mm[0]}`],
    '00280100': ['US', 16],
    '00280101': ['US', 16],
    '00280102': ['US', 15],
    '00280103': ['US', 0],
    '00281052': ['DS', '-1024'],
    '00281053': ['DS', '1'],
    '7fe00010': ['OW', bytesOf(stored)],
    ...others,
  };
  const kept = Object.fromEntries(Object.entries(elements).filter(([, value]) => value !== undefined)) as Elements;
  const meta = encodeElements({ '00020010': syntax });
  const length = encodeElements({ '00020000': ['UL', Uint8Array.of(meta.length, 0, 0, 0)] });
  return concatenateBytes(new Uint8Array(128), new TextEncoder().encode('DICM'), length, meta, encodeElements(kept));
}

/** Writes the series to a folder, in files whose names do not follow the order of the slices. */
export function writeSeries(folder: string, phantom: Phantom): void {
  mkdirSync(folder, { recursive: true });
  for (let k = 0; k < phantom.slices; k += 1) {
    writeFileSync(path.join(folder, `im${(k * 7 + 3) % 97}.dcm`), dicomOf(phantom, k));
  }
}

/**
 * RT Dose with all slices as frames. Stored are 32-bit integers in units of 0.25 Gy: `hu` minus the value of the first
 * voxel, plus 1.
 */
export function doseOf(
  phantom: Phantom,
  changes: Readonly<Record<string, Elements[string] | undefined>> = {},
): Uint8Array {
  const { columns, rows, slices, spacing_mm, origin_mm, hu } = phantom;
  const stored = new Uint32Array(columns * rows * slices);
  for (let k = 0; k < slices; k += 1)
    for (let j = 0; j < rows; j += 1)
      for (let i = 0; i < columns; i += 1) stored[(k * rows + j) * columns + i] = hu(i, j, k) - hu(0, 0, 0) + 1;
  return dicomOf(phantom, 0, {
    '00080016': ['UI', '1.2.840.10008.5.1.4.1.1.481.2'],
    '00080060': ['CS', 'RTDOSE'],
    '00200032': ['DS', origin_mm.join('\\')],
    '00280008': ['IS', String(slices)],
    '00280100': ['US', 32],
    '00280101': ['US', 32],
    '00280102': ['US', 31],
    '00281052': undefined,
    '00281053': undefined,
    '30040002': ['CS', 'GY'],
    '30040004': ['CS', 'PHYSICAL'],
    '3004000a': ['CS', 'PLAN'],
    '3004000c': ['DS', Array.from({ length: slices }, (_, k) => k * spacing_mm[2]).join('\\')],
    '3004000e': ['DS', '0.25'],
    '7fe00010': ['OW', new Uint8Array(stored.buffer)],
    ...changes,
  });
}

/** Gamma of two dose files at 1 %/1 mm. */
export async function gammaOf(a: string, b: string): Promise<{ readonly passed: number; readonly worst: number }> {
  const [first, second] = await Promise.all([a, b].map((file) => readDoseFile(file, {}, null)));
  if (first?.kind !== 'map' || second?.kind !== 'map') throw new Error('a dose file without a map');
  const { passed, worst } = gammaIndex(first.map, second.map, { dose: 0.01, distance_mm: 1 });
  return { passed, worst };
}
