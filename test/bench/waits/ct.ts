/** A slice of a CT, 512 × 512, solved from shell to answer: what is said of it before, and what it took. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ellipses, nrrdOf } from '../../electron/host/io/volumes/phantom.ts';
import { canMeasureOwnMemory, ownMemory } from './own-memory.ts';
import { cli, whole } from './processes.ts';
import { atMost, megabytes, type Row, seconds } from './row.ts';

const DOCUMENT = {
  ...{ kind: 'transport', version: 2, beam: { energy_MeV: 150 }, geometry: { ct: { file: 'thorax.nrrd' } } },
  output: { keyframes: 0 },
};
/** The forecast of the time is for planning. */
const WITHIN = 2;
/** The forecast of memory is never below the memory used, and at most this factor above. */
const MEMORY_WITHIN = 1.5;

const planSchema = z.object({ memory_bytes: z.number(), expected_s: z.number() });
const saidSchema = z.object({ scenarios: z.tuple([z.object({ plan: planSchema })]) });
const tookSchema = z.object({ solve_s: z.number() });

async function told(words: readonly string[], folder: string): Promise<unknown> {
  const { output } = await whole(process.execPath, [cli, ...words], folder);
  return JSON.parse(output);
}

export async function ctRows(gpu: boolean): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-ct-'));
  try {
    writeFileSync(path.join(folder, 'thorax.nrrd'), nrrdOf(ellipses(512)));
    writeFileSync(path.join(folder, 'ct.json'), JSON.stringify(DOCUMENT));
    const rows: Row[] = [];
    // By path a GPU keeps the whole phase space, hundreds of GB for a slice; by depth one plane of it.
    for (const stepping of gpu ? ['depth'] : ['path', 'depth']) {
      const variant = `${gpu ? 'cuda-' : ''}${stepping === 'depth' ? 'depth' : 'window'}`;
      const asked = ['ct.json', '--set', `solver.stepping=${stepping}`, '--set', `solver.variant=${variant}`, '--json'];
      // Products of reactions are followed on the CPU, whichever variant takes the steps.
      const [{ plan: said }] = saidSchema.parse(await told(['validate', ...asked], folder)).scenarios;
      const took = tookSchema.parse(await told(['run', ...asked], folder));
      const name = `a 512 × 512 slice of a CT, 150 MeV, ${variant}`;
      const steps = {
        what: `${name}, steps; twice what is said before`,
        limit: WITHIN * said.expected_s,
        text: seconds,
      };
      rows.push(atMost(steps, took.solve_s));
      // The forecast for a GPU is about the GPU's memory.
      if (gpu || !canMeasureOwnMemory) continue;
      const taken_MB = (await ownMemory({ ...DOCUMENT, solver: { stepping, variant } }, folder)) / 1e6;
      const said_MB = said.memory_bytes / 1e6;
      rows.push(
        atMost({ what: `${name}, memory of the run; what is said before`, limit: said_MB, text: megabytes }, taken_MB),
      );
      const over = `${name}, memory said before; ${MEMORY_WITHIN} times what was taken`;
      rows.push(atMost({ what: over, limit: MEMORY_WITHIN * taken_MB, text: megabytes }, said_MB));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
