/**
 * User kernels on the CPU, with the installed C++ compiler and real processes: a failing kernel affects only itself.
 */

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createLimits } from '../../../../../electron/host/model/bench/stopping.ts';
import { checkTransport } from '../../../../../electron/host/workloads/transport/user-kernels.ts';
import { onLinux } from '../../../../unless.ts';
import { benchInProcess, eventually } from '../../test-host.ts';
import { addon, description, failureOf, transport, useUserKernels } from './workload-kernels.ts';

const kernels = useUserKernels('user-kernels');
const { folder, make, problemFor, start, trustedVariant, withLine } = kernels;

test('a copy reproduces the original bit for bit, with progress, live frames and keyframes, and passes its checks', async () => {
  await trustedVariant('copy.cpp', kernels.original);
  const run = kernels.userKernels.addon.createTransport({ ...problemFor('copy.cpp'), keyframes: 4 });
  expect(run.plan.variant).toBe('copy.cpp');
  run.wantPlanes([{ slow: 'e', fast: 'x', cut: [-1, -1, 3, -1] }]);
  expect(() => run.wantPlanes([{ slow: 'e', fast: 'x', cut: [-1, -1, 3000, -1] }])).toThrow(/3000/);
  const steps: number[] = [];
  const result = await run.start(({ step }) => steps.push(step));
  const base = addon.createTransport({ ...problemFor('gather'), keyframes: 4 });
  const expected = await base.start(() => undefined);
  expect(result.variant).toBe('copy.cpp');
  expect(result.dose).toEqual(expected.dose);
  expect(result.keyframes).toEqual(expected.keyframes);
  expect(run.keyframe(1)).toEqual(base.keyframe(1));
  expect(steps.at(-1)).toBe(expected.steps);
  const live = run.live();
  expect(live?.step).toBe(expected.steps);
  expect(live?.planes.map(({ cut }) => cut)).toEqual([[-1, -1, 3, -1]]);
  const verdict = await checkTransport(kernels.userKernels.addon, problemFor('copy.cpp'), result);
  expect(verdict).toMatchObject({ right: true, bitwise: true, repeats: 2 });
});

test('a register limit is rejected for a CPU kernel', async () => {
  const { message } = await failureOf(
    make('registers.cpp', kernels.original, { ...description, compile: { registers: 64 } }),
  );
  expect(message).toBe('registers.json compile.registers: is for CUDA kernels, but this one is compiled for the CPU');
});

/**
 * Source of a kernel whose behaviour is read from a file, so that it is compiled only once. A hanging kernel sleeps,
 * which leaves its core to other tests. While it hangs or waits, a second file exists as a signal. Memory beyond the
 * limit is reserved before it is filled, because filling it needs seconds.
 */
const breakingKernel = (how: string): string =>
  withLine(`char how = ' '; std::ifstream("${how}") >> how; switch (how) {
      case 'n': { int* nowhere = nullptr; *static_cast<volatile int*>(nowhere) = 1; break; }
      case 'a': std::puts("my last words"); std::fflush(stdout); std::abort();
      case 't': throw std::runtime_error("my own trouble");
      case 'm': { std::vector<std::vector<double>> hog(64); for (auto& each : hog) each.reserve(1 << 24); for (;;) hog.emplace_back(1 << 24, 1.0); }
      case 'w': std::ofstream("${how}.here"); for (; how == 'w'; std::ifstream("${how}") >> how) rest(); break;
      case 's': for (T& p : state_.psi) p *= T(1.001); break;
      case 'h': std::ofstream("${how}.here"); for (;;) rest();
    }`)
    .replace('#include <algorithm>', '#include <algorithm>\n#include <chrono>\n#include <fstream>\n#include <thread>')
    .replace(
      'switch (how)',
      'auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }; switch (how)',
    );

