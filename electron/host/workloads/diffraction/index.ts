/**
 * The diffraction workload in the host: scenarios, run files (HDF5, see layout.ts), comparison, exports, measures and
 * timelines.
 */
import type { Variant } from '../../../contract/capabilities.ts';
import {
  type DiffractionDocument,
  type DiffractionScenario,
  imageGeometry,
  valueAt,
} from '../../../contract/scenario/index.ts';
import { csvText } from '../../../domain/values/csv.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { createFile } from '../../io/hdf5/h5.ts';
import { writeDataset, writeValues } from '../../io/hdf5/put.ts';
import { type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import { minSeconds, throwIfTooLong } from '../benchable.ts';
import { fileNameStem, runOf } from '../run-data.ts';
import { readEnd, readHead, writeHead } from '../run-files/head.ts';
import { readRecording, readSetup, writeRecording, writeSetup } from '../run-files/recording.ts';
import type { Hdf5RunFile, Packer } from '../run-files/run-file.ts';
import {
  type DiffractionReading,
  narrowToKinds,
  problemOf,
  type ScenarioFunctions,
  type ScenarioReading,
} from '../scenarios/scenarios.ts';
import { toPageVariant } from '../variant.ts';
import {
  type ComparedRuns,
  type ExportedFile,
  type HostWorkload,
  type MeasuredTimes,
  measuresOf,
  savedCurve,
  unitBySuffix,
} from '../workload.ts';
import { imageBenchable, imageSessionTerms, workOf } from './bench-candidate.ts';
import { brightestPixelPhotons, type ImageRunData, imageAccuracy } from './image-data.ts';
import { imageFile } from './images/index.ts';
import { DiffractionWorkloadRun } from './running.ts';
import { readDiffraction } from './scenario/index.ts';
import {
  brightestOfImage,
  errorOfImage,
  imageField,
  imagePeaks,
  imageProgressText,
  imageSummary,
  imageText,
  pixelsText,
} from './summary.ts';
import { diffractionUserKernels } from './user-kernels.ts';

function readImageRun(f: RunFileFields): ImageRunData {
  const [height, width] = f.size('image');
  const image = f.float32('image', [height, width]);
  return {
    workload: 'diffraction',
    ...readHead(f),
    status: readEnd(f, ['done', 'cancelled']).status,
    error: null,
    done: f.finite('timing', 'done'),
    variant: f.text('engine', 'variant'),
    precision: f.oneOf('engine', 'precision', ['fp32', 'fp64']),
    isa: f.text('engine', 'isa'),
    threads: f.count('engine', 'threads'),
    wall_s: f.finite('timing', 'wall_s'),
    setup_s: f.finite('timing', 'setup_s'),
    solve_s: f.finite('timing', 'solve_s'),
    device_s: f.finite('timing', 'device_s'),
    setup_parts: readSetup(f),
    terms: f.finite('timing', 'terms'),
    scratch_bytes: f.finite('timing', 'scratch_bytes'),
    peak_rss_bytes: f.finite('timing', 'peak_rss_bytes'),
    width,
    height,
    oversample: f.count('engine', 'oversample'),
    sources: f.count('engine', 'sources'),
    orientations: f.count('engine', 'orientations'),
    layers: f.count('engine', 'layers'),
    image,
    // Computed here, on the worker thread that reads files, because it is slow for a large image.
    brightest: brightestPixelPhotons(image),
    ...readRecording(f),
  };
}

function writeImageRun(run: ImageRunData): Promise<Uint8Array> {
  return createFile((file) => {
    writeHead(file, run.workload, run);
    const { variant, precision, isa, threads, oversample, sources, orientations, layers } = run;
    writeValues(file, 'engine', { variant, precision, isa, threads, oversample, sources, orientations, layers });
    const { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes } = run;
    writeValues(file, 'timing', { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes });
    writeSetup(file, run);
    writeDataset(file, 'image', run.image, [run.height, run.width], {
      units: 'photons',
      long_name: 'photons per pixel',
      axes: ['slow', 'fast'],
    });
    writeRecording(file, run);
  });
}

const imageRunFile: Hdf5RunFile = {
  format: 'hdf5',
  read: readImageRun,
  write: (run) => writeImageRun(runOf('diffraction', run)),
  result: (f) => {
    const [height, width] = f.size('image');
    return `${width} × ${height} pixels`;
  },
  holds: 'it contains a diffraction image, which braggbench export writes as an image file',
};

const diffractionScenario: ScenarioFunctions = {
  files: (any) => {
    const { file } = narrowToKinds(['diffraction'], any).structure_factors;
    return file === undefined ? [] : [file];
  },
  completeAndCheck: async (any, _value, leftOut, place, { variants, memoryLimit_bytes }) => {
    const filled = narrowToKinds(['diffraction'], any);
    const services = { variants: variants(filled.kind).map(({ id }) => id), memoryLimit_bytes };
    const { scenario, reflections, problem, ...found } = await readDiffraction(filled, leftOut, place, services);
    return {
      ...found,
      warnings: () => Promise.resolve([]),
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: filled.kind,
        draft,
        document: document as DiffractionDocument | null,
        issues,
        scenario,
        reflections,
        problem: valid ? problem : null,
        locate,
      }),
    };
  },
};

