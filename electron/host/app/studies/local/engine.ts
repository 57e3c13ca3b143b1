/** Solves the points of a study on this machine. */
import { BraggError } from '../../../../contract/errors.ts';
import type { PlanLine, Study } from '../../../../contract/study/index.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { PointSolver } from '../points/solver.ts';
import type { SolvingHost } from '../solving-host.ts';
import { byFamily, familiesOf } from './families.ts';
import { type StudyOutcome, type StudyProgress, watchedGo } from './go.ts';
import { crewOf, groupsOf, type Share } from './groups.ts';
import { Pool } from './pool.ts';

export interface LocalOptions {
  readonly host: SolvingHost;
  readonly folder: StudyFolder;
  readonly lines: readonly PlanLine[];
  readonly share: Share;
  readonly assetsFolder: string;
  readonly signal: AbortSignal;
  readonly budget: Study['budget'];
  readonly job: string | null;
  readonly onProgress: (progress: StudyProgress) => void;
}

/** Throws what no point could be solved for, such as a full disk: the points that have ended stay. */
export async function solveLocally(options: LocalOptions): Promise<StudyOutcome> {
  const { host, folder, lines, share, assetsFolder, job } = options;
  const { study } = folder;
  return watchedGo({ ...options, left: lines.length }, async ({ signal, total, outOfTime, ended }) => {
    const families = familiesOf(folder.head, study.grids === 'shared' ? await folder.lines() : []);
    for (const group of groupsOf(folder.head, lines.slice(0, total), host.addon, share, (id) => families.has(id))) {
      if (signal.aborted || outOfTime()) break;
      const crew = crewOf(group, share, folder.head.state_bytes);
      const writer = new PointSolver({
        ...{ host, head: folder.head, study, as: crew.as, slots: 1, threads: crew.threads, job },
        at_once: 1,
        signal,
      });
      const parcels = group.manner === 'family' ? byFamily(group.lines, families) : group.lines.map((line) => [line]);
      const pool = new Pool(parcels, {
        ...{ folder: folder.folder, assetsFolder, job, crew, signal },
        ended: (_, status) => ended(status),
        mayBegin: () => !outOfTime(),
        died: async (line, how) => {
          const says = `The process ended (${how}) while it solved this point, and did so again when it solved nothing else.`;
          await folder.write(writer.failed(line, 'internal', says));
          ended('failed');
        },
      });
      await pool.run();
    }
    return {};
  });
}

/** Resources that this process may use; by default all of the machine. */
export function wholeMachine(host: SolvingHost, { cores, memory_bytes }: Partial<Share> = {}): Share {
  const { cpu, devices, memoryLimit_bytes } = host.capabilities();
  const gpus = devices.cuda.devices.filter(({ usable }) => usable).map(({ uuid }) => uuid);
  if (cores !== undefined && cores < 1)
    throw new BraggError('invalid', `${cores} cores are too few; allowed: 1 or more`);
  return { cores: cores ?? cpu.logicalCores, memory_bytes: memory_bytes ?? memoryLimit_bytes, gpus };
}
