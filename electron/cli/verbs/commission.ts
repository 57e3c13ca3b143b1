/** `braggbench commission`: determines energy and energy spread of a beam from a measured depth dose. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type BeamFit,
  depthUnits,
  formatWithError,
  MAX_CURVE_BYTES,
  scenarioWithFittedBeam,
} from '../../contract/beams/commission.ts';
import { BraggError } from '../../contract/errors.ts';
import { defaultKind, formatScenario, newDocument } from '../../contract/scenario/index.ts';
import { readTableText } from '../../host/index.ts';
import { flagValue, hasFlag, jsonFlag, type ParsedArguments, setFlag, UsageError } from '../arguments.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { parseOverrides } from '../read-scenario.ts';
import { withHost } from '../subjects.ts';
import { exitCodes, type Verb } from '../verb.ts';

const defaultScenarioText = JSON.stringify({ ...newDocument(defaultKind), solver: { stepping: 'depth' } });

function parseDepthUnit(parsed: ParsedArguments): (typeof depthUnits)[number] | null {
  const text = flagValue(parsed, 'unit');
  if (text === undefined) return null;
  const unit = depthUnits.find((one) => one === text);
  if (unit === undefined) throw new UsageError(`--unit: ${text} is not known; allowed: ${depthUnits.join(' or ')}`);
  return unit;
}

async function readCurveText(file: string): Promise<string> {
  const found = await readTableText(file, MAX_CURVE_BYTES);
  if (!found.ok) throw new BraggError('invalid', `cannot read ${file}: ${found.reason}`);
  return found.text;
}

async function residualPlot(found: BeamFit): Promise<string> {
  const { residualSvg } = await import('../reports/svg.ts');
  return residualSvg(found.points);
}

export const commissionVerb: Verb = {
  name: 'commission',
  usage:
    'commission CURVE.csv [--unit mm|cm] [--set path=value …] [--save NAME] [--out SCENARIO.json] [--svg PLOT.svg] [--json]',
  summary: 'determine energy and spread of a beam from its measured depth dose',
  details: [
    'Reads depth and dose from a CSV file, in any unit of dose. Finds the energy and the energy spread whose depth dose in water fits the peak and the falloff. The uncertainties are one standard deviation, from the residuals; they do not include effects missing from the model.',
    'The curve must be integrated across the beam, as measured by a large chamber. --save saves the beam in the library.',
  ],
  flags: [
    { name: 'unit', value: 'mm|cm', help: 'Unit of depth, if the column name does not end in one.' },
    setFlag('Change the model, as in physics.stopping_power=icru90.'),
    { name: 'save', value: 'NAME', help: 'Save the beam in the library, as a scenario with this name.' },
    { name: 'out', value: 'SCENARIO.json', help: 'Write the beam as a scenario.' },
    { name: 'svg', value: 'PLOT.svg', help: 'Draw the curve, the fit and the residuals.' },
    forceFlag,
    jsonFlag,
  ],
  examples: [
    'braggbench commission chamber.csv --set physics.stopping_power=icru90 --save "150 MeV, gantry 1"',
    'braggbench commission chamber.csv --unit cm --svg residuals.svg --json',
  ],
  operands: { min: 1, max: 1, name: 'a measured depth dose' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const [file = ''] = parsed.operands;
      const saved = flagValue(parsed, 'save');
      if (saved !== undefined && !/^[^\\/:*?"<>|]+$/.test(saved)) {
        throw new UsageError(`--save: ${saved} is not a valid file name; allowed: letters, digits, blanks, commas`);
      }
      const scenarios = [
        ...(saved === undefined ? [] : [path.join(host.files.library.folder, `${saved}.json`)]),
        ...(flagValue(parsed, 'out') === undefined ? [] : [path.resolve(flagValue(parsed, 'out') ?? '')]),
      ];
      const svg = flagValue(parsed, 'svg');
      if (saved !== undefined) await mkdir(host.files.library.folder, { recursive: true });
      for (const one of [...scenarios, ...(svg === undefined ? [] : [path.resolve(svg)])])
        await checkOutput(parsed, one);
      const measured = await readCurveText(file);
      const overrides = parseOverrides(parsed);
      const nowhere = { name: 'commission.json', folder: null };
      const { draft } = await host.scenarios.parse(defaultScenarioText, nowhere, { overrides });
      const document = draft ?? {};
      const requested = { document, file, text: measured, unit: parseDepthUnit(parsed) };
      const found = await host.call('beam.commission', requested, signal);
      const text = formatScenario(scenarioWithFittedBeam(found, document, path.basename(file)));
      for (const one of scenarios) await writeOutput(parsed, one, text);
      if (svg !== undefined) await writeOutput(parsed, path.resolve(svg), await residualPlot(found));
      if (hasFlag(parsed, 'json')) terminal.printJson({ ...found });
      else {
        terminal.print(`Energy ${formatWithError(found.energy_MeV, found.energy_error_MeV)}`);
        terminal.print(`Spread ${formatWithError(found.energy_sigma_MeV, found.sigma_error_MeV)}`);
        terminal.print(
          `Residuals ${(100 * found.residual).toFixed(2)} % of the largest dose (root mean square over the peak)`,
        );
        for (const note of found.notes) terminal.print(terminal.style('yellow', `${file}: ${note}.`));
        for (const one of [...scenarios, ...(svg === undefined ? [] : [svg])]) terminal.print(`Written: ${one}`);
      }
      return exitCodes.done;
    }),
};
