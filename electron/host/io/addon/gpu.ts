/** Selects the GPU that runs use by default, by the same rule as the addon (native/cuda/opened). */
import type { CudaDevice, DeviceReport } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';

const GPU_VARIABLE = 'BRAGGBENCH_CUDA_DEVICE';

/** Finds a GPU by index, or by the beginning of its UUID: at least eight digits, with or without `GPU-`. */
export function findGpu(devices: readonly CudaDevice[], selector: string): CudaDevice | null {
  const byIndex = devices.find(({ index }) => String(index) === selector);
  if (byIndex !== undefined) return byIndex;
  const digits = selector.replace(/^GPU-/, '');
  const byUuid = devices.filter(({ uuid }) => digits.length >= 8 && uuid.startsWith(`GPU-${digits}`));
  return (byUuid.length === 1 ? byUuid[0] : null) ?? null;
}

/**
 * GPU that runs use by default: the one that BRAGGBENCH_CUDA_DEVICE names, otherwise the first usable one. Null if it
 * cannot be used.
 */
export function defaultGpu({ cuda }: Pick<DeviceReport, 'cuda'>): CudaDevice | null {
  const selector = process.env[GPU_VARIABLE] ?? '';
  const chosen = selector === '' ? cuda.devices.find(({ usable }) => usable) : findGpu(cuda.devices, selector);
  return chosen?.usable ? chosen : null;
}

/** Usable GPU that matches the selector (an index or a UUID). Throws BraggError that lists the usable ones. */
function findUsableGpu({ cuda }: Pick<DeviceReport, 'cuda'>, selector: string): CudaDevice {
  const found = findGpu(cuda.devices, selector);
  if (found?.usable) return found;
  const usable = cuda.devices.filter((device) => device.usable);
  const choices = usable.map(({ index, name, uuid }) => `${index} (${name}, ${uuid})`).join(', ');
  const none = cuda.reason ?? 'there is no CUDA device';
  const why = found?.reason ?? (choices === '' ? none : `allowed: ${choices}`);
  throw new BraggError('invalid', `the GPU ${JSON.stringify(selector)} cannot be used; ${why}`);
}

/** Makes a GPU the default of this process and its children. Throws BraggError that lists the usable ones. */
export function setDefaultGpu(report: Pick<DeviceReport, 'cuda'>, selector: string): void {
  process.env[GPU_VARIABLE] = findUsableGpu(report, selector).uuid;
}

/**
 * GPUs that share work. `list` is a comma-separated list of selectors, or `all` for all usable GPUs. Throws the errors
 * of `setDefaultGpu`.
 */
export function parseGpuList(report: Pick<DeviceReport, 'cuda'>, list: string): readonly CudaDevice[] {
  if (list !== 'all') return list.split(',').map((selector) => findUsableGpu(report, selector.trim()));
  const usable = report.cuda.devices.filter((device) => device.usable);
  if (usable.length > 0) return usable;
  throw new BraggError('invalid', `no GPU can be used; ${report.cuda.reason ?? 'there is no CUDA device'}`);
}