const comparedImages: ComparedRuns = {
  kind: 'answers',
  words: imageSessionTerms,
  of: async (any) => {
    const run = runOf('diffraction', any);
    const { threads, isa, setup_s, solve_s, device_s, terms, width, height, done, setup_parts } = run;
    const time_s = device_s > 0 ? device_s : solve_s;
    return {
      ...{ threads, isa, time_s, setup_s },
      setup_parts: setup_parts.map(({ name, seconds }) => ({ name, first_s: seconds, warm_s: null })),
      size: width * height,
      quantities: [
        { id: 'to_host', title: 'Until in memory', value: solve_s, unit: 's' },
        ...(terms === 0
          ? []
          : [
              {
                id: 'per_term',
                title: 'Per lattice term and core',
                value: (1e9 * time_s * threads) / terms,
                unit: 'ns',
              },
            ]),
        ...(done < 1 ? [{ id: 'done', title: 'Share of the image', value: done, unit: '' }] : []),
      ],
      accuracy: [],
      field: imageField(run),
      environment: {},
    };
  },
  compare: async (here, reference, judged) =>
    imageAccuracy(await errorOfImage(here.field.values, reference.field.values), judged),
};

const PEAKS = 1000;
const text = (words: string): Uint8Array => new TextEncoder().encode(words);

const peakColumns = 'pixel_fast,pixel_slow,fast,slow,photons,h,k,l,resolution_A,twotheta_deg'.split(',');

function peaksTable(run: ImageRunData): string {
  // Throws if a run of an older version lacks fields of the geometry, so that reading the file reports it.
  imageGeometry(run.completeScenario as unknown as DiffractionScenario);
  const rows = imagePeaks(run, PEAKS).map(({ pixel, fast, slow, photons, h, k, l, resolution_A, twotheta_deg }) => [
    ...pixel,
    fast,
    slow,
    photons,
    h,
    k,
    l,
    resolution_A,
    twotheta_deg,
  ]);
  return csvText(peakColumns, rows);
}

type Writer = (run: ImageRunData, packer: Packer) => Promise<Uint8Array> | Uint8Array;

const writers: Readonly<Record<string, { readonly ending: string; readonly mime: string; readonly write: Writer }>> = {
  run: { ending: '.h5', mime: 'application/x-hdf5', write: (run, packer) => packer.write(run) },
  smv: { ending: '.img', mime: 'application/octet-stream', write: (run) => imageFile(run, 'image.img') },
  tiff: { ending: '.tif', mime: 'image/tiff', write: (run) => imageFile(run, 'image.tif', 32) },
  tiff16: { ending: '-16.tif', mime: 'image/tiff', write: (run) => imageFile(run, 'image.tif', 16) },
  raw: { ending: '.bin', mime: 'application/octet-stream', write: (run) => imageFile(run, 'image.bin') },
  peaks: { ending: '-peaks.csv', mime: 'text/csv', write: (run) => text(peaksTable(run)) },
  summary: {
    ending: '-summary.json',
    mime: 'application/json',
    write: (run) => text(`${JSON.stringify(imageSummary(run), null, 2)}\n`),
  },
};

async function exportImage(run: ImageRunData, what: string, packer: Packer): Promise<ExportedFile> {
  const writer = writers[what];
  if (writer === undefined) throw new Error(`a diffraction run has no ${what}`);
  return {
    name: `${fileNameStem(run.name)}${writer.ending}`,
    mime: writer.mime,
    bytes: await writer.write(run, packer),
  };
}

const photons = new Set(['max', 'sum', 'mean']);

