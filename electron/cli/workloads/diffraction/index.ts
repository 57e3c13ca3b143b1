/**
 * Command-line part of X-ray diffraction. Includes `braggbench refine`, which fits the misset and cell of a crystal to
 * a measured image.
 */
import { basename, dirname, extname, join, resolve } from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { ImageSummary } from '../../../contract/image.ts';
import {
  MAX_ITERATIONS,
  refineParameterGroups,
  withFittedValues,
} from '../../../contract/scenario/diffraction/refining.ts';
import { formatScenario } from '../../../contract/scenario/index.ts';
import { measuredTime } from '../../../domain/measured.ts';
import { compactCount, plainDigits, plainError, shortNumberText } from '../../../domain/numbers.ts';
import { countText } from '../../../domain/values/units.ts';
import { problemOf } from '../../../host/api/scenarios.ts';
import {
  headerMismatches,
  imageSummary,
  imageText,
  type MaskedImage,
  maskedImageOf,
  type RefinementResult,
  readImage,
  readNexusImage,
  readRunOrNexus,
  refineCrystal,
} from '../../../host/api/workloads.ts';
import { readRegularFile, readUserFile } from '../../../host/index.ts';
import { flagOneOf, flagValue, hasFlag, jsonFlag, type ParsedArguments, setFlag, UsageError } from '../../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../../output-file.ts';
import { adaptByName, readAnyRunFile, readScenario } from '../../read-scenario.ts';
import { withHost } from '../../subjects.ts';
import { formatPairs, formatTable } from '../../table.ts';
import { exitCodes, type Verb } from '../../verb.ts';
import { createRun, type RunTexts, variantList, type Workload } from '../workload.ts';

/** Styles text for the terminal. */
type Style = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

const angstrom = (value: number | null): string => (value !== null ? `${plainDigits(value, 4)} Å` : 'straight ahead');

function imageReport(summary: ImageSummary, file: string | null, style: Style): readonly string[] {
  const { image, brightest, resolution_A: resolution, status, done } = summary;
  const word =
    status === 'done'
      ? style('green', 'done')
      : style('yellow', `interrupted, ${Math.floor(100 * done)} % of the image`);
  const perTerm = summary.ns_per_term === null ? '' : `, ${plainDigits(summary.ns_per_term, 3)} ns per term`;
  const onDevice = summary.device_s === null ? '' : `, ${measuredTime(summary.device_s)} of it on the GPU`;
  const rate = summary.device_s === null && perTerm !== '' ? `${perTerm} and core` : `${onDevice}${perTerm}`;
  const { h, k, l, fast, slow } = brightest;
  const indices = [h, k, l].map((index) => index.toFixed(2)).join(' ');
  return [
    style('bold', summary.scenario),
    `${summary.variant}, ${summary.precision}, ${countText(summary.threads, 'thread')}, ${summary.isa}; ${imageText(image)}`,
    `${word}: ${compactCount(summary.terms)} lattice terms in ${measuredTime(summary.wall_s)} (set-up ${measuredTime(summary.setup_s)}, render ${measuredTime(summary.solve_s)}${rate})`,
    '',
    ...formatPairs([
      ['Brightest', `${plainDigits(image.max, 9)} photons at fast ${fast}, slow ${slow}`],
      ['', `h k l ${indices}, ${angstrom(brightest.resolution_A)}`],
      ['Sum', `${plainDigits(image.sum, 12)} photons`],
      ['Mean', `${plainDigits(image.mean, 6)} photons per pixel`],
      ['Above 1e-3', `${countText(image.bright_pixels, 'pixel')} of the brightest's`],
      ['Resolution', `${angstrom(resolution.edge)} at the edge, ${angstrom(resolution.corner)} in the corner`],
    ]),
    ...(file === null ? [] : ['', `Saved as ${file}`]),
  ];
}

const diffractionRunTexts: RunTexts<'diffraction'> = {
  workload: 'diffraction',
  words: ({ terms_per_s }) => [`${compactCount(terms_per_s)} terms/s`],
  describeRun: (run) => {
    const summary = imageSummary(run);
    const lines = (file: string | null, style: Parameters<typeof imageReport>[2]) => imageReport(summary, file, style);
    return { document: summary, lines, status: summary.status, error: null };
  },
};

/** Formats the error limit that a variant's tests check. */
const errorText = (bright: number): string => (bright >= 1 ? 'wrong' : bright === 0 ? '–' : `≤ ${plainError(bright)}`);

export const diffraction: Workload = {
  adapt: adaptByName,
  run: createRun(diffractionRunTexts),
  usual: (addon) => addon.diffractionVariants(),
  variants: (addon) =>
    variantList(addon.diffractionVariants(), [
      { title: 'Precision', text: ({ precision }) => precision },
      { title: 'Bright error', align: 'right', text: ({ brightError }) => errorText(brightError) },
      { title: 'FLOP', align: 'right', text: ({ flopsPerTerm }) => shortNumberText(flopsPerTerm, 3) },
    ]),
  compare: null,
};

function parseImageSize(parsed: ParsedArguments): readonly [number, number] | null {
  const text = flagValue(parsed, 'size');
  if (text === undefined) return null;
  const [, width, height] = /^(\d{1,6})x(\d{1,6})$/.exec(text) ?? [];
  if (width === undefined || height === undefined)
    throw new UsageError(`--size: ${text} is not an image size; allowed: WIDTHxHEIGHT, such as 1024x768`);
  return [Number(width), Number(height)];
}