describe('a failure of a user kernel', () => {
  let howFile = '';
  beforeAll(async () => {
    howFile = path.join(folder, 'how');
    await trustedVariant('breaks.cpp', breakingKernel(howFile));
    await kernels.userKernels.prepare(['breaks.cpp'], transport);
  });
  /** Selects the behaviour of the next run, and removes the signal file of the previous one. */
  const how = async (word: string): Promise<void> => {
    await rm(`${howFile}.here`, { force: true });
    await writeFile(howFile, word);
  };
  /** Waits until the kernel hangs or waits. */
  const here = (): Promise<void> => eventually(() => existsSync(`${howFile}.here`));

  test.each([
    ['null', /^breaks\.cpp crashed: .*SIGSEGV/, 'device'],
    ['abort', /^breaks\.cpp crashed: .*SIGABRT.*my last words/s, 'device'],
    ['throw', /^breaks\.cpp: my own trouble$/, 'device'],
    ['memory', /^breaks\.cpp (requested more memory|took) /, 'memory'],
    ['hang', /^breaks\.cpp did not finish within 2 s/, 'device'],
  ])('ends only its own run (%s)', async (word, message, code) => {
    await how(word);
    kernels.userKernels.limit_s = word === 'hang' ? 2 : 60;
    const error = await failureOf(start('breaks.cpp'));
    kernels.userKernels.limit_s = 60;
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
    // The host still works, and so does the next run.
    expect((await start('copy.cpp')).status).toBe('done');
  });

  test('is detected by parity and by the ledger if the kernel changes the answer', async () => {
    await how('scaled');
    const result = await start('breaks.cpp');
    const verdict = await checkTransport(kernels.userKernels.addon, problemFor('breaks.cpp'), result);
    expect(verdict.right).toBe(false);
    expect(verdict.checks.map(({ id, holds }) => [id, holds])).toEqual([
      ['parity', false],
      ['ledger', false],
      ['determinism', true],
    ]);
  });

  test('is ended by cancelling if the kernel hangs', async () => {
    await how('hang');
    const run = kernels.userKernels.addon.createTransport(problemFor('breaks.cpp'));
    const ended = failureOf(run.start(() => undefined));
    await here();
    run.cancel();
    expect((await ended).message).toMatch(/^breaks\.cpp did not stop within 5 s of being cancelled/);
  });

  test('does not occur if the file is changed and viewed during the run', async () => {
    await how('wait');
    const run = start('breaks.cpp');
    await here();
    const text = breakingKernel(howFile);
    await make('breaks.cpp', `${text}\n// changed\n`);
    expect(kernels.userKernels.addon.createTransport(problemFor('breaks.cpp')).plan.variant).toBe('breaks.cpp');
    await how('go on');
    expect((await run).status).toBe('done');
    await make('breaks.cpp', text);
  });

  test('affects only its own row in a benchmark', async () => {
    await how('null');
    const report = await benchInProcess(
      kernels.userKernels.addon,
      { kind: 'transport', problem: kernels.problem },
      {
        scenario: 'small',
        variants: ['gather', 'breaks.cpp', 'copy.cpp'],
        seed: 1,
        limits: createLimits(3, 600),
      },
    );
    expect(report.rounds).toBe(3);
    expect(report.entries.map(({ label, status }) => [label, status])).toEqual([
      ['gather', 'measured'],
      ['breaks.cpp', 'refused'],
      ['copy.cpp', 'measured'],
    ]);
    expect(report.entries[1]).toMatchObject({ reason: expect.stringContaining('breaks.cpp crashed') });
    expect(report.entries[2]).toMatchObject({ builds_on: 'gather', rung: expect.anything() });
  });
});

test('a compiler error is reported at its line and column in the file', async () => {
  const text = withLine('undefined_thing = 3;');
  await trustedVariant('typo.cpp', text);
  const line = text.split('\n').findIndex((one) => one.includes('undefined_thing')) + 1;
  const error = await failureOf(kernels.userKernels.prepare(['typo.cpp'], transport));
  expect(error.code).toBe('invalid');
  expect(error.issues[0]).toMatchObject({ severity: 'error', file: 'typo.cpp', line, column: 5 });
  expect(error.message).toMatch(/undefined_thing.* was not declared/);
});

/** Starts a daemon: two forks, setsid, all files closed. `ends` is the kernel's code after that. */
const daemon = (pidFile: string, ends: string): string => `
    static bool once = false;
    if (!once) {
      once = true;
      if (fork() == 0) {
        setsid();
        if (fork() == 0) {
          setsid();
          if (FILE* file = std::fopen("${pidFile}.part", "w")) {
            std::fprintf(file, "%d", static_cast<int>(getpid()));
            std::fclose(file);
            std::rename("${pidFile}.part", "${pidFile}");
          }
          for (int fd = 0; fd < 256; ++fd) close(fd);
          for (;;) pause();
        }
        _exit(0);
      }
      FILE* there = nullptr;
      while ((there = std::fopen("${pidFile}", "r")) == nullptr) usleep(1000);
      std::fclose(there);
      ${ends}
    }`;

const isAlive = (pid: number): boolean => {
  try {
    // A zombie that nobody has waited for no longer counts as a process.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a daemon started by a kernel', onLinux, () => {
  test.each([
    ['in a kernel that hangs until its limit', 'for (;;) pause();'],
    ['in a kernel that ends its process', '_exit(3);'],
  ])('ends with the process of the kernel, %s', async (name, ends) => {
    const pidFile = path.join(kernels.folder, `daemon-${ends.length}`);
    await rm(pidFile, { force: true });
    const text = kernels
      .withLine(daemon(pidFile, ends))
      .replace('#include <cstdio>', '#include <cstdio>\n#include <unistd.h>');
    await trustedVariant('daemon.cpp', text);
    kernels.userKernels.limit_s = name.includes('hangs') ? 2 : 60;
    await kernels.userKernels.prepare(['daemon.cpp'], transport);
    await failureOf(start('daemon.cpp'));
    kernels.userKernels.limit_s = 60;
    const pid = Number(await readFile(pidFile, 'utf8'));
    expect(pid).toBeGreaterThan(1);
    await expect.poll(() => isAlive(pid)).toBe(false);
    // This process and other kernels still work.
    await trustedVariant('copy.cpp', kernels.original);
    await kernels.userKernels.prepare(['copy.cpp'], transport);
    expect((await start('copy.cpp')).status).toBe('done');
  });
});

