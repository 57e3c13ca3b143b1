import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  compiledResources,
  compilerLines,
  countersText,
  decisionAdvice,
  limiterText,
  meanComparisonTime_s,
  noTimelineReason,
  notCompiledResponse,
  parseFirstWrongValue,
  parseLaunches,
  summarizeTimeline,
} from '../../../../electron/cli/mcp/results.ts';
import type { Accuracy } from '../../../../electron/contract/bench/session.ts';
import { publishedLimitsOf } from '../../../../electron/domain/launch/occupancy.ts';
import { readKernels } from '../../../../electron/host/model/machine-code/cubin.ts';

const check = (holds: boolean, tip: string): Accuracy => ({
  ...{ id: 'l2', title: 'RMS error', unit: '', value: 0.01, bound: 1e-5 },
  ...{ holds, tip },
});
const correctCheck = check(true, 'Error: all 7 results');

test("a submission's answer contains the first value beyond the limit from the failed check", () => {
  const wrong = check(false, 'Error: all 7 results, n = 1021; result 3 is -1.5e+3, expected 340.136947; and so on');
  expect(parseFirstWrongValue([correctCheck, wrong])).toEqual({
    ...{ place: 'result 3', index: 3, got: '-1.5e+3', expected: '340.136947' },
  });
  const inArray = (where: string) =>
    parseFirstWrongValue([check(false, `all 6 results; ${where} is nan, expected 2; 1 of 6`)]);
  expect(inArray('y[5]')).toEqual({ place: 'y[5]', index: 5, got: 'nan', expected: '2' });
  expect(inArray('y[1, 2].imag')).toEqual({ place: 'y[1, 2].imag', index: null, got: 'nan', expected: '2' });
  expect(parseFirstWrongValue([check(false, 'its inputs were written to')])).toBeNull();
  expect(parseFirstWrongValue([check(true, 'result 3 is 1, expected 1')])).toBeNull();
});

test("a submission's answer states what limits the kernel, by its share of the measured ceilings", () => {
  const at = (share_of_copy: number | null, share_of_flops: number | null, accuracy = [correctCheck]): string =>
    limiterText({
      roofline: { bytes_per_s: 1, flops_per_s: 1, flops_per_byte: 1, share_of_copy, share_of_flops },
      accuracy,
    });
  expect(at(0.72, 0.1)).toBe('Limited by memory traffic: 72.0 % of the measured copy rate.');
  expect(at(1.34, 0.1)).toBe(
    'Limited by memory traffic: 134.0 % of the measured copy rate. Above 100 % of the copy rate: its data come from a cache, or it moves fewer bytes than it declares.',
  );
  expect(at(0.1, 0.8)).toBe('Limited by arithmetic: 80.0 % of the measured rate of operations.');
  expect(at(0.05, 0.02)).toBe(
    'Limited by latency or too little parallelism: memory traffic at 5.00 %, arithmetic at 2.00 % of its limit.',
  );
  expect(at(null, null)).toMatch(/^Not known: the limits of this machine were not measured/);
  expect(at(0.9, 0.1, [check(false, 'wrong')])).toMatch(/^Not known: the result is wrong/);
});

test("a submission's answer sums the spans of the traced sample by name, longest first, from the GPU if it was used", () => {
  const spans = { names: ['tile', 'sum'], threads: 2, dropped: 0, thread: [0, 1, 0], step: [0, 0, 0] };
  const recording = {
    ...{ label: 'a.cpp', device: null, trace: null },
    spans: { ...spans, name: [1, 0, 1], start_ns: [0, 0, 1000], end_ns: [1000, 3500, 3000] },
  };
  expect(summarizeTimeline(recording)).toEqual([
    { name: 'tile', count: 1, seconds: expect.closeTo(3.5e-6, 12) },
    { name: 'sum', count: 2, seconds: expect.closeTo(3e-6, 12) },
  ]);
  expect(summarizeTimeline(undefined)).toEqual([]);
  const column = [0];
  const trace = {
    ...{ source: 'cupti', names: ['reduce'], dropped: 0, kind: column, name: column, start_ns: [5], end_ns: [1005] },
    ...{ stream: column, correlation: column, grid: [1, 1, 1], block: [32, 1, 1], registers: column },
    ...{ static_shared_bytes: column, dynamic_shared_bytes: column, bytes: column, graph: column, graph_node: column },
  };
  expect(summarizeTimeline({ ...recording, trace })).toEqual([
    { name: 'reduce', count: 1, seconds: expect.closeTo(1e-6, 12) },
  ]);
});

