/** Thread of one benchmark: pages do not delay its timing, and its statistics do not block the pages. */
import { parentPort } from 'node:worker_threads';
import { toWireError } from '../../../contract/errors.ts';
import { loadAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { isToRelay, RelayedChildren } from '../../model/user-kernels/process/relay.ts';
import { measureSession } from '../../workloads/bench.ts';
import type { BenchOutcome, BenchTask } from '../../workloads/benchable.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { UserKernels } from '../user-kernels/user-kernels.ts';
import type { FromBench, ToBench } from './thread.ts';

/** Faster redraws of a progress line are not visible. */
const TELL_EVERY_MS = 100;

const stop = new AbortController();

function tell(message: FromBench): void {
  parentPort?.postMessage(message);
}

const children = new RelayedChildren(tell);

/** Engine with the task's user kernels, which the host has already checked for trust. */
function userKernelsOf({ userKernels, userKernelLimit_s }: BenchTask): UserKernels {
  const trusted = new Set(userKernels.map(({ sha256 }) => sha256));
  const variants = new UserKernels({
    addon: loadAddon(),
    folders: kernelFolders(),
    isTrusted: (sha256) => trusted.has(sha256),
    startChild: children.start,
    limit_s: userKernelLimit_s,
    onPrinted: (id, text) => tell({ kind: 'printed', id, text }),
  });
  for (const one of userKernels) variants.adopt(one);
  return variants;
}

async function perform(task: BenchTask, kept: boolean): Promise<BenchOutcome> {
  const userKernels = userKernelsOf(task);
  let told = { report: -1, round: -1, at: Number.NEGATIVE_INFINITY };
  try {
    return await measureSession(userKernels.addon, hostWorkloads[task.workload].benchable, task, {
      signal: stop.signal,
      startChild: children.start,
      soFar: kept ? (session) => tell({ kind: 'so far', session }) : undefined,
      tell: (progress, report) => {
        const now = performance.now();
        const same = report === told.report && progress.round === told.round;
        if (same && now - told.at < TELL_EVERY_MS) return;
        told = { report, round: progress.round, at: now };
        tell({ kind: 'progress', progress, report });
      },
    });
  } finally {
    userKernels.close();
  }
}

parentPort?.on('message', (message: ToBench) => {
  if (isToRelay(message)) children.take(message);
  else if (message.kind === 'cancel') stop.abort();
  else {
    perform(message.task, message.kept).then(
      (outcome) => tell({ kind: 'done', outcome }),
      (error: unknown) => tell({ kind: 'failed', error: toWireError(error) }),
    );
  }
});
