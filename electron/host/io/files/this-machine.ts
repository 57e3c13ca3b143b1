/**
 * Identifies this machine, its boot and its namespace of process ids, compared with others that see the same files.
 *
 * Read on first use: the command line's start-up image is made by another process, of an earlier boot.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

function outputOrNull(read: () => string): string | null {
  try {
    return read().trim() || null;
  } catch {
    return null;
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** Hash of the system's identifier, else of the mainboard's (readable as root), else of the host name. */
function systemId(): string {
  const files = ['/etc/machine-id', '/sys/class/dmi/id/product_uuid'];
  const found = files.map((file) => outputOrNull(() => readFileSync(file, 'utf8'))).find((text) => text !== null);
  return shortHash(`braggbench machine ${found ?? hostname()}`);
}

interface Machine {
  /**
   * Constant over all boots of this system, and unique. Hashed, because sessions with it are passed on to other people.
   */
  readonly id: string;
  /** Boot id of the running kernel, equal in all of its containers. Null if the system does not report it. */
  readonly bootId: string | null;
  /** Includes the host name, which differs between containers. */
  readonly name: string;
  /** Process ids are comparable only if this id is equal. */
  readonly processRoomId: string;
}
let cachedMachine: Machine | null = null;

function identifyMachine(): Machine {
  const bootId = outputOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const name = `${hostname()} ${outputOrNull(() => readFileSync('/etc/machine-id', 'utf8')) ?? ''}`.trim();
  const room = [bootId ?? name, outputOrNull(() => readlinkSync('/proc/self/ns/pid')) ?? ''].join(' ');
  return { id: systemId(), bootId, name, processRoomId: shortHash(room) };
}

export function thisMachine(): Machine {
  cachedMachine ??= identifyMachine();
  return cachedMachine;
}

/** Whether a process with this id exists in this namespace. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
