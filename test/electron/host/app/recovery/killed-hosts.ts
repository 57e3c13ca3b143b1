/** Shared by tests of recovery: hosts that are killed, and new hosts that open the same folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import type { RecoverableItem } from '../../../../../electron/contract/recovery.ts';
import { testProgram } from '../../../../test-programs.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

/** Environment that saves checkpoints of runs from the first moments on, so that tests need not wait. */
export const EARLY_CHECKPOINTS = { BRAGGBENCH_KEPT_FROM_MS: '100' };

type Page = Awaited<ReturnType<TestHost['page']>>;

export const list = async (page: Page): Promise<readonly RecoverableItem[]> =>
  (await page.call('recovery.list', { pages: [] })).items;

const processEnd = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/** Creates hosts that can be killed, with a separate data folder per test. Call this at the top of a test file. */
export function useKilledHosts() {
  let folder = '';
  let host: TestHost | null = null;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-recovery-'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await host?.close();
    host = null;
    await rm(folder, { recursive: true, force: true });
  });

  return {
    get folder() {
      return folder;
    },

    /** Starts killed.ts, waits until it is ready and `until` holds, and kills it as a crash does. */
    async crashHost(
      what: 'edit' | 'running' | 'ended',
      until: () => Promise<boolean>,
      workload = 'transport',
    ): Promise<void> {
      const child = spawn(process.execPath, [testProgram('killed-host'), folder, what, workload], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...EARLY_CHECKPOINTS },
      });
      try {
        await new Promise<void>((resolve, reject) => {
          child.stdout?.once('data', () => resolve());
          child.once('exit', (code) => reject(new Error(`the host exited with code ${code} before it was killed`)));
        });
        // A loaded machine needs minutes for the first round of a measurement.
        const end = Date.now() + 240_000;
        while (!(await until())) {
          if (Date.now() > end) throw new Error('the condition was not met within four minutes');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } finally {
        child.kill('SIGKILL');
        await processEnd(child);
      }
    },

    /**
     * Starts a server that computes a run and signals it once `kept` holds, or once the run has started. Returns the
     * server's standard error.
     */
    async signalServer(
      signal: 'SIGTERM' | 'SIGHUP' | 'SIGINT',
      kept: (() => Promise<boolean>) | 'started',
      more = {},
    ): Promise<string> {
      const child = spawn(process.execPath, [testProgram('served-run')], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, BRAGGBENCH_HOME: folder, ...more },
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
      let started = false;
      child.stdout.once('data', () => {
        started = true;
      });
      const until = kept === 'started' ? () => started : kept;
      try {
        await vi.waitUntil(until, { timeout: 60_000, interval: 50 });
        child.kill(signal);
        await processEnd(child);
      } finally {
        child.kill('SIGKILL');
      }
      return said;
    },

    /** State files of the checkpointed runs. */
    async runStates(): Promise<{ finished: boolean; step: number }[]> {
      const root = path.join(folder, 'recovery');
      const found: { finished: boolean; step: number }[] = [];
      for (const owner of await readdir(root).catch(() => [])) {
        // A folder may disappear between the two listings.
        for (const name of await readdir(path.join(root, owner)).catch(() => [])) {
          if (/^run-.*\.json$/.test(name)) found.push(JSON.parse(await readFile(path.join(root, owner, name), 'utf8')));
        }
      }
      return found;
    },

    /** Starts the next host on the same folder. It is closed after the test. */
    async openNextHost(): Promise<TestHost> {
      host = await openTestHost({
        dataFolder: folder,
        shell: { kind: 'browser', dialogs: false, window: false, menus: false },
      });
      return host;
    },

    /** Call this if the test has closed the host itself. */
    forgetHost(): void {
      host = null;
    },
  };
}
