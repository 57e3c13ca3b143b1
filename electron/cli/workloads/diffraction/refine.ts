/** `braggbench refine`: the misset and cell of a crystal, fitted to an image that the user has. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { MOST_ITERATIONS, refinedDocument, refineFits } from '../../../contract/scenario/diffraction/refining.ts';
import { writeScenarioText } from '../../../contract/scenario/index.ts';
import { readNamed, readPlain } from '../../../host/io/files/plain-file.ts';
import {
  type Measured,
  readImage,
  readNexusImage,
  runOrNexus,
} from '../../../host/workloads/diffraction/images/read.ts';
import { disagreements, ofImage } from '../../../host/workloads/diffraction/refine/measured.ts';
import { type Refined, refineCrystal } from '../../../host/workloads/diffraction/refine/refine.ts';
import { problemOf } from '../../../host/workloads/scenarios/index.ts';
import { flagOneOf, flagValue, hasFlag, jsonFlag, type ParsedArguments, setFlag, UsageError } from '../../arguments.ts';
import { exitCodes } from '../../exit-codes.ts';
import { significant } from '../../numbers.ts';
import { withHost } from '../../open-host.ts';
import { checkOutput, forceFlag, writeOutput } from '../../output-file.ts';
import { fitByName, readScenario } from '../../read-scenario.ts';
import { anyRunFile } from '../../run-file.ts';
import { table } from '../../table.ts';
import type { Verb } from '../../verb.ts';

function sizeOf(parsed: ParsedArguments): readonly [number, number] | null {
  const text = flagValue(parsed, 'size');
  if (text === undefined) return null;
  const [, width, height] = /^(\d{1,6})x(\d{1,6})$/.exec(text) ?? [];
  if (width === undefined || height === undefined) throw new UsageError(`--size: ${text}; allowed: as in 1024x768`);
  return [Number(width), Number(height)];
}

async function measuredIn(file: string, size: readonly [number, number] | null): Promise<Measured> {
  if (['.h5', '.hdf5'].includes(extname(file).toLowerCase())) {
    const found = await runOrNexus(
      () => anyRunFile(file),
      async () => {
        const readLinked = (name: string) => readPlain(join(dirname(file), name)).catch(() => null);
        return readNexusImage(await readNamed(file, 'an image'), basename(file), readLinked);
      },
    );
    if ('image' in found) return found.image;
    const { run } = found;
    if (run.workload !== 'diffraction')
      throw new BraggError('unsupported', `${file} is a run of ${run.workload}, and no image`);
    const { width, height, image } = run;
    return ofImage({ width, height, image });
  }
  const bytes = await readNamed(file, 'an image');
  return readImage(bytes, basename(file), size);
}

function linesOf(refined: Refined, { width, height, left }: Measured): readonly string[] {
  const { unknowns, iterations, converged, images, pixels, scale, background, correlation, iteration_s } = refined;
  const rows = unknowns.map(({ title, unit, start, value, sigma }) => [
    title,
    `${start.toFixed(4)} ${unit}`,
    `${value.toFixed(4)} ${unit}`,
    sigma === null ? '–' : significant(sigma, 2),
  ]);
  const out = left.length - pixels;
  return [
    `Image        ${width} × ${height} pixels${out === 0 ? '' : `, ${out} left out: full, or without a count`}`,
    `Fit          ${converged ? 'converged' : 'not converged'} after ${iterations} iterations of ${images} images, ${significant(iteration_s, 2)} s each`,
    `Correlation  ${correlation.start.toFixed(6)} before, ${correlation.end.toFixed(6)} after`,
    `Counts       ${significant(scale, 4)} a photon, ${significant(background, 4)} without any`,
    ...table(
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
  summary: "fit a crystal's misset and cell to an image that you have",
  details: [
    'Starts at the crystal of the scenario, and turns and stretches it until its image is that of the file, by least squares after Gauss and Newton. Scale and background of the counts are fitted too. Pixels that are overloaded, negative or no number have no part. The start has to be near: spots of both have to overlap.',
    'Reads SMV (.img), TIFF and BigTIFF that are not compressed, CBF with byte offsets, raw 32-bit floats (.bin, with --size), and runs (.h5). Prints the fitted values with standard deviations by the residuals, and writes the scenario with them.',
  ],
  flags: [
    { name: 'fit', value: 'WHAT', help: 'What of the crystal is fitted: both (the usual), misset, cell.' },
    { name: 'size', value: 'WxH', help: 'Pixels of a raw image, fast and slow.' },
    { name: 'variant', value: 'ID', help: 'Which implementation makes the images; see braggbench variants.' },
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
      const fit = refineFits[flagOneOf(parsed, 'fit', ['both', 'misset', 'cell'])];
      const out = flagValue(parsed, 'out');
      if (out !== undefined) await checkOutput(parsed, resolve(out));
      const reading = await readScenario(context, host, () => fitByName);
      if (reading.kind !== 'diffraction')
        throw new UsageError(`refine takes a crystal; this is a scenario of ${reading.kind}`);
      const measured = await measuredIn(parsed.operands[1] ?? '', sizeOf(parsed));
      const differences = reading.scenario === null ? [] : disagreements(measured.header, reading.scenario);
      for (const text of [...(measured.notes ?? []), ...differences]) {
        terminal.say(`${terminal.styleSaid('yellow', 'warning')} ${text}`);
      }
      const refined = await refineCrystal(host.addon, problemOf(reading), measured, {
        fit,
        iterations: MOST_ITERATIONS,
        signal,
      });
      if (out !== undefined) {
        await writeOutput(
          parsed,
          resolve(out),
          writeScenarioText(refinedDocument({ ...reading.draft }, refined.unknowns)),
        );
      }
      const { image: _image, ...printed } = refined;
      if (hasFlag(parsed, 'json')) terminal.printJson(printed);
      else {
        for (const line of linesOf(refined, measured)) terminal.print(line);
        if (out !== undefined) terminal.print(`Written: ${out}`);
      }
      return refined.converged ? exitCodes.done : exitCodes.failed;
    }),
};
