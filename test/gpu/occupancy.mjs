/**
 * The launch explorer's occupancy compared with this GPU's driver: every compiled kernel, at all block sizes of whole
 * warps and some others, with and without dynamic shared memory. Prints one line per workload and check, and finally `N
 * passed, N failed`, like the C++ tests.
 *
 * BRAGGBENCH_RECORD=FILE saves the driver's values for the tests that run without a GPU.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { computeOccupancy, launchLimitsOf } from '../../electron/domain/launch/occupancy.ts';

const root = path.resolve(import.meta.dirname, '../..');
const addon = createRequire(import.meta.url)(path.join(root, 'dist/native/braggbench.node'));
const images = process.env['BRAGGBENCH_KERNELS'] ?? path.join(root, 'dist/kernels');
const folders = { images, sources: path.join(images, 'source'), cache: '' };

const threads = [1, 31, 33, 100, 1000, ...Array.from({ length: 32 }, (_, i) => 32 * (i + 1))];
const dynamic = [0, 4096, 40_000];

/** @param {string} workload */
const resourcesOf = (workload) => JSON.parse(readFileSync(path.join(images, `${workload}.resources.json`), 'utf8'));

const device = addon.devices().cuda.devices.find((/** @type {{ usable: boolean }} */ one) => one.usable);
if (device === undefined) {
  console.log('FAIL no GPU that can be used\n0 passed, 1 failed');
  process.exit(1);
}
const limits = launchLimitsOf(device);
/** @type {{ workload: string, dynamic_bytes: number, kernels: unknown[] }[]} */
const record = [];
let passed = 0;
let failed = 0;

/** @param {string} name @param {readonly string[]} wrong */
function reportCheck(name, wrong) {
  if (wrong.length === 0) passed += 1;
  else failed += 1;
  console.log(`${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  for (const one of wrong.slice(0, 12)) console.log(`     ${one}`);
}

const workloads = readdirSync(images).flatMap((name) => /^(.+)\.resources\.json$/.exec(name)?.[1] ?? []);
if (workloads.length === 0) {
  // Without nvcc at build time there are no kernels to compare with the driver.
  console.log(`FAIL no kernels were compiled beforehand: ${images} has no *.resources.json\n0 passed, 1 failed`);
  process.exit(1);
}
for (const workload of workloads.sort()) {
  const built = resourcesOf(workload).kernels.filter(
    (/** @type {{ architecture: string }} */ one) => one.architecture.replace(/[a-z]$/, '') === limits.architecture,
  );
  const byName = new Map(built.map((/** @type {{ name: string }} */ one) => [one.name, one]));
  for (const dynamic_bytes of dynamic) {
    const fitting = built.filter(
      (/** @type {{ shared_bytes: number }} */ one) =>
        one.shared_bytes + dynamic_bytes <= limits.sharedPerBlockOptIn_bytes,
    );
    const kernels = fitting.map((/** @type {{ name: string }} */ one) => one.name);
    const answers = await addon.kernelOccupancy({
      ...folders,
      device: device.uuid,
      workload,
      kernels,
      threads,
      dynamic_bytes,
    });
    /** @type {string[]} */
    const wrong = [];
    for (const answer of answers) {
      const kernel = byName.get(answer.name);
      for (const key of ['registers', 'shared_bytes']) {
        if (kernel[key] !== answer[key])
          wrong.push(`${answer.name}: ${key} ${kernel[key]} by ptxas, ${answer[key]} loaded`);
      }
      const bound = kernel.max_threads ?? device.threadsPerBlock;
      if (kernel.max_threads !== undefined && kernel.max_threads !== null && bound !== answer.max_threads) {
        wrong.push(`${answer.name}: launch bounds ${bound} in the PTX, ${answer.max_threads} loaded`);
      }
      threads.forEach((size, i) => {
        const ours = computeOccupancy(
          { ...kernel, max_threads: answer.max_threads },
          limits,
          size,
          dynamic_bytes,
        ).blocks;
        if (ours !== answer.blocks[i])
          wrong.push(`${answer.name}, ${size} threads: ${ours} blocks, the driver ${answer.blocks[i]}`);
      });
    }
    const counted = `${answers.length} kernels at ${threads.length} block sizes, ${dynamic_bytes} B given at launch`;
    reportCheck(`occupancy of ${workload} on ${limits.name}: ${counted}`, wrong);
    record.push({
      workload,
      dynamic_bytes,
      kernels: answers.map((/** @type {any} */ one) => ({ ...one, barriers: byName.get(one.name).barriers })),
    });
  }
}
const file = process.env['BRAGGBENCH_RECORD'];
if (file)
  writeFileSync(
    file,
    `${JSON.stringify({ device: limits.name, driver: addon.devices().cuda.driver, threads, record })}\n`,
  );
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
