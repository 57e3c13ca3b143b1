/**
 * A program that is bundled into the folder of a package and started there. Its host reads a large text and a run file
 * on worker threads, and a trace in a child process. Prints the results as JSON. Arguments: the folder of assets, and
 * one for data.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openHost } from '../../../electron/host/index.ts';

const [assetsFolder = '', dataFolder = ''] = process.argv.slice(2);
const host = await openHost({
  assetsFolder,
  dataFolder,
  shell: { kind: 'none', dialogs: false, window: false, menus: false },
});
const scenario = {
  kind: 'transport',
  version: 1,
  name: 'packaged',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
};
const text = `kind: transport\nversion: 1\nextra:\n${' - 1\n'.repeat(40_000)}`;
const { issues } = await host.call('scenario.parse', { text, name: 'large.yaml' });

const { id } = await host.call('run.start', { scenario, name: '' });
const { state } = await host.runs.waitForEnd(id);
const file = { kind: 'library', key: 'run.h5' } as const;
await mkdir(path.join(dataFolder, 'library'), { recursive: true });
await host.call('run.save', { run: id, file, ifExists: 'replace' });
const openedRun = await host.call('run.open', { source: { kind: 'file', file } });

const event = '{"name":"kernel","ph":"X","ts":1,"dur":7,"pid":1,"tid":2}';
await writeFile(path.join(dataFolder, 'library', 'trace.json'), `[${event}]`);
const trace = await host.call('timeline.open', {
  source: { kind: 'file', file: { kind: 'library', key: 'trace.json' } },
});
await host.close();
console.log(JSON.stringify({ issues: issues.length, state, opened: openedRun.headline, spans: trace.spans }));
process.exit(0);
