/**
 * Good files of each format with changes, and the readers' results: hostile files, and variants that other programs
 * write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Group } from 'h5wasm';
import { describe, expect, test } from 'vitest';
import { readCurveCsv } from '../../../electron/domain/dose/curve-csv.ts';
import { openTrace } from '../../../electron/host/app/timelines/open.ts';
import { createFile } from '../../../electron/host/io/hdf5/h5.ts';
import { readCtSlice } from '../../../electron/host/io/volumes/ct-slice.ts';
import { readDicomDose, readDicomPixels } from '../../../electron/host/io/volumes/dicom.ts';
import { decodeVolumeFile, volumeHeader } from '../../../electron/host/io/volumes/volume-file.ts';
import { readNcuCsv } from '../../../electron/host/model/counters/ncu.ts';
import { traceSummary } from '../../../electron/host/model/timeline/summary.ts';
import { parseTuning } from '../../../electron/host/model/tuning/files/t4.ts';
import { readImage, readNexusImage } from '../../../electron/host/workloads/diffraction/images/read.ts';
import { readHkl } from '../../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { dicomOf, doseOf, type Elements, nrrdOf, type Phantom } from '../../electron/host/io/volumes/phantom.ts';
import { writeNsight } from '../../electron/host/model/timeline/import/nsight-file.ts';
import { scratchFolder } from '../../scratch-folder.ts';

/**
 * Folder for the files of the current test. Each test file sets its own folder, because several may share this module.
 */
export let folder = '';
export const irregularPhantom: Phantom = {
  ...{ columns: 4, rows: 3, slices: 2, spacing_mm: [1, 2, 3], origin_mm: [-7, 11, -13] },
  hu: (i, j, k) => 100 * i + 10 * j + k,
};

/** The result of a reader as text, or its error. */
export async function messageOf(read: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await read(), (_, value: unknown) =>
      ArrayBuffer.isView(value) ? [...(value as unknown as Iterable<number>)] : value,
    );
  } catch (error) {
    expect(error).toMatchObject({ name: 'BraggError' });
    return `refused: ${(error as Error).message}`;
  }
}

export type Case = readonly [name: string, read: () => unknown, answer: RegExp];
export const latin = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
export const joinFile = (head: string, data: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([latin(head), data]));

export const pixels = (changes: Elements) => () => readDicomPixels('ct', dicomOf(irregularPhantom, 0, changes));
export const dose = (changes: Elements) => () => readDicomDose('dose', doseOf(irregularPhantom, changes));
export const series = (name: string, changes: (k: number) => Elements) => async () => {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(path.join(folder, name), { recursive: true });
  for (const k of [0, 1]) writeFileSync(path.join(folder, name, `${k}.dcm`), dicomOf(irregularPhantom, k, changes(k)));
  const found = await readCtSlice({
    path: path.join(folder, name),
    name,
    series: null,
    plane: 'transverse',
    at_mm: null,
  });
  return found.notes;
};
export const volume = (bytes: Uint8Array) => () => {
  const header = volumeHeader('v', bytes);
  return header === null ? 'no volume' : decodeVolumeFile('v', bytes, header, []);
};
export const shorts = new Uint8Array(Int16Array.from({ length: 24 }, (_, i) => i).buffer);
export const meta = (changes: Readonly<Record<string, string>>, data = shorts) => {
  const fields = { NDims: '3', DimSize: '4 3 2', ElementType: 'MET_SHORT', ElementSpacing: '1 2 3', ...changes };
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${value}\n`);
  return volume(joinFile(`${lines.join('')}ElementDataFile = LOCAL\n`, data));
};
export const nrrd = (changes: Readonly<Record<string, string>>) => volume(nrrdOf(irregularPhantom, changes));

export const counts = new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => 10 * i).buffer);
export const smv =
  (fields: string, data = counts) =>
  () =>
    readImage(
      joinFile(`{\nHEADER_BYTES=512;\nBYTE_ORDER=little_endian;\nSIZE1=4;\nSIZE2=3;\n${fields}}`.padEnd(512), data),
      'a.img',
    );
export const cbf =
  (detector: string, section = '') =>
  () =>
    readImage(
      joinFile(
        `###CBF\r\n${detector}\r\n--CIF-BINARY-FORMAT-SECTION--\r\nContent-Type: application/octet-stream;\r\n     conversions="x-CBF_BYTE_OFFSET"\r\nX-Binary-Element-Type: "signed 32-bit integer"\r\nX-Binary-Size-Fastest-Dimension: 3\r\nX-Binary-Size-Second-Dimension: 2\r\n${section}\r\n`,
        Uint8Array.of(0x0c, 0x1a, 0x04, 0xd5, 1, 2, 3, 4, 5, 250),
      ),
      'a.cbf',
    );
