/** Capabilities of a machine without a GPU, for tests that need some hello. */
import type { Capabilities } from '../../../electron/contract/capabilities.ts';

const reason = 'The driver library libcuda.so.1 was not found.';
const missing = { available: false, reason, version: null, file: null };

export const testCapabilities: Capabilities = {
  version: '0.1.0',
  build: 'test',
  compiler: 'test',
  cpu: { name: 'test', logicalCores: 2, isa: 'avx2', memory_bytes: 2 ** 33, os: 'test' },
  devices: {
    cuda: { available: false, reason: missing.reason, driver: null, version: null, devices: [] },
    nvrtc: missing,
    nvml: missing,
    cupti: missing,
    cublas: missing,
    cublasLt: missing,
  },
  variants: [],
  shell: { kind: 'none', dialogs: false, window: false, menus: false, libraryFolder: '', remote: null },
  memoryLimit_bytes: 2 ** 32,
  openFirst: null,
  runFirst: false,
};
