/**
 * `npm run bench -- sanitized`: what compute-sanitizer says of a kernel without a check of its array's end, and of its
 * neighbours. Needs a GPU and the CUDA toolkit. `--keep` writes what the handbook shows.
 */
import { told } from './bench/told.mjs';
import { root } from './setup/root.mjs';
import { Failure, main, say } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  // TypeScript, which the Node of the lock file reads.
  const { keepSanitized, SANITIZED_SCENARIO, SANITIZED_VARIANTS, sanitizedRun } = await import('./bench/sanitized.ts');
  const { cuda } = await told('devices');
  const gpu = cuda.devices[0]?.name;
  if (gpu === undefined) throw new Failure(cuda.reason ?? 'there is no GPU', 1);
  const runs = [];
  for (const variant of SANITIZED_VARIANTS) {
    const run = sanitizedRun(variant, await told('sanitize', SANITIZED_SCENARIO, '--variant', variant));
    say(`${variant}: ${run.errors} errors by ${run.tool}`);
    for (const { what, file, line } of run.findings) say(`  ${what}, ${file ?? 'no file'}:${line ?? '?'}`);
    runs.push(run);
  }
  if (args.includes('--keep')) say(`Kept in ${await keepSanitized(root, gpu, runs)}`);
  return 0;
});
