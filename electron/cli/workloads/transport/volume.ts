/** `braggbench volume`: three-dimensional dose of a beam or a field in layered matter. */
import { extname, resolve } from 'node:path';
import { type VolumeAnswer, type VolumeRequest, volumeEndings } from '../../../contract/beams/volume.ts';
import { plainDigits, plainError } from '../../../domain/numbers.ts';
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
import { overridesOf, scenarioPath } from '../../read-scenario.ts';
import { withHost } from '../../subjects.ts';
import { exitCodes, type Verb } from '../../verb.ts';

function endingOf(out: string): (typeof volumeEndings)[number] {
  const ending = volumeEndings.find((one) => `.${one}` === extname(out).toLowerCase());
  if (ending !== undefined) return ending;
  const allowed = volumeEndings.map((one) => `.${one}`).join(', ');
  throw new UsageError(`--out: ${JSON.stringify(out)} has an unknown extension; allowed: ${allowed}`);
}

function requestOf(parsed: ParsedArguments): VolumeRequest {
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
    ...(out === undefined ? {} : { file: endingOf(out) }),
  };
}

function linesOf(volume: VolumeAnswer): readonly string[] {
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
      const request = requestOf(parsed);
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const [operand = ''] = parsed.operands;
      const reading = await host.scenarios.read(scenarioPath(operand), { overrides: overridesOf(parsed) });
      const volume = await host.call('beam.volume', { document: reading.draft ?? {}, request }, signal);
      if (out !== undefined && volume.file !== null) await writeOutput(parsed, resolve(out), volume.file);
      const { file: _file, slices, ...rest } = volume;
      if (hasFlag(parsed, 'json')) {
        terminal.printJson({
          ...rest,
          slices: slices.map(({ values, ...slice }) => ({ ...slice, values: [...values] })),
        });
      } else {
        for (const line of linesOf(volume)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return exitCodes.done;
    }),
};