async function imageMeasures(run: ImageRunData): Promise<MeasuredTimes> {
  const { image, brightest, resolution_A, ...summary } = imageSummary(run);
  const { max, sum, mean, bright_pixels } = image;
  const curve = await imageField(run).curve?.();
  return {
    variant: run.variant,
    precision: run.precision,
    threads: run.threads,
    measures: [
      ...measuresOf('readouts', (name) => (photons.has(name) ? 'photons' : unitBySuffix(name)), {
        ...{ max, sum, mean, bright_pixels },
        ...{ brightest_fast: brightest.fast, brightest_slow: brightest.slow },
        ...{ brightest_h: brightest.h, brightest_k: brightest.k, brightest_l: brightest.l },
        ...{ edge_resolution_A: resolution_A.edge, corner_resolution_A: resolution_A.corner },
      }),
      ...measuresOf('times', unitBySuffix, {
        ...{ wall_s: run.wall_s, setup_s: run.setup_s, solve_s: run.solve_s, device_s: summary.device_s },
        ...{ terms: run.terms, per_term_and_core_ns: summary.ns_per_term },
      }),
      ...measuresOf('memory', unitBySuffix, {
        scratch_bytes: run.scratch_bytes,
        process_peak_bytes: run.peak_rss_bytes,
      }),
    ],
    curves: curve === undefined ? [] : [savedCurve('curve', curve)],
  };
}

function imageTimeline({ name, variant, precision, machine, spans, trace }: ImageRunData): RunTimeline {
  const { device } = machine;
  const lanes = device === null ? threadLanes(spans.threads) : [{ name: 'main thread', onDevice: false }];
  return {
    name,
    variant,
    precision,
    machine,
    parts: [{ title: null, device, lanes, spans, trace }],
    counts: 'First row',
    traffic: null,
  };
}

function requireDiffraction(reading: ScenarioReading): DiffractionReading {
  if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
  return reading;
}

const variants = (addon: NativeAddon): readonly Variant[] =>
  addon.diffractionVariants().map((variant) => toPageVariant(variant, [variant.precision]));

export const diffraction: HostWorkload = {
  scenario: diffractionScenario,
  runFile: imageRunFile,
  timeline: (run) => imageTimeline(runOf('diffraction', run)),
  userKernels: diffractionUserKernels,
  compiledAtStart: false,
  variants,
  resolve: async ({ addon, memoryLimit_bytes }, any) => {
    const reading = requireDiffraction(any);
    if (reading.problem === null) return null;
    const { plan } = addon.createDiffraction(reading.problem());
    throwIfTooLong(workOf(addon, plan));
    const { variant, estimate_bytes, width, height, oversample, sources, orientations, layers, terms } = plan;
    return {
      kind: 'diffraction',
      scenario: { ...reading.scenario },
      variant,
      variants: variants(addon).map(({ id, reason }) => ({ id, refusal: reason })),
      estimate: { total_bytes: estimate_bytes, limit_bytes: memoryLimit_bytes },
      ...{ width, height, oversample, sources, orientations, layers, terms },
      reflections: reading.reflections,
    };
  },
  needs: async (addon, reading) => {
    const { plan } = addon.createDiffraction(problemOf(requireDiffraction(reading)));
    const work = workOf(addon, plan);
    throwIfTooLong(work);
    const { variant, precision, estimate_bytes, width, height, oversample, sources, orientations, layers, terms } =
      plan;
    const image = { width, height, oversample, sources, orientations, layers, terms };
    const least_s = minSeconds(work);
    return { variant, precision, state_bytes: estimate_bytes, size: imageText(plan), sizes: { image }, least_s };
  },
  prepare: async (addon, reading, { trace }) => {
    const run = new DiffractionWorkloadRun(addon, problemOf(requireDiffraction(reading)), trace);
    throwIfTooLong(workOf(addon, run.plan));
    return run;
  },
  ended: async (any) => {
    const run = runOf('diffraction', any);
    const max = run.brightest ?? (await brightestOfImage(run.image));
    return {
      size: pixelsText(run),
      headline: { name: 'max', value: max, unit: 'photons' },
      detail: { workload: 'diffraction', done: run.done, terms_per_s: run.solve_s > 0 ? run.terms / run.solve_s : 0 },
      upTo: imageProgressText(run.done),
    };
  },
  exportFile: (run, what, packer) => exportImage(runOf('diffraction', run), what, packer),
  benchable: imageBenchable,
  compared: comparedImages,
  measures: (run) => imageMeasures(runOf('diffraction', run)),
  concurrency: () => 'runs',
  // Some claims apply only to certain image sizes.
  claimValues: (filled) => {
    if (filled.kind !== 'diffraction') return null;
    const { width, height } = filled.detector;
    return { numbers: { pixels: width * height }, words: {} };
  },
  label: (document) => {
    const wavelength = valueAt(document, ['beam', 'wavelength_A']);
    return typeof wavelength === 'number' && Number.isFinite(wavelength) ? `${wavelength} Å` : '';
  },
};
