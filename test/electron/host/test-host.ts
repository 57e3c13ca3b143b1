/**
 * A host with the real addon and a temporary data folder. Also a host for all tests of a file, closed after them, with
 * a connected page. Also benchmarks in tests, through the interface that the page and the command line use.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import { type Host, type HostOptions, openHost, type ShellHandlers } from '../../../electron/host/index.ts';
import type { NativeAddon } from '../../../electron/host/io/addon/addon.ts';
import { measureReport } from '../../../electron/host/workloads/bench.ts';
import type { BenchProblem } from '../../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { inProcessPorts } from '../../../electron/transports/websocket-host.ts';
import { type Client, connect } from '../../../renderer/data/client/client.ts';
import { assetsFolder, memoryLimit_bytes } from './small-run.ts';

export interface TestHost {
  readonly host: Host;
  readonly folder: string;
  /** Connects a page to this host. */
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
      const door = host.pageAcceptor(shell ?? null);
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

/** A run of about two seconds in eighty steps, to be watched and cancelled, by one thread of the reference variant. */
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

/** A scenario for tests that observe a run to its end: as many steps as the usual one, on a quarter of its cells. */
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

export async function hostOfFile(): Promise<Readonly<{ test_: TestHost; page: Client }>> {
  const test_ = await openTestHost();
  afterAll(() => test_.close());
  return { test_, page: await test_.page() };
}

export type BenchmarkOptions = Parameters<typeof measureReport>[3];

export function benchInProcess(
  addon: NativeAddon,
  problem: BenchProblem,
  options: BenchmarkOptions,
): Promise<SessionReport> {
  return measureReport(addon, hostWorkloads[problem.kind].benchable, problem, options);
}

/** The entry with a label, or of a variant. Throws if it was not measured. */
export function measuredEntry({ entries }: SessionReport, label: string): MeasuredSessionEntry {
  const entry = entries.find((one) => one.label === label);
  if (entry?.status !== 'measured') throw new Error(`${label} was not measured`);
  return entry;
}

export function accuracyIn(entry: MeasuredSessionEntry, id: string): MeasuredSessionEntry['accuracy'][number] {
  const found = entry.accuracy.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${entry.label} has no ${id}`);
  return found;
}