test("a submission's answer averages the recorded times for comparing results, also next to a GPU trace", () => {
  const spans = {
    ...{ names: ['check', 'compare'], threads: 1, dropped: 0, thread: [0, 0, 0], step: [1, 1, 1] },
    ...{ name: [0, 1, 1], start_ns: [0, 1000, 5000], end_ns: [1000, 2000, 8000] },
  };
  const recording = { label: 'a.cu', device: 'GPU', spans, trace: null };
  expect(meanComparisonTime_s(recording)).toBeCloseTo(2e-6, 12);
  expect(meanComparisonTime_s({ ...recording, spans: { ...spans, names: ['check', 'work'] } })).toBeNull();
  expect(meanComparisonTime_s(undefined)).toBeNull();
});

test("a submission's answer states what would settle an open verdict or speed", () => {
  const doubt = { ...correctCheck, id: 'remembers', value: null, bound: 1.5 };
  const interval = { low: 0.9, high: 1.1 };
  const open = { accuracy: [correctCheck], verdict: 'undecided' as const, ratio: { value: 1, interval } };
  expect(decisionAdvice({ ...open, accuracy: [correctCheck, doubt], verdict: 'not checked' })).toMatch(
    /^More probes are needed to decide whether the kernel caches results: submit again with more seconds/,
  );
  expect(decisionAdvice(open)).toMatch(/contains 1; more seconds would narrow it/);
  expect(decisionAdvice({ ...open, instances_to_decide: 12 })).toMatch(/^About 12 instances/);
  expect(decisionAdvice({ ...open, ratio: { value: 1, interval: null } })).toMatch(/^Too few rounds/);
  expect(decisionAdvice({ ...open, verdict: 'faster' })).toBeNull();
});

test("a submission's answer explains an empty timeline, and names the command that counts a CUDA attempt", () => {
  expect(noTimelineReason('cuda', 2)).toBeNull();
  expect(noTimelineReason('cuda', 0)).toContain('CUPTI');
  expect(noTimelineReason('cpu', 0)).toContain('no trace of this attempt');
  const words = ['run', '/a b/problem.json', '--variant', '/l/x-attempt-0001.cu', '--trust'];
  expect(countersText('cuda', words)).toMatch(
    /: ncu --target-processes all braggbench run '\/a b\/problem\.json' --variant \/l\/x-attempt-0001\.cu --trust$/,
  );
  expect(countersText('cpu', words)).toBe('Counters are available for CUDA kernels only.');
});

test("a submission's answer lists compiler messages by line, with the first error as the reason", () => {
  const issue = (severity: 'error' | 'warning', line: number, message: string) => ({
    ...{ severity, line, message, file: 'a.cpp', path: '', column: 1, value: null, allowed: null },
  });
  const lines = compilerLines([
    issue('warning', 1, 'unused'),
    issue('error', 7, 'no such name'),
    issue('error', 9, 'x'.repeat(5000)),
  ]);
  expect(lines[2]?.message).toHaveLength(2002);
  expect(notCompiledResponse(lines)).toMatchObject({
    verdict: 'not compiled',
    reason: 'line 7: no such name',
    time_s: null,
  });
});

test("a submission's answer contains registers, spills and occupancy of the launched kernels", () => {
  const cubin = readFileSync(path.join(import.meta.dirname, '../../host/model/machine-code/reduction.cubin'));
  const kernels = readKernels(cubin, 'sm_90').map(({ resource }) => ({
    ...resource,
    ...{ spill_store_bytes: 4, spill_load_bytes: 8 },
  }));
  const limits = publishedLimitsOf('sm_90');
  if (limits === null) throw new Error('sm_90 is published');
  // Kernel, grid, block and dynamic shared memory, in the form in which the engine reads a candidate's launches.
  const launches = parseLaunches(
    'micro_reduce_interleaved 64 1 1 16 16 1 101376\nmicro_reduce_sequential 8 1 1 256 1 1 0',
  );
  const found = compiledResources(kernels, launches, limits);
  const of = (name: string) => found.find(({ kernel }) => kernel === name);
  // 1 KiB static, 99 KiB dynamic and 1 KiB of the system: two blocks fit into 228 KiB.
  expect(of('micro_reduce_interleaved')).toEqual({
    ...{ kernel: 'micro_reduce_interleaved', registers: 12, spill_bytes: 12, shared_bytes: 102_400 },
    occupancy: { gpu: limits.name, threads: 256, share: 0.25, limited_by: ['shared memory'] },
  });
  expect(of('micro_reduce_sequential')?.occupancy).toMatchObject({ share: 1, limited_by: ['threads'] });
  expect(of('micro_reduce_atomics')?.occupancy).toBeNull();
  const unread = kernels.map((one) => ({ ...one, spill_store_bytes: null }));
  expect(compiledResources(unread, launches, limits).map(({ spill_bytes }) => spill_bytes)).toEqual(
    kernels.map(() => null),
  );
});
