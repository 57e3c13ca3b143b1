/**
 * Every file modelled on a public bug report or a format's specification: the correct value, or an error that states
 * the allowed values. Sources: the README next to each folder of cases. Every case must be in the table, and every file
 * must be used.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCurveCsv } from '../../electron/domain/dose/curve-csv.ts';
import type { GammaCurve } from '../../electron/domain/dose/gamma-curve.ts';
import { openTrace } from '../../electron/host/app/timelines/open.ts';
import { readCtSlice } from '../../electron/host/io/volumes/ct-slice.ts';
import { readNcuCsv } from '../../electron/host/model/counters/ncu.ts';
import { traceSummary } from '../../electron/host/model/timeline/summary.ts';
import { parseTuning } from '../../electron/host/model/tuning/files/t4.ts';
import { readImage } from '../../electron/host/workloads/diffraction/images/read.ts';
import { readHkl } from '../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { readDoseFile } from '../../electron/host/workloads/transport/dose-file.ts';
import { gammaOf } from '../electron/host/io/volumes/phantom.ts';

const root = path.join(import.meta.dirname, '../electron');
const folders = {
  volumes: 'host/io/volumes',
  curves: 'domain/dose',
  tuners: 'host/model/tuning/files',
  counters: 'host/model/counters',
  traces: 'host/model/timeline/import',
  images: 'host/workloads/diffraction/images',
  lists: 'host/workloads/diffraction/scenario',
} as const;
type Folder = keyof typeof folders;
const inFolder = (folder: Folder, name = ''): string => path.join(root, folders[folder], 'cases', name);
const textOf = (folder: Folder, name: string): string => readFileSync(inFolder(folder, name), 'utf8');

/** Number of rows and value of each layer of the phantom, and notes. */
async function readCt(name: string, at_mm: number | null = null): Promise<unknown> {
  const slice = await readCtSlice({ path: inFolder('volumes', name), name, series: null, plane: 'transverse', at_mm });
  const { hu, columns, rows, spacing_mm, notes, at_mm: at } = slice;
  const layers: [number, number][] = [];
  for (let row = 0; row < rows; row += 1) {
    const values = new Set(hu.subarray(row * columns, (row + 1) * columns));
    expect(values.size).toBe(1);
    const [value = Number.NaN] = values;
    const last = layers.at(-1);
    if (last?.[1] === value) last[0] += 1;
    else layers.push([1, value]);
  }
  return { layers, spacing: spacing_mm.map((step) => Number(step.toFixed(6))), at, notes };
}
const PHANTOM = /"layers":\[\[4,-1000\],\[8,-100\],\[20,0\]\],"spacing":\[1,1\]/;

async function image(name: string): Promise<unknown> {
  const { width, height, counts, excluded: left, full } = readImage(readFileSync(inFolder('images', name)), name);
  const out = [...left.keys()].filter((i) => left[i] === 1).map((i) => [i % width, Math.floor(i / width)]);
  return { width, height, first: [...counts.subarray(0, 4)], at_20_15: counts[15 * width + 20], full, out };
}
const curve = (name: string, unit: 'asked' | 'cm' = 'asked') => {
  const reading = readCurveCsv(textOf('curves', name), unit);
  if (!reading.ok) throw new Error(reading.faults[0]?.message);
  const { depth_mm, dose } = reading.curve;
  const most = Math.max(...dose);
  return { points: dose.length, peak_mm: Number((depth_mm[dose.indexOf(most)] ?? 0).toFixed(6)) };
};
const wide = async (name: string) => {
  const read = await readDoseFile(inFolder('curves', name), {}, null);
  return read.kind === 'curve' ? { points: read.curve.values.length, peak_mm: peakOf(read.curve) } : null;
};
const peakOf = ({ positions, values }: GammaCurve): number => {
  const doses = Array.from(values);
  return Number((positions[doses.indexOf(Math.max(...doses))] ?? 0).toFixed(6));
};
const CURVE = new RegExp(JSON.stringify(curve('c13-good.csv')));
const list = (name: string): unknown => {
  const read = readHkl(textOf('lists', name));
  if (!read.ok) throw new Error(read.faults[0]?.message);
  const at = [...read.reflections.keys()].filter((i) => i % 4 === 0);
  const of = at.find((i) => [0, 1, 2].every((k) => read.reflections[i + k] === -2)) ?? 0;
  return { count: at.length, f: Number((read.reflections[of + 3] ?? 0).toFixed(6)) };
};
const trace = async (name: string): Promise<unknown> => {
  const opened = await openTrace(inFolder('traces', name), name);
  const { kernels, gpus } = traceSummary(opened);
  return { kernels: [kernels.count, kernels.sum_ns], spans: opened.start.length, gpus, notes: opened.notes };
};
const counters = (name: string): unknown => {
  const { dram_bytes, l2_bytes, instructions } = readNcuCsv(textOf('counters', name), name);
  return [dram_bytes, l2_bytes, instructions].map((value) => Number(((value ?? 0) / 1e3).toFixed(0)));
};
const tuner = (name: string): unknown => {
  const { configurations, notes } = parseTuning({ text: textOf('tuners', name), name });
  return { outcomes: configurations.map(({ outcome }) => outcome), notes };
};

