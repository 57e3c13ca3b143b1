/** A process that solves points of a study. It writes the results itself, and exits when its parent has ended. */
import { BraggError, toWireError } from '../../../../contract/errors.ts';
import type { PlanLine } from '../../../../contract/study/index.ts';
import { ResourceBudget } from '../../../io/flow/queues.ts';
import { StudyFolder } from '../../../model/studies/folder.ts';
import { openHost } from '../../host.ts';
import { familiesOf } from '../local/groups.ts';
import {
  type MessageFromWorker,
  type MessageToWorker,
  PointCancelledError,
  PointSolver,
  type WorkerStart,
} from './solver.ts';

const interrupt = new AbortController();
let activePoints = 0;

/** Exits if the study was cancelled and no point is being solved. */
function exitIfIdle(): void {
  if (interrupt.signal.aborted && activePoints === 0) process.exit(0);
}

function sendToPool(message: MessageFromWorker): void {
  if (process.connected) process.send?.(message);
}

function sendFailure(error: unknown): void {
  const { code, message } = toWireError(error);
  sendToPool({ kind: 'unable', code, message });
}

async function startWorker(start: WorkerStart): Promise<(lines: readonly PlanLine[]) => void> {
  const { folder, assetsFolder, mode, slots, threads, at_once, memory_bytes, job } = start;
  const study = await StudyFolder.open(folder);
  const host = await openHost({
    assetsFolder,
    shell: { kind: 'none', dialogs: false, window: false, menus: false },
    memoryLimit_bytes: memory_bytes,
  });
  const { signal } = interrupt;
  const solver = new PointSolver({
    host,
    head: study.head,
    study: study.study,
    mode,
    slots,
    threads,
    at_once,
    job,
    signal,
  });
  // Allow one more beam than there are threads: it is read while the others are solved, so that no thread waits.
  const places = new ResourceBudget(mode === 'beams' ? slots + 1 : slots);
  const solvePoint = async (line: PlanLine): Promise<void> => {
    const leave = await places.reserve(1);
    activePoints += 1;
    try {
      if (signal.aborted) return;
      sendToPool({ kind: 'begun', id: line.id });
      const result = await solver.solve(line);
      await study.writeResult(result);
      sendToPool({ kind: 'ended', id: line.id, status: result.status });
    } catch (error) {
      if (!(error instanceof PointCancelledError)) sendFailure(error);
    } finally {
      leave();
      activePoints -= 1;
      exitIfIdle();
    }
  };
  const families =
    mode === 'family' ? familiesOf(study.head, await study.readLines()) : new Map<string, readonly PlanLine[]>();
  const solveFamily = async (lines: readonly PlanLine[]): Promise<void> => {
    const leave = await places.reserve(1);
    activePoints += 1;
    try {
      if (signal.aborted) return;
      for (const { id } of lines) sendToPool({ kind: 'begun', id });
      const writing: Promise<void>[] = [];
      await solver.solveFamily(families.get(lines[0]?.id ?? '') ?? lines, lines, (result) => {
        const written = study
          .writeResult(result)
          .then(() => sendToPool({ kind: 'ended', id: result.id, status: result.status }));
        writing.push(written);
        // The promise is awaited below. Until then this prevents an unhandled rejection.
        written.catch(() => undefined);
      });
      await Promise.all(writing);
    } catch (error) {
      if (!(error instanceof PointCancelledError)) sendFailure(error);
    } finally {
      leave();
      activePoints -= 1;
      exitIfIdle();
    }
  };
  return (lines) => {
    if (mode === 'family') void solveFamily(lines);
    else for (const line of lines) void solvePoint(line);
  };
}

let points: ((lines: readonly PlanLine[]) => void) | null = null;

process.on('message', (message: MessageToWorker) => {
  if (message.kind === 'cancel') {
    interrupt.abort();
    exitIfIdle();
  } else if (message.kind === 'points') {
    if (points === null) sendFailure(new BraggError('internal', 'A point was received before its study was received.'));
    else points(message.lines);
  } else {
    void startWorker(message).then((ready) => {
      points = ready;
      sendToPool({ kind: 'ready' });
    }, sendFailure);
  }
});
// The parent has ended, so no process would receive results. The points will be solved again.
process.on('disconnect', () => process.exit(1));
// Ctrl+C reaches every process of a terminal. Ignore it here, because the parent decides and sends a message.
process.on('SIGINT', () => undefined);
process.on('SIGUSR1', () => undefined);
