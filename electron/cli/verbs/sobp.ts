/**
 * `braggbench sobp`: plans a spread-out Bragg peak and writes its layers and weights, as a report and as a scenario.
 */
import { resolve } from 'node:path';
import {
  parseEnergies,
  rangeDeviationText,
  type Sobp,
  type SobpRequest,
  spotsOfSobp,
  weightKinds,
} from '../../contract/beams/sobp.ts';
import { BraggError } from '../../contract/errors.ts';
import { defaultKind, formatScenario, newDocument } from '../../contract/scenario/index.ts';
import { readTableText } from '../../host/index.ts';
import { flagValue, hasFlag, jsonFlag, type ParsedArguments, setFlag, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { parseOverrides, scenarioPath } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { exitCodes, type Verb } from '../verb.ts';

function parseLength(parsed: ParsedArguments, name: string): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = 'mm'] = /^\s*([\d.]+(?:e[+-]?\d+)?)\s*(mm|cm)?\s*$/i.exec(text) ?? [];
  const value = Number(digits);
  if (digits === '' || !Number.isFinite(value)) {
    throw new UsageError(`--${name}: ${text} is not a length; allowed: millimetres, such as 50, or 5cm`);
  }
  return unit.toLowerCase() === 'cm' ? 10 * value : value;
}

const MAX_LIST_BYTES = 64 * 1024;

/** Energies that the machine can deliver, from a list or from a file. */
async function parseEnergiesFlag(parsed: ParsedArguments): Promise<readonly number[] | undefined> {
  const value = flagValue(parsed, 'energies');
  if (value === undefined) return undefined;
  const isList = /^[\d.,;\s]+$/.test(value);
  const found = isList ? { ok: true as const, text: value } : await readTableText(resolve(value), MAX_LIST_BYTES);
  if (!found.ok)
    throw new BraggError(
      'invalid',
      `--energies: ${value} cannot be read: ${found.reason}; allowed: a file, or energies in MeV such as 70,75,80`,
    );
  const read = parseEnergies(found.text);
  if (read.ok) return read.energies_MeV;
  throw new UsageError(`--energies: ${isList ? '' : `${value}, `}${read.reason}`);
}

function parseWeights(parsed: ParsedArguments): SobpRequest['weights'] {
  const text = flagValue(parsed, 'weights');
  const kind = weightKinds.find((one) => one === text);
  if (text !== undefined && kind === undefined) {
    throw new UsageError(`--weights: ${text} is not known; allowed: ${weightKinds.join(', ')}`);
  }
  return kind;
}

async function parseRequest(parsed: ParsedArguments): Promise<SobpRequest> {
  const [range_mm, modulation_mm] = [parseLength(parsed, 'range'), parseLength(parsed, 'modulation')];
  if (range_mm === undefined || modulation_mm === undefined) {
    throw new UsageError('sobp needs --range and --modulation, in mm');
  }
  const [width_mm, spacing_mm] = [parseLength(parsed, 'width'), parseLength(parsed, 'spacing')];
  const layer_spacing_mm = parseLength(parsed, 'layer-spacing');
  if (layer_spacing_mm !== undefined && flagValue(parsed, 'energies') !== undefined) {
    throw new UsageError(
      '--layer-spacing and --energies exclude each other, because either determines the layers; give one of the two',
    );
  }
  const energies_MeV = await parseEnergiesFlag(parsed);
  const weights = parseWeights(parsed);
  return {
    range_mm,
    modulation_mm,
    ...(energies_MeV === undefined ? {} : { energies_MeV: [...energies_MeV] }),
    ...(weights === undefined ? {} : { weights }),
    ...(width_mm === undefined ? {} : { width_mm }),
    ...(spacing_mm === undefined ? {} : { spacing_mm }),
    ...(layer_spacing_mm === undefined ? {} : { layer_spacing_mm }),
  };
}

/** Replaces the energy of the scenario's beam by the planned spots. */
function withSpots(document: Readonly<Record<string, unknown>>, sobp: Sobp): Readonly<Record<string, unknown>> {
  const { energy_MeV: _e, range_mm: _r, spots: _s, ...beam } = (document['beam'] ?? {}) as Record<string, unknown>;
  return { ...document, beam: { ...beam, spots: spotsOfSobp(sobp) } };
}

const BAR = 40;

