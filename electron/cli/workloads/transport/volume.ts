/**
 * `braggbench volume`: three-dimensional dose of a beam or a field in layered matter. Also `braggbench pencils`, which
 * compares a run with a pencil-beam model.
 */
import { extname, resolve } from 'node:path';
import { type VolumeRequest, type VolumeSummary, volumeFileExtensions } from '../../../contract/beams/volume.ts';
import { PENCIL_DOSE_UNIT } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import { plainDigits, plainError } from '../../../domain/numbers.ts';
import { formatNumber, shareInDecimals } from '../../../domain/values/units.ts';
import { metaImageBytes } from '../../../host/api/workloads.ts';
import {
  flagNumber,
  flagValue,
  hasFlag,
  jsonFlag,
  type ParsedArguments,
  setFlag,
  UsageError,
} from '../../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../../output-file.ts';
import { parseOverrides, scenarioPath } from '../../read-scenario.ts';
import { withHost } from '../../subjects.ts';
import { exitCodes, type Verb } from '../../verb.ts';

function fileExtension(out: string): (typeof volumeFileExtensions)[number] {
  const ending = volumeFileExtensions.find((one) => `.${one}` === extname(out).toLowerCase());
  if (ending !== undefined) return ending;
  const allowed = volumeFileExtensions.map((one) => `.${one}`).join(', ');
  throw new UsageError(`--out: ${JSON.stringify(out)} has an unknown extension; allowed: ${allowed}`);
}

function parseRequest(parsed: ParsedArguments): VolumeRequest {
  const out = flagValue(parsed, 'out');
  const across_mm = flagNumber(parsed, 'across', { min: 0.01, max: 2000 });
  const cell_mm = flagNumber(parsed, 'cell', { min: 0.01, max: 100 });
  const protons_per_mu = flagNumber(parsed, 'protons-per-mu', { min: 1, max: 1e15 });
  if (protons_per_mu !== undefined && hasFlag(parsed, 'whole-field')) {
    throw new UsageError('--whole-field and --protons-per-mu exclude each other; give one of them');
  }
  return {
    ...(across_mm === undefined ? {} : { across_mm }),
    ...(cell_mm === undefined ? {} : { cell_mm }),
    ...(protons_per_mu === undefined ? {} : { protons_per_mu }),
    ...(hasFlag(parsed, 'whole-field') ? { whole_field: true } : {}),
    ...(out === undefined ? {} : { file: fileExtension(out) }),
  };
}

function volumeLines(volume: VolumeSummary): readonly string[] {
  const { sizes, spacing_mm, most, most_at_mm, energy, unit, spots, products_misfit } = volume;
  const share = (part: number): string => `${((100 * part) / energy.in).toFixed(2)} %`;
  const at = most_at_mm.map((place) => place.toFixed(1)).join(', ');
  return [
    `${sizes.join(' × ')} cells of ${spacing_mm.map((side) => plainDigits(side, 3)).join(' × ')} mm (x, y, depth), ${spots} ${spots === 1 ? 'spot' : 'spots'}`,
    `Largest dose ${plainDigits(most, 4)} ${unit} at x, y, depth = ${at} mm`,
    `Energy: ${share(energy.deposited)} in the cells, ${share(energy.outside)} outside of them, ${share(energy.neutral)} neutral or lost to reactions, ${share(energy.left)} left the box; ledger ${plainError(energy.rel_error)}`,
    ...(energy.products > 0
      ? [
          `Reaction products: ${share(energy.products)}; the fitted Gaussians differ from the projected dose by ${(100 * products_misfit).toFixed(1)} % of it`,
        ]
      : []),
    `Solved in ${plainDigits(volume.seconds, 2)} s.`,
  ];
}