export const tiff =
  (changes: Readonly<Record<number, number | string | readonly number[]>>, description = '', name = 'a.tif') =>
  () => {
    const own = { 256: 4, 257: 3, 258: 16, 259: 1, 262: 1, 270: 0, 273: 8, 277: 1, 279: 24 };
    const tags = Object.entries({ ...own, ...changes });
    const listsAt = 38 + 12 * tags.length;
    const textAt = listsAt + 4 * tags.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 0), 0);
    const textOf = (tag: string, value: unknown) =>
      tag === '270' ? description : typeof value === 'string' ? value : '';
    const texts = tags.map(([tag, value]) => `${textOf(tag, value)}\0`);
    const view = new DataView(new ArrayBuffer(textAt + texts.join('').length));
    view.setUint32(0, 0x002a4949, true);
    view.setUint32(4, 32, true);
    new Uint8Array(view.buffer).set(counts, 8);
    new Uint8Array(view.buffer).set(latin(texts.join('')), textAt);
    view.setUint16(32, tags.length, true);
    let next = listsAt;
    for (const [i, [tag, value]] of tags.entries()) {
      const [text = '', place] = [texts[i], textAt + texts.slice(0, i).join('').length];
      const isText = tag === '270' || typeof value === 'string';
      const list = typeof value === 'string' ? [] : typeof value === 'number' ? [value] : value;
      view.setUint16(34 + 12 * i, Number(tag), true);
      view.setUint16(36 + 12 * i, isText ? 2 : 4, true);
      view.setUint32(38 + 12 * i, isText ? text.length : list.length, true);
      const outside = isText ? text.length > 4 : list.length > 1;
      view.setUint32(42 + 12 * i, outside ? (isText ? place : next) : (list[0] ?? 0), true);
      if (isText && !outside) new Uint8Array(view.buffer).set(latin(text), 42 + 12 * i);
      if (isText || !outside) continue;
      for (const one of list) {
        view.setUint32(next, one, true);
        next += 4;
      }
    }
    return readImage(new Uint8Array(view.buffer), name);
  };
/** A TIFF of 4 × 3 counts as MarCCD writes it, with words of its own header by their offsets. */
export const marCcd = (words: Readonly<Record<number, number>>) => () => {
  const [header, pixelsAt] = [1024, 4096];
  const tags = Object.entries({ 256: 4, 257: 3, 258: 16, 259: 1, 262: 1, 273: pixelsAt, 277: 1, 279: 24 });
  const view = new DataView(new ArrayBuffer(pixelsAt + counts.length));
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, tags.length, true);
  for (const [i, [tag, value]] of tags.entries()) {
    view.setUint16(10 + 12 * i, Number(tag), true);
    view.setUint16(12 + 12 * i, 4, true);
    view.setUint32(14 + 12 * i, 1, true);
    view.setUint32(18 + 12 * i, value, true);
  }
  new Uint8Array(view.buffer).set(latin('MMX'), header + 4);
  for (const [at, word] of Object.entries({ 28: 1234, ...words })) view.setUint32(header + Number(at), word, true);
  new Uint8Array(view.buffer).set(counts, pixelsAt);
  return readImage(new Uint8Array(view.buffer), 'a.mccd');
};
export const nexus = (name: string) => () =>
  readNexusImage(
    readFileSync(path.join(import.meta.dirname, '../../electron/host/workloads/diffraction/images/cases', name)),
    name,
    async () => null,
  );
