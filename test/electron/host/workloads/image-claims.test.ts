/** Published claims about diffraction images, beside what recorded sessions and new ones gave. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { imageSessionSchema } from '../../../../electron/contract/bench/recorded/image.ts';
import type { Session } from '../../../../electron/contract/bench/session.ts';
import { asSession, outlineOf, parseKeptSession, readKnown } from '../../../../electron/host/app/sessions/index.ts';
import { readClaimsOf } from '../../../../electron/host/model/bench/index.ts';
import { limitsOf } from '../../../../electron/host/model/bench/stopping.ts';
import { readRegistry } from '../../../../electron/host/model/external/registry.ts';
import { benchHere } from '../bench-here.ts';
import { addon, assetsFolder } from '../model/scenarios/open.ts';
import { smallProblem } from './image.ts';

const known = await readKnown(addon, assetsFolder);
const claims = await readClaimsOf(assetsFolder, { workload: 'diffraction', bench: '' });

const recorded = (name: string): string => path.join(assetsFolder, 'runs/diffraction', `${name}.json`);
const older = path.resolve(import.meta.dirname, '../../../golden/sessions/images-without-clocks.json');
const kept = (file: string) => parseKeptSession(readFileSync(file, 'utf8'), path.basename(file));
const open = (file: string): Session => asSession(kept(file), known);

test('every claim names variants that there are, or says why no pair isolates it', async () => {
  const { baselines } = await readRegistry(assetsFolder);
  const ids = [...addon.diffractionVariants(), ...baselines].map(({ id }) => id);
  expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  for (const { id, pairs, values, reason, from, to, source } of claims) {
    const named = [
      ...pairs.flatMap(({ slower, faster }) => [slower.variant, faster.variant]),
      ...values.map(({ variant }) => variant),
    ];
    expect(ids, id).toEqual(expect.arrayContaining(named));
    expect(named.length === 0, id).toBe(reason !== null);
    expect(from).toBeLessThanOrEqual(to ?? Number.POSITIVE_INFINITY);
    expect(source).not.toBe('');
  }
});

test('a session that was recorded before there were claims has them from its samples', () => {
  const session = open(older);
  const told = session.reports[0]?.claims ?? [];
  const pairs = (id: string) => told.find((one) => one.id === id)?.pairs ?? [];
  const [fusion] = pairs('kernel-fusion');
  expect(fusion?.gain?.value).toBeCloseTo(91.8 / 18.2, 1);
  expect(fusion).toMatchObject({ verdict: 'as claimed' });
  expect(pairs('graph-replay').map(({ faster, verdict }) => [faster, verdict])).toEqual([
    ['diffraction-cuda-unfused-graph', 'less'],
    ['diffraction-cuda-unfused, graph', 'less'],
  ]);
  // By the GPU's clock, and FP32 throughout is wrong; it is said of PyTorch, so that nothing else judges it.
  const [kernel] = pairs('fp64-as-fast');
  expect(kernel).toMatchObject({ verdict: 'not judged', wrong: ['diffraction-cuda-unfused-fp32'] });
  expect(kernel?.gain?.value).toBeGreaterThan(1.5);
  expect(pairs('warp-reduction')[0]).toMatchObject({ verdict: 'less' });
  expect(told.map(({ id }) => id)).toContain('c-over-gpu-1024');
  expect(told.map(({ id }) => id)).not.toContain('c-over-gpu-256');
  // Clocks and repeats were not recorded then: nothing is made up.
  expect(session.reports[0]?.entries[0]).toMatchObject({ status: 'measured', flagged: null, determinism: null });
  expect(outlineOf(kept(older), known.variants).reports[0]?.claims).toEqual([]);
});

test('of a sweep each size has the claims that speak of it', () => {
  const sizes = open(recorded('h200-sweep-simple-cubic')).reports.map(({ claims: told }) =>
    told.flatMap(({ id }) => (id.startsWith('c-over-gpu-') ? [id.slice('c-over-gpu-'.length)] : [])),
  );
  expect(sizes).toEqual(['256', '512', '1024', '2048', '4096'].map((size) => [size, `total-${size}`]));
});

test('a new session keeps its claims in its file', async () => {
  const report = await benchHere(
    addon,
    { kind: 'diffraction', problem: await smallProblem() },
    {
      scenario: 'Small',
      variants: ['diffraction-fp64', 'diffraction-mixed'],
      seed: 1,
      limits: limitsOf(5, 60),
      claims,
    },
  );
  const found = report.claims.find(({ id }) => id === 'fp64-as-fast');
  expect(found?.pairs.map(({ gain }) => gain !== null)).toEqual([false, false, false, true, false]);
  const none = claims.filter((one) => one.where['pixels'] !== undefined).map(({ id }) => id);
  expect(report.claims.map(({ id }) => id)).toEqual(claims.map(({ id }) => id).filter((id) => !none.includes(id)));
});

test('shares of a roof are of the GPU that the entry ran on', () => {
  const kept = imageSessionSchema.parse(JSON.parse(readFileSync(recorded('h200-rotation-100-orientations'), 'utf8')));
  const [report] = kept.reports;
  const gpu = report?.machine.gpu ?? null;
  if (report === undefined || gpu === null || gpu.ceilings === null) throw new Error('no GPU');
  const second = { ...gpu, index: 1, name: 'Second', ceilings: { ...gpu.ceilings } };
  second.ceilings.copy_bytes_per_s /= 4;
  second.ceilings.fp64_flops_per_s /= 2;
  second.ceilings.fp32_flops_per_s /= 2;
  const entry = report.entries.find(({ variant }) => variant === 'diffraction-cuda-fp64');
  if (entry === undefined) throw new Error('no entry');
  const named = { ...entry, label: 'diffraction-cuda-fp64:1', gpu: 1 };
  const reports = [
    { ...report, machine: { ...report.machine, gpus: [second] }, entries: [entry, named] },
    // As older sessions are: what a label named is not told.
    { ...report, entries: [named] },
  ];
  const session = asSession(imageSessionSchema.parse({ ...kept, reports }), known);
  const share = (at: number, label: string) => {
    const found = session.reports[at]?.entries.find((one) => one.label === label);
    if (found?.status !== 'measured' || found.roofline?.share_of_copy == null) throw new Error(`no ${label}`);
    return { copy: found.roofline.share_of_copy, flops: found.roofline.share_of_flops ?? 0 };
  };
  const usual = share(0, 'diffraction-cuda-fp64');
  expect(share(0, 'diffraction-cuda-fp64:1').copy).toBeCloseTo(4 * usual.copy, 12);
  expect(share(0, 'diffraction-cuda-fp64:1').flops).toBeCloseTo(2 * usual.flops, 12);
  expect(share(1, 'diffraction-cuda-fp64:1')).toEqual(usual);
  expect(session.reports[0]?.machine.gpus?.[0]?.name).toBe('Second');
});
