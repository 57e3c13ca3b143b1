import { describe, expect, it } from 'vitest';
import type { SolverState } from '../../../../../electron/contract/capabilities.ts';
import type { NativeAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { StagedSolver } from '../../../../../electron/host/io/addon/staged-solver.ts';

const building = (stage: SolverState['stage'], progress: string | null = null): SolverState => ({
  stage,
  progress,
  failed: null,
});
const never = new AbortController().signal;

/** A solver whose stages have these functions. */
function staged(...stages: readonly Partial<NativeAddon>[]): StagedSolver {
  let next = 0;
  return new StagedSolver(() => stages[next++] as NativeAddon, '1.2.3');
}

const first: Partial<NativeAddon> = { limitMemory: () => true };
const whole: Partial<NativeAddon> = {
  limitMemory: () => false,
  taskVariants: (workload) => [{ workload, id: 'one' }] as unknown as ReturnType<NativeAddon['taskVariants']>,
};

describe('a solver that is compiled while pages are served', () => {
  it('lists nothing and names the program before there is an addon', () => {
    const { addon } = staged();
    expect(addon.variants()).toEqual([]);
    expect(addon.buildInfo().version).toBe('1.2.3');
    expect(addon.devices().cuda).toMatchObject({ available: false, reason: 'The solver is being compiled.' });
    expect(() => addon.limitMemory(1)).toThrow('The solver is being compiled.');
  });

  it('answers a call once the first addon is there, and with the whole one from then on', async () => {
    const solver = staged(first, whole);
    const answers: boolean[] = [];
    const waiting = solver.answer(() => solver.addon.limitMemory(1), never).then((answer) => answers.push(answer));
    solver.report(building('none', '3 of 66 files'));
    await Promise.resolve();
    expect(answers).toEqual([]);
    solver.report(building('first'));
    await waiting;
    solver.report(building('whole'));
    answers.push(await solver.answer(() => solver.addon.limitMemory(1), never));
    expect(answers).toEqual([true, false]);
  });

  it('repeats a call that needs what the first addon does not have, whatever it makes of the lack', async () => {
    const solver = staged(first, whole);
    solver.report(building('first'));
    let calls = 0;
    const listed = solver.answer(async () => {
      calls += 1;
      await Promise.resolve();
      return solver.addon.taskVariants('micro').length;
    }, never);
    const refused = solver.answer(() => {
      if (solver.addon.taskVariants('micro').length === 0) throw new Error('no variant can do this');
      return 'allowed';
    }, never);
    await new Promise(setImmediate);
    expect(calls).toBe(1);
    solver.report(building('whole'));
    expect(await listed).toBe(1);
    expect(await refused).toBe('allowed');
    expect(calls).toBe(2);
  });

  it('passes on errors of calls that miss nothing', async () => {
    const solver = staged(first);
    solver.report(building('first'));
    await expect(solver.answer(() => Promise.reject(new Error('no such run')), never)).rejects.toThrow('no such run');
  });

  it('refuses what waits if compiling fails, and stops waiting for a call that is cancelled', async () => {
    const solver = staged();
    const cancelled = new AbortController();
    const left = solver.answer(() => 'answer', cancelled.signal);
    cancelled.abort(new Error('the page left'));
    await expect(left).rejects.toThrow('the page left');
    const refused = solver.reach('first');
    solver.report({ stage: 'none', progress: null, failed: 'The C++ build failed.' });
    await expect(refused).rejects.toThrow('The C++ build failed.');
  });
});
