/** The command line with and without its start-up image. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { snapshotCommand } from '../../../../electron/build/setup/pinned-node.mjs';
import { scratchFolder } from '../../../scratch-folder.ts';
import { braggbench, type CommandOptions, type CommandResult, environmentWith } from '../command.ts';

/** Creates functions that run the command line in both ways. Call this at the top of a test file. */
export function useImageAndSource() {
  const folder = scratchFolder('cli-image');
  const small = {
    kind: 'transport',
    version: 1,
    name: 'Small',
    beam: { energy_MeV: 30 },
    geometry: { width_mm: 10, depth_mm: 10 },
    grid: { dx_mm: 0.5, dz_mm: 0.25, dtheta_mrad: 50 },
    output: { keyframes: 4 },
  };

  beforeAll(() => writeFile(join(folder, 'small.json'), JSON.stringify(small)));

  /** Runs the command with the start-up image, as the launcher does, and without it. */
  async function runWithAndWithoutImage(
    words: readonly string[],
    options: CommandOptions = {},
  ): Promise<readonly [CommandResult, CommandResult]> {
    if (snapshotCommand(words) === null) throw new Error('there is no start-up image');
    const run = (home: string, image: boolean) =>
      braggbench(words, { cwd: folder, environment: environmentWith(join(folder, home)), ...options, image });
    return [await run('with', true), await run('without', false)];
  }
  return { folder, bothWays: runWithAndWithoutImage };
}