type Case = readonly [name: string, read: () => unknown, answer: RegExp];
const cases: readonly Case[] = [
  ['m00-good', () => readCt('m00-good/ct.mhd'), PHANTOM],
  ['n00-good', () => readCt('n00-good.nrrd'), PHANTOM],
  ['d06-signed12', () => readCt('d06-signed12.dcm'), PHANTOM],
  ['d16b-padding-between', () => readCt('d16b-padding-between.dcm'), PHANTOM],
  [
    'd25-padding-zero',
    () => readCt('d25-padding-zero.dcm'),
    /640 of 1024 pixels have the stored value 0, which the file declares as padding/,
  ],
  [
    'd08-decimal-comma',
    () => readCt('d08-decimal-comma.dcm'),
    /RescaleSlope is "1,0"; allowed: a number with a decimal point/,
  ],
  ['d09-with-rtstruct', () => readCt('d09-with-rtstruct'), /20,0\]\].*1 file in d09-with-rtstruct ignored: RTSTRUCT/],
  ['d10-with-scout', () => readCt('d10-with-scout'), /20,0\]\].*ignored/],
  ['d13-two-spacings', () => readCt('d13-two-spacings', 18), /"at":18/],
  ['d20-no-transfer-syntax', () => readCt('d20-no-transfer-syntax.dcm'), /it has no transfer syntax \(0002,0010\)/],
  ['m01-headersize', () => readCt('m01-headersize/ct.mhd'), PHANTOM],
  ['m03-ascii', () => readCt('m03-ascii.mha'), PHANTOM],
  ['m07-local-case', () => readCt('m07-local-case.mha'), PHANTOM],
  ['m08-hfp', () => readCt('m08-hfp/ct.mhd'), PHANTOM],
  ['m09-rounding', () => readCt('m09-rounding/ct.mhd'), PHANTOM],
  ['m12-too-large', () => readCt('m12-too-large/ct.mhd'), /data has 12288 bytes, but 6144 are specified/],
  ['m19-matrad-permuted', () => readCt('m19-matrad-permuted/ct.mhd'), PHANTOM],
  ['n04-byteskip', () => readCt('n04-byteskip.nrrd'), PHANTOM],
  ['n05-detached', () => readCt('n05-detached/ct.nhdr'), PHANTOM],
  ['n09-endian-case', () => readCt('n09-endian-case.nrrd'), PHANTOM],
  ['n10-axis-mins', () => readCt('n10-axis-mins.nrrd', 41), /"at":41\.5/],
  ['n13-space-units', () => readCt('n13-space-units.nrrd'), PHANTOM],
  ['n18-matrad', () => readCt('n18-matrad.nrrd'), PHANTOM],
  [
    'g01-ras-lps',
    () =>
      Promise.all(
        ['ras.nrrd', 'ras2.nrrd', 'lps.mha'].map((other) =>
          gammaOf(inFolder('volumes', 'g01-ras-lps/lps.nrrd'), inFolder('volumes', `g01-ras-lps/${other}`)),
        ),
      ),
    /^\[(\{"passed":1,"worst":0\},?){3}\]$/,
  ],
  ['c13-good', () => curve('c13-good.csv'), CURVE],
  ['c01-topas-z', () => curve('c01-topas-z.csv'), CURVE],
  ['c03-fluka', () => curve('c03-fluka.txt', 'cm'), CURVE],
  ['c06-descending', () => curve('c06-descending.csv'), CURVE],
  ['c09-utf16', () => wide('c09-utf16.csv'), CURVE],
  ['c10-sigma-first', () => curve('c10-sigma-first.csv'), CURVE],
  ['i00-good', () => image('i00-good.img'), /"width":40,"height":30,"first":\[10,17,24,31\]/],
  ['i01-long', () => image('i01-long.img'), /"width":40,"height":30,"first":\[10,17,24,31\]/],
  ['i02-braces', () => image('i02-braces.img'), /"width":40,"height":30,"first":\[10,17,24,31\]/],
  ['i04-saturation', () => image('i04-saturation.img'), /"out":\[\[20,10\],\[21,10\]\]/],
  ['i05-raxis-ratio', () => image('i05-raxis-ratio.img'), /"at_20_15":91344/],
  ['i06-compressed', () => image('i06-compressed.img'), /COMPRESSION = BS1 is not supported; allowed: None/],
  ['b04-cutoff', () => image('b04-cutoff.cbf'), /"full":1048500,"out":\[\[/],
  ['f02-bigtiff', () => image('f02-bigtiff.tif'), /its directory is empty/],
  ['f03-tiled', () => image('f03-tiled.tif'), /"width":40,"height":30,"first":\[10,17,24,31\]/],
  ['h00-good', () => list('h00-good.hkl'), /"f":32\}/],
  ['h01-xds', () => list('h01-xds.hkl'), /"f":32\}/],
  ['h03-comma', () => list('h03-comma.hkl'), /"f":32\.5\}/],
  ['t00-good', () => trace('t00-good.trace'), /"kernels":\[2,50000\],"spans":4/],
  [
    't01-backslash',
    () => trace('t01-backslash.trace'),
    /"kernels":\[2,50000\],"spans":4.*1 damaged events were omitted/,
  ],
  ['t03-newline', () => trace('t03-newline.trace'), /"spans":5.*1 damaged events were omitted/],
  [
    't04-first-zero',
    () => trace('t04-first-zero.trace'),
    /"kernels":\[2,50500\].*1 events are more than three years away/,
  ],
  ['t10-jax', () => trace('t10-jax.trace'), /"kernels":\[2,50000\]/],
  ['t13-missing-quote', () => trace('t13-missing-quote.trace'), /the event at byte 102 is not JSON from byte 147/],
  ['q01-ts-normalized', () => trace('q01-absolute-times.sqlite'), /"kernels":\[3,1800\]/],
  ['q05-suffix', () => trace('q05-versioned-tables.sqlite'), /"kernels":\[3,1800\]/],
  [
    'q06-two-gpus',
    () => trace('q06-two-gpus.sqlite'),
    /"idleShare":0\.5\},\{"name":"GPU 1: NVIDIA H100","idleShare":0\.5\}/,
  ],
  ['u00-good', () => counters('u00-good.csv'), /^\[16770,33550,1235\]$/],
  ['u01-german', () => counters('u01-german.csv'), /^\[16770,33550,1235\]$/],
  ['u04-one-missing', () => counters('u04-one-missing.csv'), /has a number in 1 of 2 launches; allowed: in all/],
  ['k01-1e20', () => tuner('k01-1e20.cache'), /\["right","right","runtime"\]/],
  ['k02-nan', () => tuner('k02-nan.cache'), /\["right","right"\]/],
  ['k03-null', () => tuner('k03-null.cache'), /\["right","runtime"\]/],
  ['k04-cut', () => tuner('k04-cut.cache'), /\["right"\].*is truncated within an entry/],
  ['k09-object', () => tuner('k09-object.cache'), /has tile = \{\}; allowed: a number, text, true or false/],
];