export const volumeVerb: Verb = {
  name: 'volume',
  usage:
    'volume SCENARIO [--across MM] [--cell MM] [--protons-per-mu N] [--whole-field] [--set path=value …] [--out DOSE.mha|.nrrd|.dcm] [--json]',
  summary: 'compute the dose of a beam or a list of spots in three dimensions, in layered matter; write it for viewers',
  details: [
    'Solves each kind of spot once by moments. In every plane its dose is a sum of products of Gaussians in x and y, shifted to the position of each spot. Spots have x_mm and y_mm. Matter must be layered perpendicular to the beam.',
    'With physics.nuclear icru63, products of nuclear reactions form a halo about each spot. In files, depth is the second axis and y the third.',
  ],
  flags: [
    {
      name: 'across',
      value: 'MM',
      help: 'Side of the square perpendicular to the beam; as wide as the dose by default.',
    },
    {
      name: 'cell',
      value: 'MM',
      help: 'Side of a cell perpendicular to the beam; 2 by default. The cells along depth are the scenario’s.',
    },
    { name: 'protons-per-mu', value: 'N', help: 'Protons per monitor unit: the dose is then in Gy per MU.' },
    { name: 'whole-field', help: 'Dose of all protons of the field, in Gy, instead of per 10⁹ protons.' },
    setFlag('Change a value of the scenario, as in grid.dz_mm=1.'),
    { name: 'out', value: 'DOSE', help: 'Write the dose; .mha is MetaImage, .nrrd is NRRD, .dcm is RT Dose.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench volume water-150MeV --set beam.x_sigma_mm=4 --out dose.mha',
    'braggbench volume field.json --across 200 --cell 2 --protons-per-mu 8e7 --out dose.dcm',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const request = parseRequest(parsed);
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const [operand = ''] = parsed.operands;
      const reading = await host.scenarios.read(scenarioPath(operand), { overrides: parseOverrides(parsed) });
      const volume = await host.call('beam.volume', { document: reading.draft ?? {}, request }, signal);
      if (out !== undefined && volume.file !== null) await writeOutput(parsed, resolve(out), volume.file);
      const { file: _file, slices, ...rest } = volume;
      if (hasFlag(parsed, 'json')) {
        terminal.printJson({
          ...rest,
          slices: slices.map(({ values, ...slice }) => ({ ...slice, values: [...values] })),
        });
      } else {
        for (const line of volumeLines(volume)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return exitCodes.done;
    }),
};

/** Criteria of the gamma index that are printed. */
const criteria = [
  { dose: 0.01, distance_mm: 1 },
  { dose: 0.02, distance_mm: 2 },
  { dose: 0.03, distance_mm: 3 },
] as const;

/** Requests all cells, because no plane has more than 8192 along an axis. */
const allCells = { horizontal: null, vertical: null, pixels: [8192, 8192] as [number, number] };

export const pencilsVerb: Verb = {
  name: 'pencils',
  usage: 'pencils SCENARIO [--set path=value …] [--out GAMMA.mha] [--json]',
  summary: 'compare a sum of pencil beams with the two-dimensional solver: differences and gamma pass rates',
  details: [
    'The beam or each spot is divided into pencils as wide as a column of the grid. Each is solved by moments in the matter of its column, as pencil-beam codes do. Their sum neglects the matter of the other columns into which protons scatter.',
    'The scenario is also solved by its own variant. The gamma index of that dose at the cells of the pencils is printed for three criteria.',
  ],
  flags: [
    setFlag('Change a value of the scenario, as in grid.dz_mm=1.'),
    {
      name: 'out',
      value: 'GAMMA.mha',
      help: 'Write the map of the gamma index with 1 %/1 mm as MetaImage; cells with little dose are -1.',
    },
    forceFlag,
    jsonFlag,
  ],
  examples: ['braggbench pencils bone-edge-150MeV', 'braggbench pencils thorax.json --out gamma.mha'],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const out = flagValue(parsed, 'out');
      if (out !== undefined && extname(out).toLowerCase() !== '.mha') {
        throw new UsageError(`--out: ${JSON.stringify(out)} has an unknown extension; allowed: .mha`);
      }
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const [operand = ''] = parsed.operands;
      const path = scenarioPath(operand);
      const reading = await host.scenarios.read(path, { overrides: parseOverrides(parsed) });
      const { file, name } = host.grant(path);
      const { id: run } = await host.call('run.start', { scenario: reading.draft ?? {}, file, name });
      const stop = (): void => void host.call('run.cancel', { run });
      signal?.addEventListener('abort', stop);
      const { variant, error } = await host.runs
        .waitForEnd(run)
        .finally(() => signal?.removeEventListener('abort', stop));
      if (error !== null) throw new BraggError(error.code, error.message);
      const pencils = await host.call('dose.pencils', { run, file }, signal);
      const reference = { dose: pencils.id, unit: PENCIL_DOSE_UNIT };
      const results = [];
      for (const one of criteria) {
        results.push({
          ...one,
          ...(await host.call('dose.gamma', { run, reference, ...one, viewport: allCells }, signal)),
        });
      }
      const [first] = results;
      if (out !== undefined && first !== undefined) {
        const { horizontal, vertical, values } = first.map;
        const [dz, dx] = [
          (horizontal.to - horizontal.from) / horizontal.count,
          (vertical.to - vertical.from) / vertical.count,
        ];
        const bytes = metaImageBytes(
          {
            sizes: [horizontal.count, vertical.count],
            spacing_mm: [dz, dx],
            origin_mm: [horizontal.from + dz / 2, vertical.from + dx / 2],
            // Replace NaN, which marks cells without a value, because readers of the format reject it.
            values: Float64Array.from(values, (value) => (Number.isNaN(value) ? -1 : value)),
          },
          { content: 'gamma index 1 %/1 mm, depth and x' },
        );
        await writeOutput(parsed, resolve(out), bytes);
      }
      if (hasFlag(parsed, 'json')) {
        const { pencils: count, columns, seconds } = pencils;
        const rates = results.map(({ map: _map, ...rest }) => rest);
        terminal.printJson({ variant, pencils: count, columns, seconds, results: rates });
        return exitCodes.done;
      }
      terminal.print(
        `${pencils.pencils} ${pencils.pencils === 1 ? 'pencil' : 'pencils'} in ${pencils.columns} different ${pencils.columns === 1 ? 'column' : 'columns'} of matter, solved in ${plainDigits(pencils.seconds, 2)} s; plane solved by ${variant}`,
      );
      for (const { dose, distance_mm, passed, points, worst } of results) {
        terminal.print(
          `Gamma ${formatNumber(100 * dose)} %/${distance_mm} mm: ${shareInDecimals(passed, 2)} of ${points} cells pass, worst ${worst.toFixed(2)}`,
        );
      }
      if (out !== undefined) terminal.print(`Written: ${out}`);
      return exitCodes.done;
    }),
};
