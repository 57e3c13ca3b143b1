/** A host with the real addon and a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Host, type HostOptions, openHost, type ShellHandlers } from '../../../electron/host/index.ts';
import { inProcessPorts } from '../../../electron/transports/in-process.ts';
import { type Client, connect } from '../../../renderer/client/index.ts';
import { assetsFolder, memoryLimit_bytes } from './small-run.ts';

export interface TestHost {
  readonly host: Host;
  readonly folder: string;
  /** A page of this host. */
  page(shell?: ShellHandlers): Promise<Client>;
  close(): Promise<void>;
}

export async function openTestHost(options: Partial<HostOptions> = {}): Promise<TestHost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-host-'));
  const host = await openHost({
    assetsFolder,
    dataFolder: folder,
    shell: { kind: 'none', dialogs: false, window: false, menus: false },
    memoryLimit_bytes,
    checkResults: true,
    ...options,
  });
  const pages: Client[] = [];
  return {
    host,
    folder,
    page: async (shell) => {
      const door = host.door(shell ?? null);
      const client = await connect(
        async () => {
          const [page, hostSide] = inProcessPorts();
          door.accept(hostSide, { singleUse: true });
          return page;
        },
        { reconnect: false },
      );
      pages.push(client);
      return client;
    },
    close: async () => {
      for (const page of pages) page.close();
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A run of about two seconds in eighty steps, to be watched and cancelled: the oracle, on one thread. */
export const longScenario = {
  kind: 'transport',
  version: 1,
  name: 'long run',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.125, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.35 } },
  solver: { step_mm: 0.125, variant: 'reference', precision: 'fp64' },
  output: { keyframes: 4 },
} as const;

/** The same in as many steps on a quarter of its cells: to be watched to its end. */
export const watchedScenario = {
  ...longScenario,
  name: 'watched run',
  grid: { ...longScenario.grid, dx_mm: 2, energy: { kind: 'uniform', step_MeV: 0.7 } },
} as const;

export async function eventually(condition: () => boolean, within_ms = 60_000): Promise<void> {
  const until = Date.now() + within_ms;
  while (!condition()) {
    if (Date.now() > until) throw new Error(`the condition did not come true within ${within_ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
