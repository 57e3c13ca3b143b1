/**
 * Worker thread that runs one benchmark, so that requests from pages do not delay its timing and its statistics do not
 * delay the pages.
 */
import { parentPort } from 'node:worker_threads';
import { toWireError } from '../../../contract/errors.ts';
import { loadAddon } from '../../io/addon/addon.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { isToRelay, RelayedChildren } from '../../model/user-kernels/process/relay.ts';
import { measureSession } from '../../workloads/bench.ts';
import type { BenchOutcome, BenchTask } from '../../workloads/benchable.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { UserKernels } from '../user-kernels/user-kernels.ts';
import type { MessageFromBench, MessageToBench } from './thread.ts';

/** Minimum interval between progress messages; faster updates of the progress line are not visible. */
const SEND_EVERY_MS = 100;

const stop = new AbortController();

function sendToHost(message: MessageFromBench): void {
  parentPort?.postMessage(message);
}

const children = new RelayedChildren(sendToHost);

/** Opens the task's user kernels. The host has already checked that the user trusts them. */
function userKernelsOf({ userKernels, userKernelLimit_s }: BenchTask): UserKernels {
  const trusted = new Set(userKernels.map(({ sha256 }) => sha256));
  const variants = new UserKernels({
    addon: loadAddon(),
    folders: kernelFolders(),
    isTrusted: (sha256) => trusted.has(sha256),
    startChild: children.start,
    limit_s: userKernelLimit_s,
    onPrinted: (id, text) => sendToHost({ kind: 'printed', id, text }),
  });
  for (const one of userKernels) variants.register(one);
  return variants;
}

async function runBenchmark(task: BenchTask, sendsIntermediate: boolean): Promise<BenchOutcome> {
  const userKernels = userKernelsOf(task);
  let lastReported = { report: -1, round: -1, at: Number.NEGATIVE_INFINITY };
  try {
    return await measureSession(userKernels.addon, hostWorkloads[task.workload].benchable, task, {
      signal: stop.signal,
      startChild: children.start,
      onIntermediateSession: sendsIntermediate ? (session) => sendToHost({ kind: 'so far', session }) : undefined,
      onProgress: (progress, report) => {
        const now = performance.now();
        const same = report === lastReported.report && progress.round === lastReported.round;
        if (same && now - lastReported.at < SEND_EVERY_MS) return;
        lastReported = { report, round: progress.round, at: now };
        sendToHost({ kind: 'progress', progress, report });
      },
    });
  } finally {
    userKernels.close();
  }
}

parentPort?.on('message', (message: MessageToBench) => {
  if (isToRelay(message)) children.receive(message);
  else if (message.kind === 'cancel') stop.abort();
  else {
    runBenchmark(message.task, message.sendsIntermediate).then(
      (outcome) => sendToHost({ kind: 'done', outcome }),
      (error: unknown) => sendToHost({ kind: 'failed', error: toWireError(error) }),
    );
  }
});
