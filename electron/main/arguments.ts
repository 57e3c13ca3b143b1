/** Command-line arguments of the desktop program. */
import path from 'node:path';
import { z } from 'zod';

interface StartArguments {
  /** Absolute path of a scenario or run to open; null if there is none. */
  readonly file: string | null;
  /** Whether to run the scenario immediately. */
  readonly run: boolean;
  /** Index or UUID of the GPU for runs; null selects the first usable one. */
  readonly gpu: string | null;
}

/**
 * Removes the executable from the arguments, and in development also the application's folder. The folder is the first
 * argument that is not a switch, because a debugger inserts switches before it.
 */
export function programArguments(argv: readonly string[], isPackaged: boolean): readonly string[] {
  if (isPackaged) return argv.slice(1);
  const folder = argv.findIndex((argument, at) => at > 0 && !argument.startsWith('-'));
  return folder < 0 ? [] : argv.slice(folder + 1);
}

/**
 * Arguments that a second instance passes to the first one. Electron's own list is not used, because Chromium changes
 * its order.
 */
export const forwardedArgumentsSchema = z.object({ args: z.array(z.string()), folder: z.string() });

/**
 * Parses arguments and skips Chromium's switches among them. Relative paths refer to `folder`, which a second instance
 * passes together with its arguments.
 */
export function readArguments(args: readonly string[], folder: string): StartArguments {
  let file: string | null = null;
  let run = false;
  let gpu: string | null = null;
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i] ?? '';
    if (argument === '--run') run = true;
    else if (argument === '--gpu') {
      gpu = args[i + 1] ?? null;
      i += 1;
    } else if (argument.startsWith('--gpu=')) gpu = argument.slice('--gpu='.length);
    else if (argument === '--scenario') {
      file = args[i + 1] ?? null;
      i += 1;
    } else if (argument.startsWith('--scenario=')) file = argument.slice('--scenario='.length);
    else if (!argument.startsWith('-') && argument !== '') file = argument;
  }
  return { file: file === null ? null : path.resolve(folder, file), run, gpu };
}

/** Whether to open a file as a run. All other files are opened as scenarios, which report errors if they are none. */
export function isRunFile(file: string): boolean {
  return /\.(h5|hdf5)$/i.test(file);
}
