/** Serves the workbench to a browser, for `braggbench serve`. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../contract/errors.ts';
import {
  type Host,
  openHost,
  SERVING_FILE,
  type ServerAnnouncement,
  servingSchema,
  stagedSolver,
  TOKEN_FILE,
  type UnsavedRuns,
} from '../host/index.ts';
import { servePage } from './server.ts';

// Server for another machine: its token and address are in a folder that only the user can read, and it ends when idle.

/** The server ends after this time without pages and work: 30 min, checked every minute. */
const IDLE = { checks: 30, every_ms: 60_000 } as const;

/** Reads the token. Throws a BraggError `invalid` for a folder without a usable one. */
async function sessionToken(folder: string): Promise<string> {
  const file = path.join(folder, TOKEN_FILE);
  const read = servingSchema.shape.token.safeParse(await readFile(file, 'utf8').catch(() => ''));
  if (read.success) return read.data;
  throw new BraggError('invalid', `${file} contains no token; it is written by braggbench connect.`);
}

/** Writes the file atomically, because the process that waits for it reads it at once. */
async function writeAddress(folder: string, serving: ServerAnnouncement): Promise<void> {
  const file = path.join(folder, SERVING_FILE);
  await writeFile(`${file}.part`, JSON.stringify(serving), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/** `idle` resolves after `isUsed` was false in this many consecutive checks. */
export function watchIdle(
  isUsed: () => boolean,
  { checks, every_ms }: { readonly checks: number; readonly every_ms: number } = IDLE,
): { readonly idle: Promise<void>; stop(): void } {
  let unused = 0;
  const settled = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    unused = isUsed() ? 0 : unused + 1;
    if (unused < checks) return;
    clearInterval(timer);
    settled.resolve();
  }, every_ms);
  return { idle: settled.promise, stop: () => clearInterval(timer) };
}

interface ServeOptions {
  /** Port; null for the default or the next free one, 0 for any. */
  readonly port: number | null;
  /** Folder with the program's `materials/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** Folder of the built page; next to the bundle by default. */
  readonly pageFolder?: string;
  /** Folder of the user's data; the user's default folder if absent. */
  readonly dataFolder?: string;
  /** Scenario file that the page opens first. */
  readonly scenario?: string;
  /** Whether to run it at once. */
  readonly run?: boolean;
  /** Index or UUID of the GPU for runs. */
  readonly gpu?: string;
  /**
   * Present to serve another machine: the folder with the token, which receives the address, and the user's name for
   * this host.
   */
  readonly session?: { readonly folder: string; readonly as: string };
}

export interface RunningServer {
  readonly host: Host;
  /** URL with the token, for the user to open. */
  readonly url: string;
  readonly port: number;
  /** Resolves when a session has been idle for long; never without a session. */
  readonly idle: Promise<void>;
  /** Closes connections, cancels runs, frees the port. Unsaved runs are retained for recovery. */
  close(): Promise<UnsavedRuns>;
}

/** Path of dist/renderer, from dist/host or from the source. */
function builtPage(): string {
  const here = import.meta.dirname;
  const places = [path.join(here, '..', 'renderer'), path.join(here, '..', '..', 'dist', 'renderer')];
  return places.find((place) => existsSync(path.join(place, 'browser.html'))) ?? path.join(here, '..', 'renderer');
}

/**
 * Starts the server. Throws BraggError with one sentence for the user: no such scenario, port in use, page or solver
 * not built.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { scenario, run, dataFolder, gpu, session } = options;
  if (scenario !== undefined && !existsSync(scenario)) throw new BraggError('not-found', `${scenario} does not exist.`);
  const host = await openHost({
    assetsFolder: options.assetsFolder,
    shell: { kind: 'browser', dialogs: false, window: false, menus: false },
    ...(dataFolder === undefined ? {} : { dataFolder }),
    ...(scenario === undefined ? {} : { openFirst: scenario }),
    ...(gpu === undefined ? {} : { gpu }),
    runFirst: run ?? false,
    ...(session === undefined ? {} : { remote: session.as }),
    solver: stagedSolver(),
  });
  try {
    const token = session === undefined ? undefined : await sessionToken(session.folder);
    // Use any free port, because it is forwarded.
    const port = session === undefined ? options.port : 0;
    const page = await servePage(host, options.pageFolder ?? builtPage(), port, undefined, token);
    if (session !== undefined && token !== undefined) await writeAddress(session.folder, { port: page.port, token });
    const watch = session === undefined ? null : watchIdle(() => page.pages > 0 || host.isComputing);
    return {
      host,
      url: page.url,
      port: page.port,
      idle: watch?.idle ?? new Promise(() => undefined),
      close: async () => {
        watch?.stop();
        if (session !== undefined) await rm(path.join(session.folder, SERVING_FILE), { force: true });
        await page.close();
        // Retain unsaved runs, because the user could not be consulted.
        return host.close('keep');
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}
