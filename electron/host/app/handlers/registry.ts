/** Combines the handlers of all methods and streams that the host offers to pages and to the command line. */
import type { HostParts } from '../parts.ts';
import type { Remotes } from '../remote/remotes.ts';
import { type Handlers, Registry, type Sources } from '../service/service.ts';
import type { Clusters } from '../studies/cluster/clusters.ts';
import type { Studies } from '../studies/studies.ts';
import { benchHandlers, benchSources } from './bench.ts';
import { comparisonHandlers } from './comparison.ts';
import { beamHandlers, ctHandlers, doseHandlers, volumeSource } from './dose.ts';
import { imageHandlers, imageSource, refiningHandlers, refiningSource } from './images.ts';
import { launchHandlers } from './launches.ts';
import {
  desktopHandlers,
  libraryHandlers,
  librarySource,
  projectHandlers,
  recoveryHandlers,
  type ShellHandlers,
  shellHandlers,
  shellSource,
} from './projects.ts';
import {
  figureHandlers,
  runHandlers,
  runSources,
  taskHandlers,
  transportRunHandlers,
  transportRunSources,
  whatIfHandlers,
  whatIfSource,
} from './runs.ts';
import { scenarioHandlers } from './scenarios.ts';
import { studyHandlers } from './studies.ts';
import { timelineHandlers, timelineSource } from './timelines.ts';
import { userKernelHandlers } from './user-kernels.ts';

interface ServedParts extends HostParts {
  readonly studies: Studies;
  readonly clusters: Clusters;
  readonly remotes: Remotes;
}

/** Builds the registry of handlers. `shell`: window or tab of the pages, or null for a process without one. */
export function registryFor(parts: ServedParts, shell: ShellHandlers | null): Registry {
  return new Registry(handlersOf(parts, shell), sourcesOf(parts, shell), parts);
}

function handlersOf(parts: ServedParts, shell: ShellHandlers | null): Handlers {
  return {
    capabilities: parts.capabilities,
    ...scenarioHandlers(parts),
    ...runHandlers(parts),
    ...transportRunHandlers(parts.runs),
    ...imageHandlers(parts),
    ...taskHandlers(parts),
    ...benchHandlers(parts),
    ...comparisonHandlers(parts),
    ...ctHandlers(parts),
    ...doseHandlers(parts),
    ...beamHandlers(parts),
    ...figureHandlers(parts),
    ...launchHandlers(parts),
    ...timelineHandlers(parts),
    ...libraryHandlers(parts, shell),
    ...userKernelHandlers(parts),
    ...whatIfHandlers(parts),
    ...refiningHandlers(parts),
    ...studyHandlers(parts),
    ...projectHandlers({ ...parts, program: () => parts.capabilities().version }),
    ...recoveryHandlers(parts),
    ...parts.remotes.handlers(),
    ...desktopHandlers(parts, shell),
    ...shellHandlers(parts.files, shell),
  };
}

function sourcesOf(parts: ServedParts, shell: ShellHandlers | null): Sources {
  const { runs, benches, timelines, log, gpuKernels, solver } = parts;
  return {
    ...runSources(runs),
    ...transportRunSources(runs, parts.recomputing),
    ...imageSource(runs),
    ...whatIfSource(parts.whatIfs),
    ...refiningSource(parts),
    ...volumeSource(parts),
    ...benchSources(benches),
    ...timelineSource(timelines),
    ...librarySource(parts.catalogue),
    ...parts.remotes.source(),
    ...shellSource(shell),
    'host.log': (_params, sink) => log.read(sink),
    solver: (_params, sink) => gpuKernels.stream(solver, sink),
  };
}
