/** Where the window was and how large, kept between starts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Rectangle } from 'electron';
import { z } from 'zod';
import { PRIVATE } from '../host/index.ts';

const stateSchema = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number().min(400).max(20_000),
  height: z.number().min(300).max(20_000),
  maximized: z.boolean(),
});
type WindowState = Readonly<z.infer<typeof stateSchema>>;

/** Null when nothing is stored, or nothing that can be used. */
export async function readWindowState(file: string): Promise<WindowState | null> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/** A place that could not be kept is no reason to trouble anybody. */
export async function writeWindowState(file: string, state: WindowState): Promise<void> {
  try {
    await mkdir(path.dirname(file), PRIVATE);
    await writeFile(file, `${JSON.stringify(state)}\n`);
  } catch {
    // The next start opens the window in the middle.
  }
}

/** Pixels of the window that have to be on a screen for it to be found again. */
const VISIBLE_PX = 80;

export function isOnScreen(state: WindowState, screens: readonly Rectangle[]): boolean {
  return screens.some((screen) => {
    const across = Math.min(state.x + state.width, screen.x + screen.width) - Math.max(state.x, screen.x);
    const down = Math.min(state.y + state.height, screen.y + screen.height) - Math.max(state.y, screen.y);
    return across >= VISIBLE_PX && down >= VISIBLE_PX;
  });
}