type ArrayShape = readonly number[];
export const setClass = (group: Group, name: string, of: string): Group => {
  const made = group.create_group(name);
  made.create_attribute('NX_class', of);
  return made;
};
export const dataset = (
  group: Group,
  name: string,
  data: Float32Array | Int32Array | Uint16Array,
  shape: ArrayShape,
  more = {},
) => {
  const dtype = data instanceof Float32Array ? '<f' : data instanceof Int32Array ? '<i' : '<H';
  return group.create_dataset({ name, data, shape: [...shape], dtype, ...more } as Parameters<
    Group['create_dataset']
  >[0]);
};
/** 3 × 4 counts of NXmx, changed before writing. */
export const nxmx =
  (
    change: (detector: Group, instrument: Group) => void,
    counts: Float32Array | Uint16Array | null = null,
    more = {},
    attributes: Readonly<Record<string, number>> = {},
  ) =>
  async () => {
    const bytes = await createFile((file) => {
      const entry = setClass(file as unknown as Group, 'entry', 'NXentry');
      const ten = Uint16Array.from({ length: 12 }, (_, i) => 10 * i + 10);
      const images = dataset(setClass(entry, 'data', 'NXdata'), 'data', counts ?? ten, [3, 4], more);
      for (const [name, value] of Object.entries(attributes)) images.create_attribute(name, Float64Array.of(value));
      const instrument = setClass(entry, 'instrument', 'NXinstrument');
      change(setClass(instrument, 'eiger', 'NXdetector'), instrument);
    });
    const { excluded, ...rest } = await readNexusImage(bytes, 'a.h5', async () => null);
    return { excluded, ...rest };
  };
export const nxModule = (detector: Group, vectors: Readonly<Record<string, ArrayShape>>): void => {
  const module = setClass(detector, 'module', 'NXdetector_module');
  for (const [name, vector] of Object.entries(vectors)) {
    dataset(module, name, Float32Array.of(1), [1]).create_attribute('vector', Float64Array.from(vector));
  }
};
export const measure = (detector: Group, name: string, value: number, unit: string | null): void => {
  const made = dataset(detector, name, Float32Array.of(value), [1]);
  if (unit !== null) made.create_attribute('units', unit);
};
export const hkl = (text: string) => () => readHkl(text);
export const xds = (fields: readonly string[], rows: readonly string[]) =>
  hkl(
    [
      "!FORMAT=XDS_ASCII    MERGE=FALSE    FRIEDEL'S_LAW=TRUE",
      ...['H', 'K', 'L', 'IOBS', 'SIGMA(IOBS)'].map((item, i) => `!ITEM_${item}=${i + 1}`),
      ...fields,
      '!END_OF_HEADER',
      ...rows,
      '!END_OF_DATA',
    ].join('\n'),
  );
export const curve = (text: string) => () => readCurveCsv(text);
export const ncu = (text: string) => () => readNcuCsv(text, 'a.csv');
export const ncuHead = '"ID","Metric Name","Metric Unit","Metric Value"';
export const tuner =
  (entry: object, more: object = {}) =>
  () =>
    parseTuning({
      text: JSON.stringify({ tune_params_keys: ['tile'], cache: { '8': { tile: 8, ...entry } }, ...more }),
      name: 'a.json',
    }).configurations;
export const t4 =
  (result: object, more: object = {}) =>
  () =>
    parseTuning({
      text: JSON.stringify({
        ...{ schema_version: '1.0.0', metadata: { timeunit: 'ms' }, ...more },
        results: [{ configuration: { tile: 8 }, times: { runtimes: [2] }, invalidity: 'correct', ...result }],
      }),
      name: 'a.json',
    }).configurations;
export const chrome = (...events: readonly object[]) => chromeWith({}, ...events);
export const chromeWith =
  (more: object, ...events: readonly object[]) =>
  async () => {
    const file = path.join(folder, 'trace.json');
    writeFileSync(file, JSON.stringify({ ...more, traceEvents: events }));
    const { duration, notes } = await openTrace(file, 'trace.json');
    return { duration, notes };
  };
export const nsys = (sql: string) => async () => {
  const file = path.join(
    folder,
    `${sql.length}-${[...sql].reduce((sum, one) => (31 * sum + one.charCodeAt(0)) % 1e9, 7)}.sqlite`,
  );
  writeNsight(file);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  const trace = await openTrace(file, 'report.sqlite');
  const { kernels, gpus } = traceSummary(trace);
  return { gpus, device: trace.device, kernels: kernels.count, notes: trace.notes };
};
export const span = { ph: 'X', ts: 0, dur: 5, name: 'step', pid: 1, tid: 1 };

/** Defines one test for each file: the reader's result or error must match. */
export function testHostileFiles(tables: readonly (readonly [format: string, readonly Case[]])[]): void {
  folder = scratchFolder('hostile-files');
  describe.each(tables)('%s with', (_, cases) => {
    test.each(cases)('%s', async (__, read, answer) => {
      expect(await messageOf(read)).toMatch(answer);
    });
  });
}
