import { UserKernels } from '../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon } from '../electron/host/io/addon/addon.ts';
import { kernelFolders } from '../electron/host/model/bench/ceilings.ts';
import { replaceable } from '../electron/host/model/user-kernels/file.ts';
import { forkChild } from '../electron/host/model/user-kernels/process/link.ts';
import { rulesOf } from '../electron/host/workloads/index.ts';

const own = new UserKernels({
  addon: loadAddon(),
  folders: { ...kernelFolders(), cache: '/tmp/house/c' },
  isTrusted: () => false,
  startChild: () => forkChild(),
});
const c = process.cpuUsage();
const t = performance.now();
const bs = own.bases();
console.log(bs.length);
for (const b of bs) await replaceable(kernelFolders().sources, b, rulesOf(b));
const d = process.cpuUsage(c);
console.log((d.user + d.system) / 1e3, performance.now() - t);
