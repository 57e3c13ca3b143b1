/** Options for tests that cannot run on every machine. Skipped tests are reported with the reason. */

declare module 'vitest' {
  interface TaskMeta {
    reason?: string;
  }
}

/** Options of a test or of a `describe`. `reason`: why it cannot run on this machine; null or false if it can. */
export const unless = (reason: string | null | false) =>
  reason === null || reason === false ? {} : { skip: true, meta: { reason } };

const { platform } = process;

export const onPosix = unless(platform === 'win32' && 'Windows has no such files, signals and shell');
export const onLinux = unless(platform !== 'linux' && 'it needs Linux');
/** Options of tests that need root, for example to mount a file system. */
export const asRoot = unless(
  platform !== 'linux' ? 'it needs Linux' : process.getuid?.() !== 0 && 'it needs the rights of root',
);
