/** A slice of a CT, 512 × 512, solved from shell to answer: what is said of it before, and what it took. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ellipses, nrrdOf } from '../../electron/host/io/volumes/phantom.ts';
import { cli, whole } from './processes.ts';
import { atMost, megabytes, type Row, seconds } from './row.ts';

const DOCUMENT = {
  ...{ kind: 'transport', version: 2, beam: { energy_MeV: 150 }, geometry: { ct: { file: 'thorax.nrrd' } } },
  output: { keyframes: 0 },
};
/** What is said before is for people to plan by. */
const WITHIN = 2;
/** The program itself, with the tables of a few hundred energies. */
const OWN_MB = 250;

const planSchema = z.object({ state_bytes: z.number(), expected_s: z.number() });
const saidSchema = z.object({ scenarios: z.tuple([z.object({ plan: planSchema })]) });
const tookSchema = z.object({ solve_s: z.number(), peak_rss_MB: z.number() });

export async function ctRows(gpu: boolean): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-ct-'));
  try {
    writeFileSync(path.join(folder, 'thorax.nrrd'), nrrdOf(ellipses(512)));
    writeFileSync(path.join(folder, 'ct.json'), JSON.stringify(DOCUMENT));
    const rows: Row[] = [];
    for (const stepping of ['path', 'depth']) {
      const variant = `${gpu ? 'cuda-' : ''}${stepping === 'depth' ? 'depth' : 'window'}`;
      const asked = ['ct.json', '--set', `solver.stepping=${stepping}`, '--set', `solver.variant=${variant}`, '--json'];
      // Products of reactions are followed on the CPU, whichever variant takes the steps.
      const { output } = await whole(process.execPath, [cli, 'validate', ...asked], folder);
      const [{ plan: said }] = saidSchema.parse(JSON.parse(output)).scenarios;
      const took = tookSchema.parse(JSON.parse((await whole(process.execPath, [cli, 'run', ...asked], folder)).output));
      const name = `a 512 × 512 slice of a CT, 150 MeV, ${variant}`;
      const steps = {
        what: `${name}, steps; twice what is said before`,
        limit: WITHIN * said.expected_s,
        text: seconds,
      };
      rows.push(atMost(steps, took.solve_s));
      // What is said of a GPU is about the GPU's memory.
      if (gpu) continue;
      const what = `${name}, peak of the process; the state as it is said before, and 250 MB`;
      rows.push(atMost({ what, limit: said.state_bytes / 1e6 + OWN_MB, text: megabytes }, took.peak_rss_MB));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
