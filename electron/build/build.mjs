/** `npm run build`: installs missing packages, and builds page, host, addon and kernels. */
import { main, printLine } from './setup/say.mjs';
import { allSteps, build, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  if (args.length > 0) {
    process.stderr.write(`npm run build takes no arguments, but got: ${args.join(' ')}\n`);
    return 2;
  }
  const elsewhere = await prepare(args, { developer: false });
  if (elsewhere !== null) return elsewhere;
  await build(await allSteps({ withoutGpu: true, userKernels: true }));
  printLine('Built: dist/ is up to date.');
  return 0;
});
