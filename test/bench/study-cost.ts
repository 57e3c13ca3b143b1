/**
 * What a study costs over the sum of its solves: points on one core, one after the other. Run by `npm run bench:studies`;
 * `--points N` for another number. A solve is what the point itself says of setting up and solving.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { pointResultSchema } from '../../electron/contract/study/index.ts';
import { braggbench, environmentWith } from '../electron/cli/command.ts';

const USUAL = 1000;
const MOST_PERCENT = 5;
const at = process.argv.indexOf('--points');
const POINTS = at < 0 ? USUAL : Number(process.argv[at + 1]);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-study-cost-'));
try {
  const scenario = {
    ...{ kind: 'transport', version: 1, beam: {} },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 20, theta_max_mrad: 320 },
    solver: { stepping: 'depth', variant: 'depth', threads: 1 },
  };
  const axes = [{ kind: 'range', path: 'beam.energy_MeV', from: 60, to: 70, count: POINTS }];
  const study = { kind: 'study', version: 1, base: [{ scenario }], axes, measures: ['readouts', 'times'] };
  writeFileSync(path.join(folder, 'cost.json'), JSON.stringify(study));
  say(`load of the machine before: ${loadavg()[0]?.toFixed(2)}; others on it make both numbers worthless`);
  const { code, stdout, stderr } = await braggbench(['study', 'run', 'cost.json', '--cores', '1', '--json'], {
    cwd: folder,
    environment: environmentWith(path.join(folder, 'home')),
  });
  if (code !== 0) throw new Error(stderr);
  const { wall_s } = z.looseObject({ wall_s: z.number() }).parse(JSON.parse(stdout));
  const results = path.join(folder, 'cost.study', 'results');
  const times = readdirSync(results, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => pointResultSchema.parse(JSON.parse(readFileSync(path.join(results, name), 'utf8'))))
    .map(({ measures }) =>
      measures.reduce(
        (sum, { group, name, value }) =>
          group === 'times' && ['setup_s', 'solve_s'].includes(name) && typeof value === 'number' ? sum + value : sum,
        0,
      ),
    );
  const sum_s = times.reduce((sum, one) => sum + one, 0);
  const percent = 100 * (wall_s / sum_s - 1);
  const each_ms = (1e3 * (wall_s - sum_s)) / POINTS;
  say(
    `${times.length} points of ${((1e3 * sum_s) / POINTS).toFixed(1)} ms each: solves ${sum_s.toFixed(1)} s, study ${wall_s.toFixed(1)} s`,
  );
  const met = percent <= MOST_PERCENT;
  say(
    `  over the sum of the solves  ${percent.toFixed(1)} %, ${each_ms.toFixed(2)} ms a point  ${met ? 'met' : 'MISSED'} (at most ${MOST_PERCENT} %)`,
  );
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
