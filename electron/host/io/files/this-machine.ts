/**
 * Identifies this machine, its boot and its namespace of process ids among others that see the same files. Read on
 * first use: the command line's start-up image is made by another process, of an earlier boot.
 */
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

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** The system's identifier, else that of the mainboard (readable as root), else the host name. */
function systemId(): string {
  const files = ['/etc/machine-id', '/sys/class/dmi/id/product_uuid'];
  const found = files.map((file) => said(() => readFileSync(file, 'utf8'))).find((text) => text !== null);
  return hashed(`braggbench machine ${found ?? hostname()}`);
}

interface Machine {
  /** The same for every start of this system, and in no other: hashed, as sessions carry it to other people. */
  readonly id: string;
  /** Boot id of the running kernel, the same in all of its containers; null where the system does not tell. */
  readonly bootId: string | null;
  /** Containers have names of their own. */
  readonly name: string;
  /** Process ids mean the same only where this is the same. */
  readonly processRoomId: string;
}
let known: Machine | null = null;

function asked(): Machine {
  const bootId = said(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const name = `${hostname()} ${said(() => readFileSync('/etc/machine-id', 'utf8')) ?? ''}`.trim();
  const room = [bootId ?? name, said(() => readlinkSync('/proc/self/ns/pid')) ?? ''].join(' ');
  return { id: systemId(), bootId, name, processRoomId: hashed(room) };
}

export function thisMachine(): Machine {
  known ??= asked();
  return known;
}

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