async function readMeasuredImage(file: string, size: readonly [number, number] | null): Promise<MaskedImage> {
  if (['.h5', '.hdf5'].includes(extname(file).toLowerCase())) {
    const found = await readRunOrNexus(
      () => readAnyRunFile(file),
      async () => {
        const readLinked = (name: string) => readRegularFile(join(dirname(file), name)).catch(() => null);
        return readNexusImage(await readUserFile(file, 'an image'), basename(file), readLinked);
      },
    );
    if ('image' in found) return found.image;
    const { run } = found;
    if (run.workload !== 'diffraction')
      throw new BraggError('unsupported', `${file} is a run of ${run.workload}, not an image`);
    const { width, height, image } = run;
    return maskedImageOf({ width, height, image });
  }
  const bytes = await readUserFile(file, 'an image');
  return readImage(bytes, basename(file), size);
}

function refinementLines(refined: RefinementResult, { width, height, excluded }: MaskedImage): readonly string[] {
  const { unknowns, iterations, converged, images, pixels, scale, background, correlation, iteration_s } = refined;
  const rows = unknowns.map(({ title, unit, start, value, sigma }) => [
    title,
    `${start.toFixed(4)} ${unit}`,
    `${value.toFixed(4)} ${unit}`,
    sigma === null ? '–' : plainDigits(sigma, 2),
  ]);
  const out = excluded.length - pixels;
  return [
    `Image        ${width} × ${height} pixels${out === 0 ? '' : `, ${out} ignored: saturated, or without a count`}`,
    `Fit          ${converged ? 'converged' : 'not converged'} after ${iterations} iterations of ${images} images, ${plainDigits(iteration_s, 2)} s each`,
    `Correlation  ${correlation.start.toFixed(6)} before, ${correlation.end.toFixed(6)} after`,
    `Scale        ${plainDigits(scale, 4)} counts per photon, background ${plainDigits(background, 4)} counts`,
    ...formatTable(
      [
        { title: '' },
        { title: 'Start', align: 'right' },
        { title: 'Fitted', align: 'right' },
        { title: '±', align: 'right' },
      ],
      rows,
      {},
    ),
  ];
}

export const refineVerb: Verb = {
  name: 'refine',
  usage:
    'refine SCENARIO IMAGE [--fit both|misset|cell] [--size WxH] [--variant ID] [--set path=value …] [--out SCENARIO.json] [--json]',
  summary: 'fit the misset and cell of a crystal to a measured image',
  details: [
    'Starts from the crystal in the scenario, and changes its orientation and cell until its image matches the file, by Gauss–Newton least squares. Scale and background of the counts are fitted too. Saturated, negative and NaN pixels are ignored. The starting crystal must already be close: the spots of both must overlap.',
    'Reads SMV (.img), uncompressed TIFF and BigTIFF, CBF with byte offsets, raw 32-bit floats (.bin, with --size), and runs (.h5). Prints the fitted values with standard deviations from the residuals, and writes the scenario with them.',
  ],
  flags: [
    { name: 'fit', value: 'WHAT', help: 'What to fit: both (the default), misset, cell.' },
    { name: 'size', value: 'WxH', help: 'Size of a raw image in pixels, fast × slow axis.' },
    { name: 'variant', value: 'ID', help: 'Variant that computes the images; see braggbench variants.' },
    setFlag('Change a value of the scenario, as in crystal.misset.x_deg=12.'),
    { name: 'out', value: 'SCENARIO.json', help: 'Write the scenario with the fitted crystal.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench refine crystal.json frame_0001.cbf --out refined.json',
    'braggbench refine crystal.json frame.img --fit misset --json',
  ],
  operands: { min: 2, max: 2, name: 'a scenario and an image' },
  run: (context) =>
    withHost(async (host) => {
      const { parsed, terminal, signal } = context;
      const fit = refineParameterGroups[flagOneOf(parsed, 'fit', ['both', 'misset', 'cell'])];
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const reading = await readScenario(context, host, () => adaptByName);
      if (reading.kind !== 'diffraction')
        throw new UsageError(`refine needs a crystal; this is a scenario of kind ${reading.kind}`);
      const measured = await readMeasuredImage(parsed.operands[1] ?? '', parseImageSize(parsed));
      const differences = reading.scenario === null ? [] : headerMismatches(measured.header, reading.scenario);
      for (const text of [...(measured.notes ?? []), ...differences]) {
        terminal.printNote(`${terminal.styleNote('yellow', 'warning')} ${text}`);
      }
      const refined = await refineCrystal(host.addon, problemOf(reading), measured, {
        fit,
        iterations: MAX_ITERATIONS,
        signal,
      });
      if (out !== undefined) {
        await writeOutput(
          parsed,
          resolve(out),
          formatScenario(withFittedValues({ ...reading.draft }, refined.unknowns)),
        );
      }
      const { image: _image, ...printed } = refined;
      if (hasFlag(parsed, 'json')) terminal.printJson(printed);
      else {
        for (const line of refinementLines(refined, measured)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return refined.converged ? exitCodes.done : exitCodes.failed;
    }),
};
