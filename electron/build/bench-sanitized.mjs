/**
 * `npm run bench -- sanitized`: runs compute-sanitizer on a kernel without a bounds check of its array, and on two
 * variants that do not write beyond its end. Needs a GPU and the CUDA toolkit. `--keep` saves the result for the
 * handbook.
 */
import { jsonOf } from './bench/command-line.mjs';
import { root } from './setup/root.mjs';
import { Failure, main, say } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  // Imported here, because it is TypeScript, which only the Node version of the lock file can load.
  const { saveSanitized, SANITIZED_SCENARIO, SANITIZED_VARIANTS, sanitizedRun } = await import('./bench/sanitized.ts');
  const { cuda } = await jsonOf('devices');
  const gpu = cuda.devices[0]?.name;
  if (gpu === undefined) throw new Failure(cuda.reason ?? 'there is no GPU', 1);
  const runs = [];
  for (const variant of SANITIZED_VARIANTS) {
    const run = sanitizedRun(variant, await jsonOf('sanitize', SANITIZED_SCENARIO, '--variant', variant));
    say(`${variant}: ${run.errors} errors found by ${run.tool}`);
    for (const { what, file, line } of run.findings) say(`  ${what}, ${file ?? 'no file'}:${line ?? '?'}`);
    runs.push(run);
  }
  if (args.includes('--keep')) say(`Saved in ${await saveSanitized(root, gpu, runs)}`);
  return 0;
});
