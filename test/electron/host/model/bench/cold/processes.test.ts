/** End-to-end runs in separate processes: from the start of a process to its result. */
import { beforeAll, describe, expect, test } from 'vitest';
import { sessionReportSchema } from '../../../../../../electron/contract/bench/session.ts';
import type { TransportProblem } from '../../../../../../electron/host/io/addon/addon.ts';
import { type ChildLink, forkChild, type StartChild } from '../../../../../../electron/host/io/processes/link.ts';
import {
  ColdProcesses,
  type ColdRunPlan,
  createColdStart,
  timeColdProcess_s,
} from '../../../../../../electron/host/model/bench/cold/processes.ts';
import { createLimits } from '../../../../../../electron/host/model/bench/stopping.ts';
import type { MessageToChild } from '../../../../../../electron/host/model/user-kernels/process/relay.ts';
import { benchInProcess, measuredEntry } from '../../../test-host.ts';
import { addon, checkBeam, scenarios } from '../../scenarios/open.ts';

const coarse = { grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80 }, geometry: { width_mm: 10, depth_mm: 10 } };

let problem: TransportProblem;
beforeAll(async () => {
  problem = scenarios.resolve(await checkBeam(coarse, 30));
});

const runOf = (of: TransportProblem): ColdRunPlan => ({
  factory: 'createTransport',
  problem: of,
  calls: [{ method: 'start', args: [{ unwatched: true }], reports: true }],
});

/** A fake process that returns its result after the given delay. */
function delayedChild(delays_ms: number[]): StartChild {
  return () => {
    const delay = delays_ms.shift() ?? 1;
    let told: (message: unknown) => void = () => undefined;
    let ended: Parameters<ChildLink['onEnded']>[0] = () => undefined;
    return {
      onMessage: (listener) => {
        told = listener;
        queueMicrotask(() => listener({ kind: 'ready' }));
      },
      send: (sent) => {
        const message = sent as MessageToChild;
        if (message.kind === 'create') queueMicrotask(() => told({ kind: 'created' }));
        if (message.kind === 'call') {
          const answer = { kind: 'result', call: message.call, value: { error: null } };
          setTimeout(() => told(answer), delay);
        }
      },
      onOutput: () => undefined,
      onEnded: (listener) => {
        ended = listener;
      },
      kill: () => ended({ code: null, signal: 'SIGKILL' }),
    };
  };
}

describe('a run in a separate process', () => {
  test('takes longer than the same run here, since a process and an addon start first', async () => {
    const heres_s: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const began = performance.now();
      await addon.createTransport(problem).start(() => undefined, { unwatched: true });
      heres_s.push((performance.now() - began) / 1000);
    }
    const here_s = Math.min(...heres_s);
    const cold_s = await timeColdProcess_s('window', runOf(problem), forkChild);
    expect(cold_s).toBeGreaterThan(here_s);
    expect(cold_s).toBeLessThan(30);
  });

  test('reports why it failed, and leaves no process behind', async () => {
    const unknown = { ...problem, solver: { ...problem.solver, variant: 'no-such' } };
    await expect(timeColdProcess_s('no-such', runOf(unknown), forkChild)).rejects.toThrow(/no-such/);
  });

  test('ends when the session is cancelled', async () => {
    const stop = new AbortController();
    const requested = timeColdProcess_s('slow', runOf(problem), delayedChild([60_000]), stop.signal);
    setTimeout(() => stop.abort(), 20);
    expect(await requested).toBeNull();
    expect(await timeColdProcess_s('slow', runOf(problem), delayedChild([1]), stop.signal)).toBeNull();
  });
});

describe('cold processes of a session', () => {
  const options = (startChild: StartChild) => ({
    ...{ count: 5, startChild, seed: 1, limits: createLimits(5, 60) },
    onStart: () => undefined,
  });

  test('end at the time limit, whatever they still do, and return no answer', async () => {
    const endless = {
      label: 'endless',
      run: (_label: string, _start: StartChild, end?: AbortSignal) =>
        new Promise<null>((resolve) => end?.addEventListener('abort', () => resolve(null))),
    };
    const quick = { label: 'quick', run: async () => ({ time_s: 1 }) };
    const processes = new ColdProcesses([quick, endless], {
      ...options(delayedChild([])),
      limits: createLimits(5, 0.05),
    });
    await processes.run();
    expect(processes.timesOf('endless')).toMatchObject({
      reason: 'the session time ended before each variant had run in a new process',
      time_s: null,
    });
  });

  test('are judged against the reference with a separate control', async () => {
    const byLabel = (label: string): ColdRunPlan => ({
      factory: 'createTask',
      problem: label,
      calls: runOf(problem).calls,
    });
    // A process is identified by the problem that it creates.
    const startChild: StartChild = (program) => {
      const link = delayedChild([])(program);
      return {
        ...link,
        send: (sent) => {
          const message = sent as MessageToChild;
          if (message.kind === 'create') link.send(message);
          if (message.kind === 'create') Object.assign(link, { slow: message.problem === 'slow' });
          if (message.kind === 'call')
            setTimeout(() => link.send(message), 'slow' in link && link.slow === true ? 300 : 10);
        },
      };
    };
    const all = new ColdProcesses(
      [
        { label: 'quick', run: createColdStart(byLabel('quick')) },
        { label: 'slow', run: createColdStart(byLabel('slow')) },
        { label: 'mine.cpp', run: null },
      ],
      options(startChild),
    );
    await all.run();
    expect(all.timesOf('quick')).toMatchObject({ verdict: 'reference', ratio: { value: 1 } });
    const slow = all.timesOf('slow');
    expect(slow?.samples).toHaveLength(5);
    expect(slow?.verdict).toBe('slower');
    expect(slow?.ratio?.value).toBeGreaterThan(2);
    expect(all.control).toHaveLength(5);
    expect(all.floor).not.toBeNull();
    expect(all.timesOf('mine.cpp')).toMatchObject({
      time_s: null,
      verdict: 'undecided',
      reason: expect.stringContaining('user kernel'),
    });
  });

  test('are shown in the report next to steps and warm end-to-end runs', async () => {
    const report = await benchInProcess(
      addon,
      { kind: 'transport', problem },
      {
        ...{ scenario: 'small', variants: ['window', 'gather'], seed: 1, limits: createLimits(3, 60) },
        processes: { count: 1, startChild: forkChild },
      },
    );
    sessionReportSchema.parse(report);
    const own = measuredEntry(report, 'gather').process;
    expect(own?.samples).toHaveLength(1);
    expect(own?.time_s).toBeGreaterThan(0);
    // A single process is not enough for a verdict.
    expect(own?.verdict).toBe('undecided');
    expect(measuredEntry(report, 'window').process?.verdict).toBe('reference');
    expect(report.noise.process_floor).toBeNull();
    expect(report.process_control).toHaveLength(1);
  });
});
