/**
 * Tests of user kernels that need a compilation each: kernels that print, that are outdated, that support every
 * instruction set, or that include files.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { kernelFolders } from '../../../../../electron/host/model/bench/machine.ts';
import { addon, description, failureOf, transport, useUserKernels } from './workload-kernels.ts';

const kernels = useUserKernels('user-kernels-long');
const { folder, problemFor, start, trusted, trustedVariant, withLine } = kernels;

test('the output of a user kernel is saved completely, without an added newline', async () => {
  const made = await trustedVariant('prints.cpp', withLine('std::printf("slice %d of TILE %d", step_, TILE);'), {
    ...description,
    compile: { defines: { TILE: 16 }, lineinfo: true },
  });
  await kernels.userKernels.prepare([made.id], transport);
  expect(kernels.userKernels.printedOutput(made.id)).toEqual({ first: '', last: '', left_out: 0 });
  const { steps } = await start('prints.cpp');
  const { first } = kernels.userKernels.printedOutput(made.id);
  expect(first.split('slice').length - 1).toBe(steps);
  expect(first).toMatch(/^slice \d+ of TILE 16slice /);
  // The next run clears the output.
  await kernels.userKernels.prepare([made.id], transport);
  expect(kernels.userKernels.printedOutput(made.id).first).toBe('');
});

test('a copy with former paths of the kernels names files as they were, and works', async () => {
  const before = kernels.original
    .replace('"transport/run/projection.hpp"', '"engine/projection.hpp"')
    .replaceAll(/"transport\/[a-z/]+\/([a-z_]+\.hpp)"/g, '"$1"')
    .replace('"transport/variants.hpp"', '"variants.hpp"');
  expect(before).toContain('#include "engine/projection.hpp"');
  expect(before).toContain('#include "index.hpp"');
  const made = await trustedVariant('before.cpp', before, { ...description, replaces: 'kernels/transport/gather.cpp' });
  expect(made.description.replaces).toBe('kernels/transport/cpu/gather.cpp');
  const base = await addon.createTransport(problemFor('gather')).start(() => undefined);
  expect((await start('before.cpp')).dose).toEqual(base.dose);
});

test('a file compiled for every instruction set can be replaced too', async () => {
  vi.stubEnv('CXXFLAGS', '');
  const replaces = 'kernels/transport/cpu/gather_ops.simd.cpp';
  const text = await readFile(path.join(kernelFolders().sources, 'transport/cpu/gather_ops.simd.cpp'), 'utf8');
  await trustedVariant('ops.cpp', text, { ...description, replaces });
  expect((await start('ops.cpp')).dose).toEqual(
    (await addon.createTransport(problemFor('gather')).start(() => undefined)).dose,
  );
  vi.stubEnv('CXXFLAGS', '-O0');
});

test('trust in a kernel includes its included files: a change asks for trust and rebuilds', async () => {
  const text = withLine('for (T& p : state_.psi) p *= T(factor());');
  const including = `#include "parts/factor.hpp"\n${text}`;
  await mkdir(path.join(folder, 'parts'));
  const header = (factor: string) =>
    writeFile(
      path.join(folder, 'parts/factor.hpp'),
      `#pragma once\n#include "more.hpp"\ninline double factor() { return ${factor}; }\n`,
    );
  await writeFile(path.join(folder, 'parts/more.hpp'), '#pragma once\nconstexpr double half = 0.5;\n');
  await header('2 * half');
  const first = await trustedVariant('includes.cpp', including);
  const base = await addon.createTransport(problemFor('gather')).start(() => undefined);
  expect((await start('includes.cpp')).dose).toEqual(base.dose);

  await header('half');
  const changed = await kernels.userKernels.open(path.join(folder, 'includes.cpp'));
  expect(changed.sha256).not.toBe(first.sha256);
  expect((await failureOf(start('includes.cpp'))).code).toBe('untrusted');
  trusted.add(changed.sha256);
  expect((await start('includes.cpp')).dose).not.toEqual(base.dose);

  // A header that another header includes is covered too.
  await writeFile(path.join(folder, 'parts/more.hpp'), '#pragma once\nconstexpr double half = 1;\n');
  expect(kernels.userKernels.isTrusted(await kernels.userKernels.open(path.join(folder, 'includes.cpp')))).toBe(false);
  await writeFile(path.join(folder, 'parts/more.hpp'), 'constexpr double half = ;\n');
  trusted.add((await kernels.userKernels.open(path.join(folder, 'includes.cpp'))).sha256);
  expect((await failureOf(kernels.userKernels.prepare(['includes.cpp'], transport))).message).toContain(
    '(in more.hpp, line 1)',
  );
});
