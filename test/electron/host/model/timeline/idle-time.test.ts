import { describe, expect, it } from 'vitest';
import { idleTime } from '../../../../../electron/host/model/timeline/idle-time.ts';
import { type Given, traceOf } from './make.ts';

const of =
  (kind: 'call' | 'kernel' | 'copy') =>
  (name: string, start_ns: number, duration_ns: number, correlation = 0): Given => ({
    name,
    kind,
    start_ns,
    duration_ns,
    correlation,
  });
const [call, kernel] = [of('call'), of('kernel')];
const copy = (start_ns: number, duration_ns: number): Given => of('copy')('copy', start_ns, duration_ns);

const made = (calls: readonly Given[], kernels: readonly Given[], copies: readonly Given[] = [], host: Given[] = []) =>
  idleTime(
    traceOf(
      { kind: 'thread', spans: [{ name: 'whole', start_ns: 0, duration_ns: 1 }, ...host] },
      ...(calls.length > 0 ? [{ kind: 'api' as const, spans: calls }] : []),
      { kind: 'stream', spans: kernels },
      ...(copies.length > 0 ? [{ kind: 'copies' as const, spans: copies }] : []),
    ),
  );
const causes = (found: ReturnType<typeof made>) =>
  Object.fromEntries((found?.causes ?? []).map(({ cause, sum_ns }) => [cause, sum_ns]));

describe('a time without a kernel', () => {
  it('is waiting up to the launch, and launching from there on', () => {
    const found = made(
      [call('cuLaunchKernel', 0, 10, 1), call('cuStreamSynchronize', 20, 100), call('cuLaunchKernel', 150, 10, 2)],
      [kernel('a', 10, 90, 1), kernel('b', 165, 35, 2)],
      [],
      [{ name: 'optimizer', start_ns: 121, duration_ns: 25 }],
    );
    expect(found).toMatchObject({ count: 1, sum_ns: 65, extent_ns: 190 });
    expect(causes(found)).toEqual({ wait: 20, host: 30, launch: 15 });
    expect(found?.longest).toMatchObject([
      { start_ns: 100, duration_ns: 65, cause: 'host', host: 'optimizer', next: 'b' },
    ]);
  });

  it('is the queue’s where the kernel was launched before it began', () => {
    const calls = [call('cuLaunchKernel', 0, 10, 1), call('cuLaunchKernel', 12, 10, 2)];
    expect(causes(made(calls, [kernel('a', 10, 90, 1), kernel('b', 107, 10, 2)]))).toEqual({ queue: 7 });
    // Its call goes on into the gap.
    const late = [call('cuLaunchKernel', 0, 10, 1), call('cuLaunchKernel', 95, 10, 2)];
    expect(causes(made(late, [kernel('a', 10, 90, 1), kernel('b', 107, 10, 2)]))).toEqual({ launch: 7 });
  });

  it('is a copy’s while one runs, whatever the host waits for', () => {
    const found = made(
      [call('cudaLaunchKernel', 0, 5, 1), call('cudaMemcpy', 40, 200), call('cudaLaunchKernel', 250, 10, 2)],
      [kernel('a', 5, 45, 1), kernel('b', 270, 10, 2)],
      [copy(60, 150), copy(240, 20)],
    );
    // 50–60 waiting, 60–210 copy, 210–240 waiting, 240–260 copy, 260–270 launching.
    expect(causes(found)).toEqual({ copy: 170, wait: 40, launch: 10 });
    expect(found?.causes.map(({ cause, count }) => `${cause} ${count}`)).toEqual(['copy 1', 'wait 1', 'launch 1']);
    expect(found?.longest[0]).toMatchObject({ cause: 'copy', host: 'cudaMemcpy' });
  });

  it('is nobody’s known where no launch was recorded', () => {
    expect(causes(made([], [kernel('a', 0, 10), kernel('b', 30, 10)]))).toEqual({ unknown: 20 });
  });

  it('is none while another stream’s kernel runs, and needs two kernels', () => {
    const trace = traceOf(
      { kind: 'stream', spans: [kernel('a', 0, 10), kernel('c', 30, 10)] },
      { kind: 'stream', spans: [kernel('b', 5, 30)] },
    );
    expect(idleTime(trace)).toEqual({ count: 0, sum_ns: 0, extent_ns: 40, causes: [], longest: [] });
    expect(idleTime(traceOf({ kind: 'stream', spans: [kernel('a', 0, 10)] }))).toBeNull();
  });

  it('of thousands keeps the ten longest', () => {
    const spans = Array.from({ length: 3000 }, (_, i) => kernel('k', 100 * i, 100 - ((i * 37) % 90) - 1));
    const found = idleTime(traceOf({ kind: 'stream', spans }));
    expect(found?.count).toBe(2999);
    const gaps = spans.slice(0, -1).map(({ duration_ns }) => 100 - duration_ns);
    expect(found?.sum_ns).toBe(gaps.reduce((sum, gap) => sum + gap, 0));
    expect(found?.longest.map(({ duration_ns }) => duration_ns)).toEqual(gaps.toSorted((a, b) => b - a).slice(0, 10));
  });
});
