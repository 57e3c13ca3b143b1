/** Calls and streams about transport runs. */
import { BraggError } from '../../../contract/errors.ts';
import {
  depthDoseOfRun,
  lateralCurvesOfRun,
  ledgerOfRun,
  momentsOfRun,
  summaryOfRun,
} from '../../workloads/transport/aside.ts';
import { keptPairs } from '../../workloads/transport/display/maps.ts';
import type { Recomputing } from '../../workloads/transport/recompute.ts';
import { TransportRunning } from '../../workloads/transport/running.ts';
import type { Runs } from '../runs/runs.ts';
import { mapsOf, transportRun } from '../runs/transport-maps.ts';
import type { Handlers, Sources } from '../service/service.ts';
import type { WhatIfs } from '../what-ifs/what-ifs.ts';

/** The call and the stream of Live what-if. */
export function whatIfHandlers({ whatIfs }: { readonly whatIfs: WhatIfs }): Pick<Handlers, 'whatIf.ask'> {
  return {
    'whatIf.ask': ({ session, ...asked }) => {
      whatIfs.ask(session, asked);
      return {};
    },
  };
}

export function whatIfSource(whatIfs: WhatIfs): Pick<Sources, 'whatIf'> {
  return { whatIf: ({ session }, sink) => whatIfs.open(session, sink) };
}

type Names = 'summary' | 'depthDose' | 'lateral' | 'moments' | 'maps' | 'keyframes' | 'keyframe' | 'ledger';

export function transportRunHandlers(runs: Runs): Pick<Handlers, `run.${Names}`> {
  return {
    'run.summary': async ({ run }) => summaryOfRun(await transportRun(runs, run)),
    'run.depthDose': async ({ run }) => depthDoseOfRun(await transportRun(runs, run)),
    'run.lateral': async ({ run, depths_mm }) => ({
      curves: await lateralCurvesOfRun(await transportRun(runs, run), depths_mm),
    }),
    'run.moments': async ({ run }) => momentsOfRun(await transportRun(runs, run)),
    'run.maps': async ({ run, maps }) => {
      const data = await transportRun(runs, run);
      return mapsOf(runs, run, data, data.keyframes.length - 1, maps, true);
    },
    'run.keyframes': async ({ run }) => {
      const { keyframes } = await transportRun(runs, run);
      return { frames: keyframes.map(({ step, depth_mm }) => ({ step, depth_mm })), pairs: keptPairs(keyframes[0]) };
    },
    'run.keyframe': async ({ run, index, maps }) => {
      const data = await transportRun(runs, run);
      if (index >= data.keyframes.length) {
        throw new BraggError('not-found', `There is no keyframe ${index}; this run has ${data.keyframes.length}.`);
      }
      return mapsOf(runs, run, data, index, maps, false);
    },
    'run.ledger': async ({ run, rows }) => ledgerOfRun(await transportRun(runs, run), rows),
  };
}

export function transportRunSources(runs: Runs, recomputing: Recomputing): Pick<Sources, 'run.live' | 'run.cuts'> {
  return {
    'run.cuts': (request, sink) => recomputing.watch(request, sink),
    'run.live': ({ run, maps, depthDose }, sink) => {
      const active = runs.active(run);
      if (active instanceof TransportRunning) return active.watch(run, { maps, depthDose }, sink);
      sink.end();
      return () => undefined;
    },
  };
}
