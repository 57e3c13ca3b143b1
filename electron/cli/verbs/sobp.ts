/** `braggbench sobp`: layers and weights of a spread-out Bragg peak, as a report and as a scenario. */
import { resolve } from 'node:path';
import { type Sobp, type SobpRequest, sobpSpots } from '../../contract/beams/sobp.ts';
import { defaultKind, newDocument, writeScenarioText } from '../../contract/scenario/index.ts';
import { flagValue, hasFlag, jsonFlag, type ParsedArguments, setFlag, UsageError } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { withHost } from '../open-host.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { overridesOf, scenarioPath } from '../scenario-file.ts';
import type { Verb } from '../verb.ts';

function lengthOf(parsed: ParsedArguments, name: string): number | undefined {
  const text = flagValue(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new UsageError(`--${name}: ${text} is no length; allowed: millimetres, such as 50`);
  }
  return value;
}

function requestOf(parsed: ParsedArguments): SobpRequest {
  const [range_mm, modulation_mm] = [lengthOf(parsed, 'range'), lengthOf(parsed, 'modulation')];
  if (range_mm === undefined || modulation_mm === undefined) {
    throw new UsageError('sobp needs --range and --modulation, in mm');
  }
  const [width_mm, spacing_mm] = [lengthOf(parsed, 'width'), lengthOf(parsed, 'spacing')];
  const layer_spacing_mm = lengthOf(parsed, 'layer-spacing');
  return {
    range_mm,
    modulation_mm,
    ...(width_mm === undefined ? {} : { width_mm }),
    ...(spacing_mm === undefined ? {} : { spacing_mm }),
    ...(layer_spacing_mm === undefined ? {} : { layer_spacing_mm }),
  };
}

/** The scenario with the spots in place of its beam's energy. */
function withSpots(document: Readonly<Record<string, unknown>>, sobp: Sobp): Readonly<Record<string, unknown>> {
  const { energy_MeV: _e, range_mm: _r, spots: _s, ...beam } = (document['beam'] ?? {}) as Record<string, unknown>;
  return { ...document, beam: { ...beam, spots: sobpSpots(sobp) } };
}

const BAR = 40;

function linesOf({ layers, places_mm, plateau, firstFlatness, seconds }: Sobp): readonly string[] {
  const number = (value: number, digits = 2): string => value.toFixed(digits);
  const most = Math.max(...layers.map(({ weight }) => weight));
  const percent = (share: number): string => `±${(100 * share).toFixed(2)} %`;
  return [
    `R90 ${number(plateau.r90_mm)} mm, R80 ${number(plateau.r80_mm)} mm, M95 ${number(plateau.m95_mm)} mm`,
    `Flatness ${percent(plateau.flatness)} (${percent(firstFlatness)} by Jette and Chen), distal 80–20 % ${number(plateau.falloff_mm)} mm`,
    `${layers.length} layers at ${places_mm.length === 1 ? 'one place' : `${places_mm.length} places`}`,
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
    'sobp [SCENARIO] --range MM --modulation MM [--width MM] [--spacing MM] [--layer-spacing MM] [--set path=value …] [--out SCENARIO.json] [--json]',
  summary: 'build a spread-out Bragg peak: layers, weights, flatness; write it as a scenario',
  details: [
    'Finds energies and weights that make the dose flat, by non-negative least squares on depth doses in water that are solved for it. Prints what one run of all layers together gives. The range is the depth where the dose has fallen to 90 %, the modulation the way between the depths at 95 %.',
    "Spread and width of the beam, and the physics, are the scenario's; without one, the program's.",
  ],
  flags: [
    { name: 'range', value: 'MM', help: 'Depth in water behind the plateau at 90 % of its dose.' },
    { name: 'modulation', value: 'MM', help: 'Length of the plateau, between its depths at 95 %.' },
    { name: 'width', value: 'MM', help: 'Width of the field between its points at 50 %; 0, one place, by default.' },
    { name: 'spacing', value: 'MM', help: 'Between spots across; the beam’s x_sigma_mm by default.' },
    {
      name: 'layer-spacing',
      value: 'MM',
      help: 'Between the ranges of neighbouring layers; 1.5 standard deviations of their range by default.',
    },
    setFlag('Change a value of the scenario, as in beam.x_sigma_mm=4.'),
    { name: 'out', value: 'SCENARIO.json', help: 'Write the scenario with the spots.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench sobp --range 150 --modulation 50',
    'braggbench sobp mine.json --range 150 --modulation 50 --width 40 --set beam.x_sigma_mm=4 --out field.json',
  ],
  operands: { min: 0, max: 1, name: 'a scenario' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const request = requestOf(parsed);
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const [operand] = parsed.operands;
      const plain = JSON.stringify({ ...newDocument(defaultKind), solver: { stepping: 'depth' } });
      const overrides = overridesOf(parsed);
      const reading =
        operand === undefined
          ? await host.scenarios.parse(plain, { name: 'sobp.json', folder: null }, { overrides })
          : await host.scenarios.read(scenarioPath(operand), { overrides });
      const document = reading.draft ?? {};
      const sobp = await host.call('beam.sobp', { document, request }, signal);
      if (out !== undefined) await writeOutput(parsed, resolve(out), writeScenarioText(withSpots(document, sobp)));
      if (hasFlag(parsed, 'json')) terminal.printJson({ ...sobp });
      else {
        for (const line of linesOf(sobp)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return exitCodes.done;
    }),
};