describe('trust in a kernel', () => {
  test('is required before a process starts, and again after the file was changed', async () => {
    const before = kernels.processes;
    await make('new.cpp', `${kernels.original}// new\n`);
    expect((await failureOf(kernels.userKernels.prepare(['new.cpp'], transport))).code).toBe('untrusted');
    expect((await failureOf(start('new.cpp'))).code).toBe('untrusted');
    await make('copy.cpp', `${kernels.original}\n`);
    expect((await failureOf(start('copy.cpp'))).code).toBe('untrusted');
    await make('copy.cpp', kernels.original);
    // The description is part of the trusted content, because it names the code that the kernel replaces.
    await make('copy.cpp', kernels.original, { ...description, title: 'Another' });
    expect((await failureOf(start('copy.cpp'))).code).toBe('untrusted');
    expect(kernels.processes).toBe(before);
    await make('copy.cpp', kernels.original);
    expect((await start('copy.cpp')).status).toBe('done');
  });

  test('includes the files included from the folder, whose changes ask for trust again', async () => {
    const header = path.join(folder, 'factor.hpp');
    await writeFile(header, 'constexpr double factor = 1;\n');
    const first = await trustedVariant('includes.cpp', `#include "factor.hpp"\n${kernels.original}`);
    expect(kernels.userKernels.isTrusted(first)).toBe(true);
    await writeFile(header, 'constexpr double factor = 2;\n');
    const changed = await kernels.userKernels.open(path.join(folder, 'includes.cpp'));
    expect(changed.sha256).not.toBe(first.sha256);
    expect((await failureOf(start('includes.cpp'))).code).toBe('untrusted');
  });

  test('is required before anything is compiled', async () => {
    const made = await make('unread.cpp', `${kernels.original}// unread\n`);
    await expect(kernels.userKernels.build(made)).rejects.toMatchObject({ code: 'untrusted' });
  });

  test.each([
    ['by its path', (file: string) => `#include "${file}"`],
    ['from outside its folder', (file: string) => `#include "../${path.basename(path.dirname(file))}/secret.txt"`],
    ['in angles', (file: string) => `#include <${file}>`],
    ['by a macro', (file: string) => `#define FILE_NAME "${file}"\n#include FILE_NAME`],
    ['on two lines', (file: string) => `#inc\\\nlude "${file}"`],
    ['after a comment', (file: string) => `/**/ #include "${file}"`],
  ])(
    'does not cover a file outside the folder, included %s: it is rejected at its line and its text is not shown',
    async (_, directive) => {
      const outside = await mkdtemp(path.join(tmpdir(), 'braggbench-outside-'));
      const file = path.join(outside, 'secret.txt');
      await writeFile(file, 'my_secret_word another_word;\n');
      await trustedVariant('spy.cpp', `${directive(file)}\n${kernels.original}`);
      const error = await failureOf(kernels.userKernels.prepare(['spy.cpp'], transport));
      expect(error.code).toBe('invalid');
      expect(error.message).toMatch(/^spy\.cpp:[12]: includes .*; allowed: files in the folder of the kernel/);
      expect(JSON.stringify(error.issues)).not.toContain('my_secret_word');
      await rm(outside, { recursive: true });
    },
  );
});

describe('an invalid user kernel', () => {
  test.each([
    ['{"kind": "variant",', /nameless\.json/],
    ['{"kind":"variant","version":1,"replaces":"kernels/transport/cpu/gather.cpp","title":"x"}', /base/],
    [
      JSON.stringify({ ...description, base: 'gahter' }),
      /"gahter" is not a variant of transport \(did you mean gather\?\); allowed: .*scatter/,
    ],
    [JSON.stringify({ ...description, base: 'cuda-gather' }), /allowed: a \.cu file/],
    [
      JSON.stringify({ ...description, replaces: 'kernels/transport/model/tables.cpp/../x' }),
      /can be replaced; allowed: kernels\/transport\/cpu\/gather\.cpp, /,
    ],
    [JSON.stringify({ ...description, version: 2 }), /version/],
  ])('is rejected: %s', async (text, message) => {
    await writeFile(path.join(folder, 'nameless.cpp'), kernels.original);
    await writeFile(path.join(folder, 'nameless.json'), text);
    const error = await failureOf(kernels.userKernels.open(path.join(folder, 'nameless.cpp')));
    expect(error.code).toBe('invalid');
    expect(error.message).toMatch(message);
    expect(kernels.userKernels.find('nameless.cpp')).toBeNull();
  });

  test('a missing file', async () => {
    expect((await failureOf(kernels.userKernels.open(path.join(folder, 'absent.cpp')))).message).toMatch(
      /^absent\.cpp: /,
    );
    await writeFile(path.join(folder, 'alone.cpp'), kernels.original);
    expect((await failureOf(kernels.userKernels.open(path.join(folder, 'alone.cpp')))).message).toMatch(
      /^alone\.json: .*needs it next to the code/,
    );
  });
});
