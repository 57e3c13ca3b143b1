/**
 * `braggbench gamma`: gamma index of one dose relative to another. Each dose is a run or a file of another program.
 */
import path from 'node:path';
import { depthUnits } from '../../contract/beams/commission.ts';
import { type GammaQuantity, gammaLimits, gammaQuantitySchema } from '../../contract/dose.ts';
import { BraggError } from '../../contract/errors.ts';
import { type GammaCriteria, gammaOfCurves, scaleToPeak } from '../../domain/dose/gamma-curve.ts';
import { shareInDecimals } from '../../domain/values/units.ts';
import {
  depthDoseOf,
  gammaIndex,
  gammaMap,
  type ImportedDose,
  measuredRunOf,
  normalizeToPeak,
  type RunData,
  readDoseFile,
  supportedGammaQuantity,
  transportRunOf,
  type VolumeAxis,
  type VolumePlane,
} from '../../host/api/workloads.ts';
import { flagValue, hasFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { readAnyRunFile } from '../read-scenario.ts';
import { formatTable } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';

type RunDose = Readonly<{ file: string; kind: 'run'; run: RunData }>;
type Dose = RunDose | ({ readonly file: string } & ImportedDose);

const defaultCriteria = ['1%/1mm', '2%/2mm', '3%/3mm'];

function parseCriterion(text: string): Pick<GammaCriteria, 'dose' | 'distance_mm'> {
  const match = /^\s*([\d.]+)\s*%\s*\/\s*([\d.]+)\s*mm\s*$/.exec(text);
  const [dose, distance_mm] = [Number(match?.[1]) / 100, Number(match?.[2])];
  const within = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high;
  if (within(dose, gammaLimits.dose) && within(distance_mm, gammaLimits.distance_mm)) return { dose, distance_mm };
  throw new UsageError(
    `--criteria ${JSON.stringify(text)} is not allowed; allowed: a form such as 2%/1mm, ${100 * gammaLimits.dose[0]} to ${100 * gammaLimits.dose[1]} % and ${gammaLimits.distance_mm.join(' to ')} mm`,
  );
}

function choiceFlag<T extends string>(parsed: ParsedArguments, name: string, allowed: readonly T[]): T | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--${name} is ${JSON.stringify(text)}; allowed: ${allowed.join(', ')}`);
  return found;
}

function parseNumber(parsed: ParsedArguments, name: string, low: number, high: number): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high)) {
    throw new UsageError(`--${name} is ${JSON.stringify(text)}; allowed: ${low} to ${high}`);
  }
  return value;
}

const axes: readonly VolumeAxis[] = ['x', 'y', 'z'];

function toPlane(parsed: ParsedArguments): VolumePlane {
  const [depth, across] = [choiceFlag(parsed, 'depth', axes), choiceFlag(parsed, 'across', axes)];
  const [z, x] = [parseNumber(parsed, 'shift-depth', -1e5, 1e5), parseNumber(parsed, 'shift-across', -1e5, 1e5)];
  return {
    ...(depth !== undefined && { depth }),
    ...(across !== undefined && { across }),
    ...(z !== undefined && { shift_depth_mm: z }),
    ...(x !== undefined && { shift_across_mm: x }),
  };
}

// Whether the file name is that of a run. Other files are recognised by content, because DICOM files often have no
// extension.
const isRunFile = (file: string): boolean => ['.h5', '.hdf5'].includes(path.extname(file).toLowerCase());

async function readRun(file: string): Promise<RunDose> {
  return { file, kind: 'run', run: transportRunOf(await readAnyRunFile(file)) };
}

/** Reads both doses. If a file is compared with a run in absolute terms, its dose is converted to the run's units. */
async function readDoses(files: readonly string[], parsed: ParsedArguments): Promise<readonly Dose[]> {
  const [plane, depth] = [toPlane(parsed), choiceFlag(parsed, 'unit', depthUnits) ?? null];
  const unit = flagValue(parsed, 'dose-unit') ?? null;
  const runs = await Promise.all(files.filter(isRunFile).map(readRun));
  const run = runs.length === 1 && hasFlag(parsed, 'absolute') ? runs[0]?.run : undefined;
  if (unit !== null && run === undefined) {
    throw new UsageError('--dose-unit is for a file that --absolute compares with a run; omit it otherwise');
  }
  const absolute = run === undefined ? null : { unit, protons: run.beam.weight };
  const read = async (file: string): Promise<Dose> =>
    runs.find((one) => one.file === file) ?? { file, ...(await readDoseFile(file, plane, depth, absolute)) };
  return Promise.all(files.map(read));
}

/** Quantity to compare: that of a file with an absolute unit, otherwise the requested one if all runs support it. */
function selectQuantity(parsed: ParsedArguments, doses: readonly Dose[]): GammaQuantity {
  const requested = choiceFlag(parsed, 'by', gammaQuantitySchema.options);
  const runs = doses.flatMap((dose) => (dose.kind === 'run' ? [dose.run] : []));
  for (const dose of doses) {
    if (dose.kind === 'run' || dose.by === null) continue;
    if (requested !== undefined && requested !== dose.by) {
      throw new UsageError(
        `--by is ${requested}, but ${dose.file} contains energy per ${dose.by}; allowed: ${dose.by}`,
      );
    }
    if (supportedGammaQuantity(dose.by, runs) === dose.by) return dose.by;
    throw new BraggError(
      'unsupported',
      `${dose.file} contains energy per mass, but the run was stored without densities. Omit --absolute.`,
    );
  }
  return supportedGammaQuantity(requested ?? 'mass', runs);
}

function toCurve(dose: Dose, by: GammaQuantity) {
  if (dose.kind === 'curve') return dose.curve;
  if (dose.kind === 'map') {
    throw new BraggError(
      'unsupported',
      `${dose.file} is a map, but the other file is a curve; allowed: two maps, two curves, or a run.`,
    );
  }
  const { curve, perMass } = depthDoseOf(measuredRunOf(dose.run));
  return by === 'mass' && perMass !== null ? perMass : curve;
}

function toMap(dose: Dose, by: GammaQuantity) {
  if (dose.kind === 'map') return dose.map;
  if (dose.kind === 'run') return gammaMap(dose.run, by);
  throw new BraggError('unsupported', `${dose.file} is a curve.`);
}

export const gammaVerb: Verb = {
  name: 'gamma',
  usage: 'gamma EVALUATED REFERENCE [--criteria P%/Dmm]… [--curve] [--local] [--threshold P] [--absolute] [--json]',
  summary: 'gamma index of one dose against another: pass rates and distribution of gamma',
  details: [
    'Each of the two is a run (.h5), a CSV file or a volume. A CSV file has a depth dose or a map. A volume is MetaImage (.mha, .mhd) or NRRD (.nrrd). A volume is summed over the axis that is neither depth nor lateral. Positions are those in the files; a run begins at depth 0 and has x = 0 in its middle.',
    'If one is a depth dose, both are compared as depth doses. Doses in files can have any unit, so both are scaled to their largest value unless --absolute is given; two runs are not scaled. With --absolute a file compared with a run needs a unit.',
  ],
  flags: [
    {
      name: 'criteria',
      value: 'P%/Dmm',
      repeats: true,
      help: 'Such as 2%/1mm. May be repeated; 1 %/1 mm, 2 %/2 mm and 3 %/3 mm by default.',
    },
    { name: 'curve', help: 'Compare depth doses, also of two runs.' },
    { name: 'local', help: 'The dose criterion is a percentage of the dose at each point, not of the largest dose.' },
    {
      name: 'threshold',
      value: 'P',
      help: 'Points below this percentage of the largest dose are ignored; 10 by default.',
    },
    {
      name: 'by',
      value: 'mass|area',
      help: 'For runs: dose, which is energy per mass, or energy per area; mass by default.',
    },
    {
      name: 'absolute',
      help: "Do not scale doses in files to their largest value. Doses compared with a run are converted to the run's units.",
    },
    {
      name: 'dose-unit',
      value: 'UNIT',
      help: 'With --absolute: unit of doses in a file that does not state it, such as MeV/mm or Gy/1e9.',
    },
    { name: 'depth', value: 'x|y|z', help: 'Axis of a volume that is depth; the last one by default.' },
    { name: 'across', value: 'x|y|z', help: 'Axis of a volume that is the lateral position; x by default.' },
    { name: 'shift-depth', value: 'MM', help: 'Added to the depths of a volume or a map.' },
    { name: 'shift-across', value: 'MM', help: 'Added to the lateral positions of a volume or a map.' },
    { name: 'unit', value: 'mm|cm', help: 'Unit of depth in a CSV file that does not give one.' },
    { name: 'json', help: 'Print one JSON document instead of text, with the histogram in steps of 0.1.' },
  ],
  examples: [
    'braggbench gamma mine.h5 reference.h5 --criteria 1%/1mm',
    'braggbench gamma mine.h5 measured.csv --criteria 2%/1mm --local',
    'braggbench gamma mine.h5 plan.mha --depth y --shift-depth 120',
  ],
  operands: { min: 2, max: 2, name: 'the evaluated dose and the reference' },
  run: async ({ parsed, terminal }) => {
    const texts = parsed.flags.get('criteria') ?? defaultCriteria;
    const threshold = (parseNumber(parsed, 'threshold', 0, 90) ?? 10) / 100;
    const criteria = texts.map((text) => ({ ...parseCriterion(text), local: hasFlag(parsed, 'local'), threshold }));
    const both = await readDoses(parsed.operands, parsed);
    const [evaluated, reference] = both;
    if (evaluated === undefined || reference === undefined) throw new Error('two doses to compare');
    const by = selectQuantity(parsed, both);
    const asCurves = hasFlag(parsed, 'curve') || both.some(({ kind }) => kind === 'curve');
    const units = both.flatMap((dose) => (dose.kind === 'run' || dose.unit === null ? [] : [dose.unit]));
    if (new Set(units).size > 1 && hasFlag(parsed, 'absolute')) {
      throw new BraggError(
        'unsupported',
        `--absolute: the files are in ${units.join(' and ')}; both must have the same unit.`,
      );
    }
    const toPeaks = both.some(({ kind }) => kind !== 'run') && !hasFlag(parsed, 'absolute');
    const results = criteria.map((one) => {
      if (asCurves) {
        const [here, wanted] = [toCurve(evaluated, by), toCurve(reference, by)];
        const { passed, points, worst, histogram } = toPeaks
          ? gammaOfCurves(scaleToPeak(wanted), scaleToPeak(here), one)
          : gammaOfCurves(wanted, here, one);
        return { ...one, passed, points, worst, histogram };
      }
      const [here, wanted] = [toMap(evaluated, by), toMap(reference, by)];
      return toPeaks ? gammaIndex(normalizeToPeak(wanted), normalizeToPeak(here), one) : gammaIndex(wanted, here, one);
    });
    const how = {
      of: asCurves ? 'depth dose' : 'map',
      by,
      scaled: toPeaks,
      local: hasFlag(parsed, 'local'),
      threshold,
    };
    const notes = both.flatMap((dose) =>
      dose.kind === 'map' || dose.kind === 'curve' ? (dose.notes ?? []).map((note) => `${dose.file}: ${note}.`) : [],
    );
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({ evaluated: evaluated.file, reference: reference.file, ...how, results, notes });
      return exitCodes.done;
    }
    const columns = ['Criteria', 'Pass', 'Points', 'Worst', 'γ ≤ 0.5', '≤ 1', '≤ 1.5', '≤ 2', '> 2'].map(
      (title, i) => ({ title, align: i === 0 ? 'left' : 'right' }) as const,
    );
    const rows = results.map(({ dose, distance_mm, passed, points, worst, histogram }) => {
      const share = (from: number, to: number): string => {
        const count = histogram.slice(from, to).reduce((a, b) => a + b, 0);
        return points === 0 ? '–' : shareInDecimals(count / points, 1);
      };
      const name = `${Number((100 * dose).toPrecision(6))} %/${distance_mm} mm`;
      return [
        name,
        shareInDecimals(passed, 2),
        String(points),
        worst.toFixed(2),
        ...[share(0, 5), share(5, 10), share(10, 15), share(15, 20), share(20, 31)],
      ];
    });
    for (const line of formatTable(columns, rows, { styleTitle: (title) => terminal.style('bold', title) }))
      terminal.print(line);
    const words = [
      `γ of the ${how.of}${both.some(({ kind }) => kind === 'run') ? `, by ${by}` : ''}`,
      how.local ? 'local' : 'global',
      `points above ${100 * threshold} % of the largest dose`,
      toPeaks ? 'both scaled to their largest value' : 'not scaled',
    ];
    terminal.print(terminal.style('dim', words.join('; ')));
    for (const note of notes) terminal.print(terminal.style('yellow', note));
    return exitCodes.done;
  },
};
