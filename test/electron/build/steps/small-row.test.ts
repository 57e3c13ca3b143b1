/**
 * Adds a row of the table of performance claims to a copy of the checkout by five files, as kernels/micro/registry.hpp
 * describes it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findOnPath } from '../../../../electron/build/setup/command.mjs';
import { root } from '../../../../electron/build/setup/root.mjs';
import { fixedScratchFolder } from '../../../scratch-folder.ts';
import { unless } from '../../../unless.ts';

const COPIED_FILES = [
  ...['package.json', 'native', 'kernels', 'electron/contract', 'electron/domain'],
  ...['electron/build/setup', 'electron/build/steps', 'electron/build/bench/micro-sessions.mjs', 'electron/host'],
  ...['electron/transports', 'assets/claims', 'assets/scenarios', 'assets/examples'],
];

const claim = {
  version: 1,
  sweeps: [{ name: 'prefetching', variants: 'cuda-plain,cuda-ahead', values: 'distance=1,4,16' }],
  claims: [
    {
      ...{ id: 'prefetching', row: 99, claim: 'Loading ahead', from: 2, to: 3, kind: 'gain', source: 'A note, 1' },
      ...{ reason: null, about: null },
      pairs: [{ slower: { variant: 'cuda-plain' }, faster: { variant: 'cuda-ahead' }, what: 'loads come earlier' }],
    },
  ],
};
const example = {
  ...{ kind: 'micro', version: 1, name: 'Prefetching' },
  problem: { kind: 'prefetching', distance: 4 },
};

/** Prints each list in which the new row must appear. */
const LISTS = `
import { scenarioSchema } from './electron/contract/scenario/index.ts';
import { readClaimTable } from './electron/host/app/claim-table/index.ts';
import { exampleGroupsSchema, expandGroups } from './electron/domain/examples.ts';
import { MICRO_SESSIONS } from './electron/build/bench/micro-sessions.mjs';
import { includedFiles, kernelSource } from './electron/build/steps/kernels.mjs';
import { readFileSync, readdirSync } from 'node:fs';
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const row = (await readClaimTable('assets')).find(({ row }) => row === 99) ?? null;
const present = readdirSync('assets/scenarios', { recursive: true });
const groups = expandGroups(exampleGroupsSchema.parse(json('assets/examples/groups.json')), present);
console.log(JSON.stringify({
  problem: scenarioSchema.safeParse(json('assets/scenarios/micro/prefetching.json')).data?.problem ?? null,
  row,
  question: groups.find(({ files }) => files.includes('micro/prefetching.json'))?.question ?? null,
  sessions: MICRO_SESSIONS.filter(({ file }) => file.includes('prefetching')).map(({ file }) => file),
  kernels: includedFiles(kernelSource('micro')).filter((file) => file.includes('prefetching')),
}));`;

const listsSchema = z.strictObject({
  problem: z.unknown(),
  row: z.unknown(),
  question: z.string().nullable(),
  sessions: z.array(z.string()),
  kernels: z.array(z.string()),
});

describe('a small workload row', () => {
  const copy = fixedScratchFolder('small-row');
  for (const each of COPIED_FILES) cpSync(path.join(root, each), path.join(copy, each), { recursive: true });
  const lists = () =>
    listsSchema.parse(
      JSON.parse(
        execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', LISTS], {
          cwd: copy,
          encoding: 'utf8',
        }),
      ),
    );
  /** Rows that CMake writes for kernels/micro/registry.cpp. */
  const registered = () => {
    const defined = ['-DBB_ADDON=OFF', '-DBB_TESTS=OFF', '-DCMAKE_BUILD_TYPE=Release'];
    execFileSync('cmake', ['-S', path.join(copy, 'native'), '-B', path.join(copy, 'cmake'), ...defined], {
      stdio: 'pipe',
    });
    const text = readFileSync(path.join(copy, 'cmake/generated/micro_rows.inc'), 'utf8');
    return [...text.matchAll(/^BB_MICRO_ROW\((\w+)\)$/gm)].map(([, row = '']) => row);
  };
  const written = new Set<string>();
  const write = (file: string, text: string) => {
    writeFileSync(path.join(copy, file), text);
    written.add(file);
  };

  it('consists of five files: kernels, variants, parameters, example and claims', () => {
    write('kernels/micro/memory/prefetching.cpp', '// engine::TaskBench prefetching_bench()\n');
    write('kernels/micro/memory/prefetching.cu', '// micro_prefetching\n');
    write('assets/scenarios/micro/prefetching.json', JSON.stringify(example));
    write('assets/claims/micro/prefetching.json', JSON.stringify(claim));
    const parameters = 'electron/contract/scenario/micro/arrays.ts';
    const text = readFileSync(path.join(copy, parameters), 'utf8');
    const entry =
      "claimRowSchema('prefetching', 'Prefetching', { distance: integerField('Distance', 'Loads ahead.', [1, 4, 64]) }),";
    write(
      parameters,
      text.replace('export const arrayRows = [\n', (list) => `${list}  ${entry}\n`),
    );

    expect(lists()).toEqual({
      problem: { kind: 'prefetching', distance: 4 },
      row: {
        ...{ row: 99, claim: 'Loading ahead', source: 'A note, 1', claims: { 'micro/prefetching': ['prefetching'] } },
        scenarios: ['micro/prefetching.json'],
        sessions: ['micro/prefetching.json', 'micro/sweep-prefetching.json'],
      },
      question: 'Which other claims are measured?',
      sessions: ['micro/prefetching.json', 'micro/sweep-prefetching.json'],
      kernels: ['kernels/micro/memory/prefetching.cu'],
    });
    expect(written.size).toBe(5);
  });

  it(
    'is registered in C++ by its file name; helpers with a header are not registered',
    unless(findOnPath('cmake') === null && 'no CMake on this machine'),
    () => {
      const rows = registered();
      expect(rows).toContain('prefetching');
      expect(rows.filter((row) => existsSync(path.join(copy, `kernels/micro/memory/${row}.hpp`)))).toEqual([]);
      for (const helper of ['crystals', 'gauss_newton', 'horner', 'sparse_matrix', 'row', 'work', 'registry']) {
        expect(rows).not.toContain(helper);
      }
      expect(new Set(rows).size).toBe(rows.length);
    },
  );
});
