/**
 * `braggbench export`: writes the timeline or image of a run in formats of other programs, or all warm samples of a
 * benchmark as a table.
 */
import { extname } from 'node:path';
import { gpuOfEntry } from '../../contract/bench/bench-session.ts';
import type { Session, SessionReport } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import { exportsOf } from '../../contract/workload.ts';
import { type CsvCell, csvText } from '../../domain/values/csv.ts';
import { chromeTraceText, importRun, runPacker, spanCount } from '../../host/api/files.ts';
import { hostWorkloads, timelineOf } from '../../host/api/scenarios.ts';
import {
  type ImageBits,
  type ImageRunData,
  imageFigure,
  imageFile,
  imageFormats,
  isImageRun,
} from '../../host/api/workloads.ts';
import { flagValue, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { readAnyRunFile } from '../read-scenario.ts';
import { isSessionFile, openSession, withHost } from '../subjects.ts';
import { exitCodes, type Verb, type VerbContext } from '../verb.ts';

const columns = [
  'at',
  'variant',
  'kind',
  'device',
  'precision',
  'round',
  'time_s',
  'sm_MHz',
  'flag',
  'verdict',
  'commit',
] as const;

/** Rows of the table of samples. `at` is the swept value; null without a sweep. */
function sampleRows(
  { entries, external, program, machine }: SessionReport,
  at: number | null,
): readonly (readonly CsvCell[])[] {
  const own = entries.flatMap((entry) => {
    if (entry.status === 'refused') return [];
    const { label, device, gpu, precision, samples, verdict } = entry;
    const on = device === 'cuda' ? (gpuOfEntry(machine, gpu)?.name ?? 'GPU') : machine.cpu;
    return samples.map(({ round, time_s, sm_MHz, flag }) => [
      ...[at, label, 'variant', on, precision, round, time_s, sm_MHz, flag, verdict, program.commit],
    ]);
  });
  const others = external.flatMap(({ id, result }) =>
    (result?.times ?? []).map((time_s, round) => [
      ...[at, id, 'other program', result?.device ?? '', result?.precision ?? '', round, time_s, null, null],
      ...[result?.wrong === true ? 'wrong' : '', program.commit],
    ]),
  );
  return [...own, ...others];
}

export function samplesCsv({ reports, sweep }: Session): { readonly text: string; readonly rows: number } {
  const rows = reports.flatMap((report, i) => sampleRows(report, sweep?.values[i] ?? null));
  return { text: csvText(columns, rows), rows: rows.length };
}

async function exportTrace({ parsed, terminal }: VerbContext, out: string): Promise<void> {
  const file = parsed.operands[0] ?? '';
  const trace = importRun(timelineOf(await readAnyRunFile(file)));
  if (spanCount(trace) === 0) throw new BraggError('unsupported', `${file} has no timeline: nothing was recorded.`);
  const pieces = Array.from(chromeTraceText(trace, null), (piece) => Buffer.from(piece));
  await writeOutput(parsed, out, Buffer.concat(pieces));
  terminal.printNote(`${spanCount(trace)} spans written to ${out}`);
}

function parseImageBits(text: string | undefined): ImageBits | undefined {
  if (text === undefined) return undefined;
  if (text !== '16' && text !== '32')
    throw new UsageError(`--bits: ${JSON.stringify(text)} is not allowed; allowed: 16, 32`);
  return text === '16' ? 16 : 32;
}

const hdf5: readonly string[] = ['.h5', '.hdf5'];

async function packImage(run: ImageRunData, bits: ImageBits | undefined): Promise<Uint8Array> {
  if (bits === 16) throw new UsageError('--bits: HDF5 images have 32 bits; 16 are for TIFF');
  return runPacker.figure(imageFigure(run));
}

async function exportImage({ parsed, terminal }: VerbContext, out: string): Promise<void> {
  const file = parsed.operands[0] ?? '';
  const run = await readAnyRunFile(file);
  if (!isImageRun(run)) throw new BraggError('unsupported', `${file} is a proton transport run: it has no image.`);
  const bits = parseImageBits(flagValue(parsed, 'bits'));
  const bytes = hdf5.includes(extname(out).toLowerCase()) ? await packImage(run, bits) : imageFile(run, out, bits);
  await writeOutput(parsed, out, bytes);
  terminal.printNote(`${run.width} × ${run.height} pixels written to ${out}`);
}

/** Matches export formats of maps, which consist of a quantity and a file format. */
const MAP = /^(.*)-(mha|nrrd|dcm)$/;

async function exportMap({ parsed, terminal }: VerbContext, out: string): Promise<void> {
  const file = parsed.operands[0] ?? '';
  const run = await readAnyRunFile(file);
  const maps = exportsOf(run.workload).flatMap(({ id }) => (MAP.test(id) ? [id] : []));
  if (maps.length === 0) throw new BraggError('unsupported', `${file} is a run of ${run.workload}: it has no dose.`);
  const [names, endings] = [1, 2].map((part) => [...new Set(maps.map((id) => MAP.exec(id)?.[part] ?? ''))]);
  const name = flagValue(parsed, 'of') ?? names?.[0] ?? '';
  if (names?.includes(name) !== true) {
    throw new UsageError(`--of: ${JSON.stringify(name)} is not allowed; allowed: ${names?.join(', ')}`);
  }
  const ending = extname(out).toLowerCase().slice(1);
  if (endings?.includes(ending) !== true) {
    const allowed = endings?.map((one) => `.${one}`).join(', ');
    throw new UsageError(`--map: ${JSON.stringify(out)} has an unknown extension; allowed: ${allowed}`);
  }
  const what = maps.find((id) => id === `${name}-${ending}`);
  if (what === undefined) {
    const allowed = maps.flatMap((id) => (id.endsWith(`-${ending}`) ? [MAP.exec(id)?.[1] ?? ''] : [])).join(', ');
    throw new UsageError(`--of: ${name} cannot be written as .${ending}; allowed: ${allowed}`);
  }
  const { bytes } = await hostWorkloads[run.workload].exportFile(run, what, runPacker);
  await writeOutput(parsed, out, bytes);
  terminal.printNote(`${name} of ${file} written to ${out}`);
}

async function exportSamples({ parsed, terminal }: VerbContext, out: string): Promise<void> {
  const file = parsed.operands[0] ?? '';
  if (!isSessionFile(file)) throw new UsageError(`--samples needs sessions saved by bench (.json): ${file} is a run`);
  const { session } = await withHost((host) => openSession(host, file));
  const { text, rows } = samplesCsv(session);
  await writeOutput(parsed, out, text);
  terminal.printNote(`${rows} samples written to ${out}`);
}

export const exportVerb: Verb = {
  name: 'export',
  usage:
    'export RUN --trace OUT.json | --image OUT.img [--bits 16|32] | --map OUT.mha|OUT.nrrd|OUT.dcm [--of MAP] | --samples OUT.csv',
  summary:
    'write the timeline of a run for Perfetto, its image or dose map for viewers, or the samples of a session for notebooks',
  details: [
    "Writes the timeline of a run as Chrome Trace Event JSON, which https://ui.perfetto.dev and chrome://tracing open: the operators of every thread, the stages and rows of an image, or the samples of every variant in a measurement. For a run with --trace it includes the GPU's kernels and copies, each with an arrow from its launch. Kernels have stream, grid, block, registers and shared memory.",
    `For a diffraction run, writes the image; the file extension selects the format: ${Object.entries(imageFormats)
      .map(([extension, { title }]) => `${extension} is ${title}`)
      .join(
        '; ',
      )}; .h5 is HDF5 with the axes of the detector. 16-bit counts are scaled so that the largest pixel is 55040.`,
    'For a transport run, writes a map as MetaImage or NRRD: FP64, lateral position x as the first axis, depth as the second, positions in mm as in the scenario. The dose in Gy can also be written as RT Dose: one frame, x to the left and depth to the back.',
  ],
  flags: [
    { name: 'trace', value: 'OUT.json', help: 'Where to write the timeline.' },
    { name: 'image', value: 'OUT', help: 'Where to write the image.' },
    { name: 'map', value: 'OUT', help: 'Where to write the map; .mha is MetaImage, .nrrd is NRRD, .dcm is RT Dose.' },
    {
      name: 'of',
      value: 'MAP',
      help: 'dose (MeV/mm², integrated over y; the default), gray (Gy per 10⁹ protons at y = 0) or letd (keV/µm).',
    },
    {
      name: 'samples',
      value: 'OUT.csv',
      help: 'Of a session: every warm sample, one per line, with round, clock, flag and verdict.',
    },
    forceFlag,
    { name: 'bits', value: 'N', help: 'For a TIFF image: 32 (photons, floating point; the default) or 16 (counts).' },
  ],
  examples: [
    'braggbench run water-70MeV --trace --out mine.h5',
    'braggbench export mine.h5 --trace trace.json',
    'braggbench export overlap.json --trace trace.json',
    'braggbench export cubic.h5 --image cubic.img',
    'braggbench export mine.h5 --map dose.nrrd --of gray',
    'braggbench export session.json --samples samples.csv',
  ],
  operands: { min: 1, max: 1, name: 'a run file' },
  run: async (context) => {
    const [trace, image, map, samples] = ['trace', 'image', 'map', 'samples'].map((name) =>
      flagValue(context.parsed, name),
    );
    if ([trace, image, map, samples].every((out) => out === undefined))
      throw new UsageError('export needs --trace OUT.json, --image OUT, --map OUT or --samples OUT.csv');
    for (const out of [samples, trace, image, map]) if (out !== undefined) await checkOutput(context.parsed, out);
    if (samples !== undefined) await exportSamples(context, samples);
    if (trace !== undefined) await exportTrace(context, trace);
    if (image !== undefined) await exportImage(context, image);
    if (map !== undefined) await exportMap(context, map);
    return exitCodes.done;
  },
};
