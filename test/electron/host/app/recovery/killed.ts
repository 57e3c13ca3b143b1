/** A host in a child process that will be killed: saves edits, computes, and prints a line when ready. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openHost } from '../../../../../electron/host/index.ts';
import { assetsFolder, memoryLimit_bytes } from '../../small-run.ts';
import { imageWork, taskWork, transportWork } from './slow.ts';

const [dataFolder = '', what = '', workload = ''] = process.argv.slice(2);
const documentsByWorkload = { transport: transportWork, diffraction: imageWork, 'linear-relu': taskWork } as const;
const [edited, edit, slow] = documentsByWorkload[workload as keyof typeof documentsByWorkload];
const host = await openHost({
  assetsFolder,
  dataFolder,
  shell: { kind: 'browser', dialogs: false, window: false, menus: false },
  memoryLimit_bytes,
});
const file = { kind: 'library', key: 'mine.json' } as const;
const scenario = { ...edited };
if (what === 'edit') {
  await host.call('scenario.save', { scenario, file, ifExists: 'refuse' });
  const draft = { ...scenario, ...edit };
  await host.call('recovery.keep', { page: 'page-one', title: 'mine.json', file, draft });
  await host.call('recovery.keep', { page: 'page-two', title: 'Untitled', file: null, draft: scenario });
} else {
  const run = await host.call('run.start', { scenario: { ...slow }, name: '' });
  if (what === 'ended') {
    // Stop the run once it has run long enough to have a checkpoint.
    const owner = path.join(dataFolder, 'recovery');
    const kept = async (): Promise<boolean> => (await readdir(owner, { recursive: true }).catch(() => [])).length > 2;
    while (!(await kept())) await new Promise((resolve) => setTimeout(resolve, 50));
    host.runs.cancel(run.id);
    await host.runs.waitForEnd(run.id);
  }
}
// The checkpoint is written some seconds after the run has begun; the parent process waits for the file.
console.log('ready');
setInterval(() => undefined, 1000);
