/**
 * The process of one user kernel: loads the addon and the variant's code, and
 * does what the host asks. Whatever the code does to this process is done to
 * no other.
 */
import { messageOf } from '../../../../contract/errors.ts';
import { loadAddon } from '../../../io/addon/addon.ts';
import { parentLink } from '../../../io/processes/parent-link.ts';
import type { FromChild, ToChild } from './messages.ts';

/** Interval between checks of the process's own memory use. */
const LOOK_EVERY_MS = 100;

type Method = (...args: readonly unknown[]) => unknown;

const link = parentLink<FromChild, ToChild>();
let made: Readonly<Record<string, Method>> | null = null;
/** Words of a problem by which the engine finds a candidate in Python. */
let python: Readonly<Record<string, string>> = {};

function tell(message: FromChild): void {
  link.send(message);
}

function fail(error: unknown, call: number | null): void {
  loadAddon().flushOutput();
  const { code, log } = error instanceof Error ? (error as Error & { code?: unknown; log?: unknown }) : {};
  const message = messageOf(error);
  const known = typeof code === 'string' && /^(invalid|memory|unsupported|device)$/.test(code);
  tell({
    kind: 'failed',
    call,
    code: known ? (code as 'invalid') : 'internal',
    message,
    log: typeof log === 'string' ? log : null,
  });
}

/** The system's own limit where there is one; a GPU driver's memory is only watched. */
function limitMemory({ code, memory_bytes }: Extract<ToChild, { kind: 'load' }>): void {
  const before = process.memoryUsage.rss();
  if (code.kind === 'library') loadAddon().limitMemory(memory_bytes);
  setInterval(() => {
    const rss_bytes = process.memoryUsage.rss();
    if (rss_bytes - before > memory_bytes) tell({ kind: 'too-large', rss_bytes });
  }, LOOK_EVERY_MS).unref();
}

function load(message: Extract<ToChild, { kind: 'load' }>): void {
  const addon = loadAddon();
  const { code } = message;
  limitMemory(message);
  if (code.kind === 'library') addon.loadUserLibrary(code.file);
  else if (code.kind === 'kernels') addon.loadUserKernels(code);
  else {
    const { id, file, runner } = code;
    python = { python: code.python, runner, 'candidate-file': file, 'candidate-name': id };
  }
  tell({ kind: 'loaded' });
}

function withWords(problem: unknown): unknown {
  if (Object.keys(python).length === 0) return problem;
  const { words } = problem as { readonly words: Readonly<Record<string, string>> };
  return { ...(problem as object), words: { ...words, ...python } };
}

/** Removes arrays from a result: an answer of megabytes stays in this process. */
function withoutArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !ArrayBuffer.isView(one)));
}

async function call({ call: id, method, args, reports, light }: Extract<ToChild, { kind: 'call' }>): Promise<void> {
  const target = made?.[method];
  if (made === null || typeof target !== 'function') throw new Error(`there is no ${method}`);
  const report = (value: unknown): void => tell({ kind: 'report', value });
  const value = await target.call(made, ...(reports ? [report] : []), ...args);
  loadAddon().flushOutput();
  tell({ kind: 'result', call: id, value: light ? withoutArrays(value) : value });
}

link.onMessage((message: ToChild) => {
  try {
    switch (message.kind) {
      case 'load':
        return load(message);
      case 'create':
        made = loadAddon()[message.factory](withWords(message.problem) as never) as unknown as typeof made;
        return tell({ kind: 'created' });
      case 'call':
        call(message).catch((error: unknown) => fail(error, message.call));
        return;
      case 'compile': {
        loadAddon().limitMemory(message.memory_bytes);
        const { image, log } = loadAddon().compileUserKernels(message.request as never);
        return tell({ kind: 'compiled', image, log });
      }
    }
  } catch (error) {
    fail(error, null);
  }
});
tell({ kind: 'ready' });