test.each(cases)('%s', async (_, read, answer) => {
  const found = await Promise.resolve()
    .then(read)
    .then(
      (value) => JSON.stringify(value),
      (error: Error) => error.message,
    );
  expect(found).toMatch(answer);
});

/** Names of the audit's cases. Cases may be added, but not removed. */
const NAMES =
  `b04-cutoff c01-topas-z c03-fluka c06-descending c09-utf16 c10-sigma-first c13-good d06-signed12 d08-decimal-comma
  d09-with-rtstruct d10-with-scout d13-two-spacings d16b-padding-between d20-no-transfer-syntax d25-padding-zero f02-bigtiff
  f03-tiled g01-ras-lps h00-good h01-xds h03-comma i00-good i01-long i02-braces i04-saturation i05-raxis-ratio i06-compressed
  k01-1e20 k02-nan k03-null k04-cut k09-object m00-good m01-headersize m03-ascii m07-local-case m08-hfp m09-rounding
  m12-too-large m19-matrad-permuted n00-good n04-byteskip n05-detached n09-endian-case n10-axis-mins n13-space-units n18-matrad
  q01-ts-normalized q05-suffix q06-two-gpus t00-good t01-backslash t03-newline t04-first-zero t10-jax t13-missing-quote u00-good
  u01-german u04-one-missing`.split(/\s+/);

/** Files whose tests are in other test files. */
const ELSEWHERE = ['e01-bitshuffle', 'e02-virtual', 'jpeg-lossless', 'README'];

test('every public test case exists, and all of its files are used', () => {
  expect(cases.map(([name]) => name).toSorted()).toEqual(NAMES.toSorted());
  // Files are named after their case, or after their content: q05-versioned-tables is q05-suffix.
  const numbers = new Set(NAMES.map((name) => name.split('-')[0]));
  const files = Object.keys(folders).flatMap((folder) => readdirSync(inFolder(folder as Folder)));
  const unused = files.filter(
    (file) => !ELSEWHERE.includes(file.replace(/\.\w+$/, '')) && !numbers.has(file.split('-')[0]),
  );
  expect(unused).toEqual([]);
});
