/** Serves the workbench to a browser, for `braggbench serve`. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../contract/errors.ts';
import {
  createStagedSolver,
  type Host,
  openHost,
  SERVING_FILE,
  type ServerAnnouncement,
  servingSchema,
  TOKEN_FILE,
  type UnsavedRuns,
} from '../host/index.ts';
import { servePage } from './server.ts';

/**
 * Ends the server of another machine's user after 30 min without pages and computations, checked every minute. The
 * user reaches it through a tunnel.
 */
const IDLE_LIMITS = { checks: 30, every_ms: 60_000 } as const;

/** Reads the token from the session's folder. Throws BraggError `invalid` if there is no usable one. */
async function sessionToken(folder: string): Promise<string> {
  const file = path.join(folder, TOKEN_FILE);
  const read = servingSchema.shape.token.safeParse(await readFile(file, 'utf8').catch(() => ''));
  if (read.success) return read.data;
  throw new BraggError('invalid', `${file} contains no token; it is written by braggbench connect.`);
}

/** Writes the file atomically, because another process waits for it and reads it immediately. */
async function writeAddress(folder: string, serving: ServerAnnouncement): Promise<void> {
  const file = path.join(folder, SERVING_FILE);
  await writeFile(`${file}.part`, JSON.stringify(serving), { mode: 0o600 });
  await rename(`${file}.part`, file);
}

/**
 * Watches whether the server is used. `idle` resolves once `isUsed` has returned false in `checks` consecutive checks.
 */
export function watchIdle(
  isUsed: () => boolean,
  { checks, every_ms }: { readonly checks: number; readonly every_ms: number } = IDLE_LIMITS,
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
  /** Port to listen on: null for the default or the next free one, 0 for any. */
  readonly port: number | null;
  /** Folder that contains the program's `materials/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** Folder of the built page; by default next to the bundled program. */
  readonly pageFolder?: string;
  /** Folder for the user's data; by default the user's data folder. */
  readonly dataFolder?: string;
  /** Scenario file that the page opens at the start. */
  readonly scenario?: string;
  /** Whether to run that scenario immediately. */
  readonly run?: boolean;
  /** Index or UUID of the GPU for runs. */
  readonly gpu?: string;
  /**
   * Present if a user of another machine uses the server: the folder that contains the token and receives the address,
   * and the user's name for this host.
   */
  readonly session?: { readonly folder: string; readonly as: string };
}

export interface RunningServer {
  readonly host: Host;
  /** URL for the user to open, including the token. */
  readonly url: string;
  readonly port: number;
  /** Resolves when a server for another machine has been idle long enough; never resolves for other servers. */
  readonly idle: Promise<void>;
  /** Closes connections, cancels runs and frees the port. Unsaved runs stay available for recovery. */
  close(): Promise<UnsavedRuns>;
}

/** Path of dist/renderer, relative to dist/host or to the source file. */
function builtPageFolder(): string {
  const here = import.meta.dirname;
  const places = [path.join(here, '..', 'renderer'), path.join(here, '..', '..', 'dist', 'renderer')];
  return places.find((place) => existsSync(path.join(place, 'browser.html'))) ?? path.join(here, '..', 'renderer');
}

/** Starts the server. Throws BraggError with one sentence for the user, for example if the port is in use. */
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
    solver: createStagedSolver(),
  });
  try {
    const token = session === undefined ? undefined : await sessionToken(session.folder);
    // For another machine, use any free port, because ssh forwards it.
    const port = session === undefined ? options.port : 0;
    const page = await servePage(host, options.pageFolder ?? builtPageFolder(), port, undefined, token);
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
        // Keep unsaved runs for recovery, because no user can decide about them.
        return host.close('keep');
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}
