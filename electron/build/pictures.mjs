/**
 * `npm run pictures`: redraws the pictures of the questions and of the library's examples. Arguments select questions
 * by name.
 */
import { handOver } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { allSteps, build, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await allSteps());
  const wanted = process.argv.slice(2);
  const code = await handOver(process.execPath, [inRoot('test/pictures/questions.ts'), ...wanted]);
  if (code !== 0 || wanted.length > 0) return code;
  return handOver(process.execPath, [inRoot('test/pictures/examples.ts')]);
});
