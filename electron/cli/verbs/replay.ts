/** `braggbench replay`: the figures of a session again, as SVG files that are the same every time. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { provenanceText, reportProvenance } from '../../../renderer/base/provenance.ts';
import { withCaption } from '../../../renderer/drawing/figures/figure.ts';
import { sessionFigures } from '../../../renderer/drawing/figures/session-figures.ts';
import { figureSvg } from '../../../renderer/drawing/figures/svg.ts';
import type { BenchSession } from '../../contract/bench.ts';
import { BraggError } from '../../contract/errors.ts';
import { readSession } from '../../host/bench/index.ts';
import { writeAtomically } from '../../host/scenarios/index.ts';
import { flagValue } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Verb } from '../verb.ts';

const size = { width: 860, label: 11 } as const;

interface Replayed {
  readonly name: string;
  readonly svg: string;
}

/** The sweep's figure is of all values and stands once. */
export function replayed(session: BenchSession): readonly Replayed[] {
  const many = session.reports.length > 1;
  return session.reports.flatMap((report, i) => {
    const last = i === session.reports.length - 1;
    const caption = `${report.scenario} · ${provenanceText(reportProvenance(report, session.created))}`;
    return sessionFigures(session, report)
      .filter(({ id }) => id !== 'sweep' || last)
      .map(({ id, make }) => {
        const prefix = many && id !== 'sweep' ? `${session.sweep?.values[i] ?? i + 1}-` : '';
        const svg = figureSvg(withCaption(make(size), caption, size.label), { background: true });
        return { name: `${prefix}${id}.svg`, svg };
      });
  });
}

export const replay: Verb = {
  name: 'replay',
  usage: 'replay SESSION.json [-o FOLDER]',
  summary: "draw a session's figures again, as SVG",
  details: [
    'Writes the figures of a kept benchmark session (the ladder, the gains, the roofline, the size sweep, the cold start, the samples) as SVG files, each with the machine, driver, clocks and commit it was measured with. The same session gives the same bytes on every machine; no GPU is needed.',
  ],
  flags: [{ name: 'out', short: 'o', value: 'FOLDER', help: "Where to; a folder of the session's name by default." }],
  examples: ['braggbench replay assets/runs/h200-uniform-grid-70MeV.json -o figures'],
  operands: { min: 1, max: 1, name: 'a session' },
  run: async ({ parsed, terminal }) => {
    const [file = ''] = parsed.operands;
    const folder = flagValue(parsed, 'out') ?? path.basename(file).replace(/(\.session)?\.json$/i, '');
    const figures = replayed(await readSession(file));
    if (figures.length === 0) throw new BraggError('invalid', `${file} measured too little for a figure.`);
    await mkdir(folder, { recursive: true });
    for (const { name, svg } of figures) {
      await writeAtomically(path.join(folder, name), svg, 'replace');
      terminal.print(path.join(folder, name));
    }
    return exitCodes.done;
  },
};
