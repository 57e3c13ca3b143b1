/** What tells this machine, this start of it and this room of process ids from others that see the same files. */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

function said(read: () => string): string | null {
  try {
    return read().trim() || null;
  } catch {
    return null;
  }
}

/** Boot id of the running kernel, the same in all of its containers; null where the system does not tell. */
export const bootId: string | null = said(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));

/** Containers have names of their own. */
export const machineName: string = `${hostname()} ${said(() => readFileSync('/etc/machine-id', 'utf8')) ?? ''}`.trim();

/** Process ids mean the same only where this is the same. */
const processRoom = [bootId ?? machineName, said(() => readlinkSync('/proc/self/ns/pid')) ?? ''].join(' ');
export const processRoomId: string = createHash('sha256').update(processRoom).digest('hex').slice(0, 10);

/** Whether there is a process of this id in this room. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's: there is such a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
