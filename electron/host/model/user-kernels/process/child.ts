/**
 * Program of the process in which a user kernel runs. It loads the addon and the kernel's code, and executes requests
 * of the host. Errors in the code affect only this process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { messageOf } from '../../../../contract/errors.ts';
import { loadAddon } from '../../../io/addon/addon.ts';
import { connectToParent } from '../../../io/processes/parent-link.ts';
import type { MessageFromChild, MessageToChild, UsageBetweenCalls } from './relay.ts';

/** Interval in ms at which the process checks its memory use. */
const LOOK_EVERY_MS = 100;

/**
 * Processor time, in seconds per byte, that is allowed for copying and sending arrays of a result after a call.
 * Processes send faster than the resulting 50 MB/s.
 */
const SENDING_S_PER_BYTE = 2e-8;

type Method = (...args: readonly unknown[]) => unknown;

const link = connectToParent<MessageFromChild, MessageToChild>();
let childMethods: Readonly<Record<string, Method>> | null = null;
/** Fields to add to a problem, which identify a Python candidate for the engine. */
let python: Readonly<Record<string, string>> = {};

function sendToParent(message: MessageFromChild): void {
  link.send(message);
}

function fail(error: unknown, call: number | null): void {
  loadAddon().flushOutput();
  const { code, log } = error instanceof Error ? (error as Error & { code?: unknown; log?: unknown }) : {};
  const message = messageOf(error);
  const known = typeof code === 'string' && /^(invalid|memory|unsupported|device)$/.test(code);
  sendToParent({
    kind: 'failed',
    call,
    code: known ? (code as 'invalid') : 'internal',
    message,
    log: typeof log === 'string' ? log : null,
  });
}

/**
 * Limits the memory of the process by the operating system, if that is possible. For GPU code, whose driver maps much
 * memory, usage is only checked regularly.
 */
function limitMemory({ code, memory_bytes }: Extract<MessageToChild, { kind: 'load' }>): void {
  const before = process.memoryUsage.rss();
  if (code.kind === 'library') loadAddon().limitMemory(memory_bytes);
  setInterval(() => {
    const rss_bytes = process.memoryUsage.rss();
    if (rss_bytes - before > memory_bytes) sendToParent({ kind: 'too-large', rss_bytes });
  }, LOOK_EVERY_MS).unref();
}

function load(message: Extract<MessageToChild, { kind: 'load' }>): void {
  const addon = loadAddon();
  const { code } = message;
  limitMemory(message);
  if (code.kind === 'library') addon.loadUserLibrary(code.file);
  else if (code.kind === 'kernels') addon.loadUserKernels(code);
  else {
    const { id, file, runner } = code;
    python = { python: code.python, runner, 'candidate-file': file, 'candidate-name': id };
  }
  sendToParent({ kind: 'loaded' });
}

function addPythonWords(problem: unknown): unknown {
  if (Object.keys(python).length === 0) return problem;
  const { words } = problem as { readonly words: Readonly<Record<string, string>> };
  return { ...(problem as object), words: { ...words, ...python } };
}

/** Copy of a result without its arrays, so that large answers are not sent to the host. */
function withoutArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !ArrayBuffer.isView(one)));
}

/** Clock ticks per second (USER_HZ); 100 on every system with /proc. */
const TICKS_PER_S = 100;

/** Content of a file in /proc; empty if it does not exist, for example because the process has ended. */
function readProcFile(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Processor time in ticks, from fields 14 to 17 of /proc/PID/stat: of the process and its ended children, or of the
 * children alone. The second field may contain spaces.
 */
function ticksOf(pid: number, of: 'ended children' | 'with its own'): number {
  const stat = readProcFile(`${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const counted = of === 'with its own' ? fields.slice(11, 15) : fields.slice(13, 15);
  return counted.reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Ids of the running children of a process. Each of its threads has a list. */
function childrenOf(pid: number): readonly number[] {
  let threads: readonly string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // The process has ended in the meantime.
  }
  const lists = threads.map((thread) => readProcFile(`${pid}/task/${thread}/children`));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Processor time of the processes that this process started, such as the interpreter of a Python candidate. */
function descendantsCpu_s(): number {
  if (process.platform !== 'linux') return 0;
  const all = [process.pid];
  for (const pid of all) all.push(...childrenOf(pid).filter((child) => !all.includes(child)));
  const ticks = all.map((pid) => ticksOf(pid, pid === process.pid ? 'ended children' : 'with its own'));
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_S;
}

/** Processor time of this process and its descendants, and the current time, both in seconds. */
function readUsage(): UsageBetweenCalls {
  const { user, system } = process.cpuUsage();
  return { cpu_s: (user + system) / 1e6 + descendantsCpu_s(), elapsed_s: performance.now() / 1000 };
}

function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + bytesOf(one), 0);
}

/** Processor time and time at the end of the last call; null while a call is running. */
let lastIdle: UsageBetweenCalls | null = null;
let runningCalls = 0;

async function call({
  call: id,
  method,
  args,
  reports,
  light,
}: Extract<MessageToChild, { kind: 'call' }>): Promise<void> {
  const target = childMethods?.[method];
  if (childMethods === null || typeof target !== 'function') throw new Error(`there is no ${method}`);
  const report = (value: unknown): void => sendToParent({ kind: 'report', value });
  const [began, before] = [readUsage(), runningCalls === 0 ? lastIdle : null];
  const between = before && { cpu_s: began.cpu_s - before.cpu_s, elapsed_s: began.elapsed_s - before.elapsed_s };
  lastIdle = null;
  runningCalls += 1;
  try {
    const value = await target.call(childMethods, ...(reports ? [report] : []), ...args);
    loadAddon().flushOutput();
    const sent = light ? withoutArrays(value) : value;
    sendToParent({ kind: 'result', call: id, value: sent, ...(between !== null && { between }) });
    if (runningCalls !== 1) return;
    const { cpu_s, elapsed_s } = readUsage();
    lastIdle = { cpu_s: cpu_s + SENDING_S_PER_BYTE * bytesOf(sent), elapsed_s };
  } finally {
    runningCalls -= 1;
  }
}

link.onMessage((message: MessageToChild) => {
  try {
    switch (message.kind) {
      case 'load':
        return load(message);
      case 'create':
        childMethods = loadAddon()[message.factory](
          addPythonWords(message.problem) as never,
        ) as unknown as typeof childMethods;
        return sendToParent({ kind: 'created' });
      case 'call':
        call(message).catch((error: unknown) => fail(error, message.call));
        return;
      case 'compile': {
        loadAddon().limitMemory(message.memory_bytes);
        const { image, log } = loadAddon().compileUserKernels(message.request as never);
        return sendToParent({ kind: 'compiled', image, log });
      }
    }
  } catch (error) {
    fail(error, null);
  }
});
sendToParent({ kind: 'ready' });
