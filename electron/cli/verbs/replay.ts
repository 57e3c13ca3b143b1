/** `braggbench replay`: writes the figures of a session as SVG files. Equal sessions give equal bytes. */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import { deriveSession, readCurrentRules, readSessionNamed } from '../../host/api/benches.ts';
import { flagValue } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { checkOutput, forceFlag, writeOutput } from '../output-file.ts';
import { exitCodes, type Verb } from '../verb.ts';

export const replay: Verb = {
  name: 'replay',
  usage: 'replay SESSION.json [-o FOLDER] [--force]',
  summary: "redraw a session's figures as SVG",
  details: [
    'Writes the figures of a saved benchmark session of any workload as SVG files: the ladder, the gains, the roofline, the size sweep with its claims, the cold start, the samples. Each shows the machine, driver, clocks and commit of the measurement. The same session gives identical files on every machine; no GPU is needed.',
  ],
  flags: [
    { name: 'out', short: 'o', value: 'FOLDER', help: 'Output folder; by default named after the session.' },
    forceFlag,
  ],
  examples: ['braggbench replay assets/runs/h200-uniform-grid-70MeV.json -o figures'],
  operands: { min: 1, max: 1, name: 'a session' },
  run: async ({ parsed, terminal }) => {
    const [file = ''] = parsed.operands;
    const folder = flagValue(parsed, 'out') ?? path.basename(file).replace(/(\.session|\.task)?\.json$/i, '');
    const { sessionSvgFiles: svgFilesOf } = await import('../reports/svg.ts');
    const openedSession = await readSessionNamed(file);
    const figures = svgFilesOf(deriveSession(openedSession, await readCurrentRules(assetsFolder())));
    if (figures.length === 0) throw new BraggError('invalid', `${file} has too few measurements for a figure.`);
    await mkdir(folder, { recursive: true });
    // Check all files first, so that none is written if one of them cannot be.
    for (const { name } of figures) await checkOutput(parsed, path.join(folder, name));
    for (const { name, svg } of figures) {
      await writeOutput(parsed, path.join(folder, name), svg);
      terminal.print(path.join(folder, name));
    }
    return exitCodes.done;
  },
};