function reportLines(sobp: Sobp, request: SobpRequest): readonly string[] {
  const { layers, places_mm, plateau, firstFlatness, seconds } = sobp;
  const off = rangeDeviationText(sobp, request);
  const number = (value: number, digits = 2): string => value.toFixed(digits);
  const most = Math.max(...layers.map(({ weight }) => weight));
  const percent = (share: number): string => `±${(100 * share).toFixed(2)} %`;
  return [
    `R90 ${number(plateau.r90_mm)} mm, R80 ${number(plateau.r80_mm)} mm, M95 ${number(plateau.m95_mm)} mm`,
    `Flatness ${percent(plateau.flatness)} (${percent(firstFlatness)} by Jette and Chen), distal 80–20 % ${number(plateau.falloff_mm)} mm`,
    ...(off === null ? [] : [off]),
    `${layers.length} ${layers.length === 1 ? 'layer' : 'layers'} at ${places_mm.length === 1 ? 'one position' : `${places_mm.length} positions`}`,
    ...layers.map(
      ({ energy_MeV, weight }) =>
        `${energy_MeV.toFixed(2).padStart(8)} MeV  ${weight.toFixed(5)}  ${'█'.repeat(Math.round((BAR * weight) / most))}`,
    ),
    `Built in ${number(seconds, 1)} s.`,
  ];
}

export const sobpVerb: Verb = {
  name: 'sobp',
  usage:
    'sobp [SCENARIO] --range MM --modulation MM [--width MM] [--spacing MM] [--layer-spacing MM | --energies FILE|LIST] [--weights KIND] [--set path=value …] [--out SCENARIO.json] [--json]',
  summary: 'build a spread-out Bragg peak: layers, weights, flatness; write it as a scenario',
  details: [
    'Finds energies and weights that make the dose flat, by non-negative least squares on computed depth doses in water. Prints the results of one run with all layers. The range is the depth where the dose has fallen to 90 %, the modulation is the distance between the depths at 95 %.',
    "Energy spread and width of the beam, and the physics, are taken from the scenario, or are the program's defaults.",
  ],
  flags: [
    { name: 'range', value: 'MM', help: 'Depth in water beyond the plateau where the dose has fallen to 90 %.' },
    { name: 'modulation', value: 'MM', help: 'Length of the plateau, between its depths at 95 %.' },
    {
      name: 'width',
      value: 'MM',
      help: 'Width of the field between its points at 50 %; by default 0, a single position.',
    },
    { name: 'spacing', value: 'MM', help: 'Distance between spots across the beam; the beam’s x_sigma_mm by default.' },
    {
      name: 'layer-spacing',
      value: 'MM',
      help: 'Difference between the ranges of neighbouring layers; 1.5 standard deviations of their range by default.',
    },
    {
      name: 'energies',
      value: 'FILE|LIST',
      help: 'Available energies of the machine in MeV: a list such as 70,72.5,75, or a text file. Layers use only these energies; the deepest layer has the one whose range is nearest to the target.',
    },
    {
      name: 'weights',
      value: 'KIND',
      help: 'flattest (default); smooth: small second differences; or monotone: weight per mm of range decreases from layer to layer.',
    },
    setFlag('Change a value of the scenario, as in beam.x_sigma_mm=4.'),
    { name: 'out', value: 'SCENARIO.json', help: 'Write the scenario with the spots.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench sobp --range 150 --modulation 50',
    'braggbench sobp --range 150 --modulation 50 --energies machine.txt --weights smooth',
    'braggbench sobp mine.json --range 150 --modulation 50 --width 40 --set beam.x_sigma_mm=4 --out field.json',
  ],
  operands: { min: 0, max: 1, name: 'a scenario' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const request = await parseRequest(parsed);
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const [operand] = parsed.operands;
      const plain = JSON.stringify({ ...newDocument(defaultKind), solver: { stepping: 'depth' } });
      const overrides = parseOverrides(parsed);
      const reading =
        operand === undefined
          ? await host.scenarios.parse(plain, { name: 'sobp.json', folder: null }, { overrides })
          : await host.scenarios.read(scenarioPath(operand), { overrides });
      const document = reading.draft ?? {};
      const sobp = await host.call('beam.sobp', { document, request }, signal);
      if (out !== undefined) await writeOutput(parsed, resolve(out), formatScenario(withSpots(document, sobp)));
      if (hasFlag(parsed, 'json')) terminal.printJson({ ...sobp });
      else {
        for (const line of reportLines(sobp, request)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return exitCodes.done;
    }),
};
