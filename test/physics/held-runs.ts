/**
 * Checks the mean range of every transport run in the process of a test: it must not exceed the longest path of the
 * beam's protons. Wraps the addon's functions that create runs, so that no run of a test is missed. A test with a run
 * beyond that path fails.
 */
import { afterEach, expect } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import {
  type BeamResult,
  loadAddon,
  type NativeAddon,
  type TransportProblem,
  type TransportRun,
} from '../../electron/host/io/addon/addon.ts';
import { readBeamBlock } from '../../electron/host/io/addon/beam-block.ts';
import { longestPathError } from './longest-way.ts';

type RunFactories = Pick<NativeAddon, 'createTransport' | 'layTransport' | 'layBeams'>;

/**
 * Replaces the functions of `addon` that create runs. Calls `tell` with a message for every run whose mean range is too
 * long.
 */
export function checkMeanRanges(addon: RunFactories, tell: (reason: string) => void): void {
  const { createTransport, layTransport, layBeams } = addon;
  const judge = (...run: Parameters<typeof longestPathError>): void => {
    const reason = longestPathError(...run);
    if (reason !== null) tell(reason);
  };
  const held = (run: TransportRun, problem: TransportProblem): TransportRun => {
    const start = run.start.bind(run);
    const judged: TransportRun['start'] = async (...how) => {
      const result = await start(...how);
      judge(problem, result);
      return result;
    };
    // Methods of the native class cannot be assigned, so the property is defined instead.
    return Object.defineProperty(run, 'start', { value: judged });
  };
  addon.createTransport = (problem) => held(createTransport.call(addon, problem), problem);
  addon.layTransport = async (problem) => held(await layTransport.call(addon, problem), problem);
  addon.layBeams = async (problem, ...devices) => {
    const beams = await layBeams.call(addon, problem, ...devices);
    const { start, startInBlocks, plan, dose } = beams;
    const { spots, ...rest } = problem;
    const judgeOne = (beam: number, result: BeamResult): void =>
      judge({ ...rest, beam: spots?.[beam] ?? problem.beam }, result);
    const judged: typeof start = (ended) =>
      start.call(beams, (answer) => {
        judgeOne(answer.beam, answer.result);
        ended(answer);
      });
    const judgedInBlocks: typeof startInBlocks = (ended, reach_mm) =>
      startInBlocks.call(
        beams,
        (answer) => {
          judgeOne(answer.beam, 'block' in answer ? readBeamBlock(answer.block, { plan, dose }).result : answer.result);
          ended(answer);
        },
        reach_mm,
      );
    return Object.defineProperties(beams, { start: { value: judged }, startInBlocks: { value: judgedInBlocks } });
  };
}

/** The addon; null if it is not built. Tests of pure functions run without it, and others fail when they load it. */
export function addonIfBuilt(file?: string): NativeAddon | null {
  try {
    return loadAddon(file);
  } catch (error) {
    if (error instanceof BraggError && error.code === 'unsupported') return null;
    throw error;
  }
}

const RANGE_ERRORS = Symbol.for('braggbench.held-runs');
const sharedAddon: (NativeAddon & { [RANGE_ERRORS]?: string[] }) | null = addonIfBuilt();
if (sharedAddon !== null && sharedAddon[RANGE_ERRORS] === undefined) {
  const reasons: string[] = [];
  sharedAddon[RANGE_ERRORS] = reasons;
  checkMeanRanges(sharedAddon, (reason) => reasons.push(reason));
}

// Also checks runs that an earlier test left unfinished: they fail the next test.
afterEach(() => expect(sharedAddon?.[RANGE_ERRORS]?.splice(0) ?? []).toEqual([]));
