import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { onPath } from '../../../../electron/build/setup/command.mjs';
import { root } from '../../../../electron/build/setup/root.mjs';
import { compilingBeside, configure } from '../../../../electron/build/steps/native.mjs';
import { sameScratchFolder } from '../../../scratch-folder.ts';

const commandSchema = z.array(z.looseObject({ command: z.string() }));

/** Compile commands of the files of a build tree that need no package, with the tree's own name replaced. */
function commands(tree: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(tree, 'compile_commands.json'), 'utf8').replaceAll(tree, 'TREE');
  const ours = commandSchema.parse(JSON.parse(text)).map(({ command }) => {
    const [, object = ''] =
      / -o CMakeFiles\/(bb_(?:core|engine|cuda|more|launching|simd_\w+)\.dir\S+)/.exec(command) ?? [];
    return [object, command] as const;
  });
  return new Map(ours.filter(([object]) => object !== ''));
}

it.skipIf(process.platform !== 'linux' || onPath('ninja') === null)(
  'while packages come, the solver is compiled by the very commands that the build then finds done',
  async () => {
    const folder = sameScratchFolder('beside');
    const [tree, usual] = [path.join(folder, 'cmake'), path.join(folder, 'usual')];
    const done = await compilingBeside(
      async () => {
        for (let waited = 0; waited < 1000 && !existsSync(path.join(tree, '.ninja_log')); waited += 1) await sleep(100);
        return 'packages';
      },
      path.relative(root, tree),
    );
    expect(done).toBe('packages');
    const beside = commands(tree);
    expect(beside.size).toBeGreaterThan(40);
    expect((await configure(path.relative(root, usual))).code).toBe(0);
    expect([...commands(usual)].filter(([object, command]) => beside.get(object) !== command)).toEqual([]);
  },
);

it('what fails beside it is not lost', async () => {
  const taken = path.relative(root, sameScratchFolder('beside-taken'));
  await expect(compilingBeside(() => Promise.reject(new Error('no registry')), taken)).rejects.toThrow('no registry');
});
