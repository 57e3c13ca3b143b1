/** Each claim has a map over what it depends on: a sweep of its row that `npm run bench -- gpu` makes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GPU_SESSIONS } from '../../../../../electron/build/bench/gpu-sessions.mjs';
import { flagValue, listed, parseArguments } from '../../../../../electron/cli/arguments.ts';
import { scenarioPath } from '../../../../../electron/cli/scenario-file.ts';
import { bench } from '../../../../../electron/cli/verbs/bench.ts';
import { partsOf, readClaimTable } from '../../../../../electron/host/app/claim-table/index.ts';
import { type Claim, readClaimsOf } from '../../../../../electron/host/model/bench/claims.ts';
import { assetsFolder } from '../../small-run.ts';

/** Claims without a size of their own, or about a program that every user has elsewhere. */
const WITHOUT: Readonly<Record<string, string>> = {
  'micro/instruction-latency shuffle-latency': 'an instruction has no size',
  'micro/instruction-latency atomic-latency': 'an instruction has no size',
  'micro/instruction-latency add-latency': 'an instruction has no size',
  'micro/launch cupy-graphs': 'a graph can be captured or not',
  'transport interpreter': 'the triple loop takes minutes on finer grids',
  'diffraction autotuning': 'max-autotune compiles for half a minute at each size',
  'diffraction graph-caching': 'compiling does not depend on the size of the image',
  'diffraction c-over-gpu-total-1024': 'said of about 1024²; needs the C program of the user',
  'micro/cold-start cold-start': 'loading a kernel does not depend on the arrays',
  'diffraction c-over-gpu-1024': 'said of about 1024²; needs the C program of the user',
  'diffraction gpu-over-c': 'needs the C program of the user',
  'diffraction stages-on-cpu': 'needs the C program of the user',
};

interface Sweep {
  readonly file: string;
  readonly place: string;
  readonly labels: readonly string[];
}

const SWEEPS = GPU_SESSIONS.flatMap(({ file, words }): Sweep[] => {
  const parsed = parseArguments(words.slice(1), bench.flags);
  if (flagValue(parsed, 'sweep') === undefined) return [];
  const document = JSON.parse(readFileSync(scenarioPath(parsed.operands[0] ?? ''), 'utf8'));
  const place = [document.kind, ...(document.kind === 'micro' ? [document.problem.kind] : [])].join('/');
  const labels = [...(listed(parsed, 'variants') ?? []), ...(listed(parsed, 'external') ?? [])];
  return [{ file, place, labels }];
});

/** Said of one size alone. */
const isPinned = ({ where }: Claim): boolean =>
  Object.values(where).some((range) => typeof range !== 'string' && range[0] === range[1]);

function isOver({ pairs, values, across }: Claim, labels: readonly string[]): boolean {
  return (
    across.some(({ variant }) => labels.includes(variant)) ||
    pairs.some(({ slower, faster }) => [slower, faster].every(({ variant }) => labels.includes(variant))) ||
    values.some(({ variant }) => labels.includes(variant))
  );
}

test('is swept by a session of its row, or is of one size', async () => {
  const without: string[] = [];
  for (const row of await readClaimTable(assetsFolder)) {
    const own = SWEEPS.filter(({ file }) => row.sessions.includes(file));
    for (const part of partsOf(row)) {
      const place = part.bench === '' ? part.workload : `${part.workload}/${part.bench}`;
      const known = await readClaimsOf(assetsFolder, part);
      for (const id of part.ids) {
        const claim = known.find((one) => one.id === id);
        if (claim === undefined) throw new Error(`${place} ${id}`);
        if (claim.reason !== null || isPinned(claim)) continue;
        if (own.some((sweep) => sweep.place === place && isOver(claim, sweep.labels))) continue;
        without.push(`${place} ${id}`);
      }
    }
  }
  expect(without.sort()).toEqual(Object.keys(WITHOUT).sort());
});

test('each sweep belongs to a row, or to the sessions that are no claims’', async () => {
  const listedIn = (await readClaimTable(assetsFolder)).flatMap(({ sessions }) => sessions);
  const others = SWEEPS.map(({ file }) => path.posix.normalize(file)).filter((file) => !listedIn.includes(file));
  expect(others.sort()).toEqual(['h200-sweep-water-70MeV.json', 'transport/h200-scattering-uniform-grid-70MeV.json']);
});
