/**
 * Identifies this machine, its boot and its namespace of process ids, for comparison with other machines that see the
 * same files. The identity is read on first use, not at load: another process may have made the start-up snapshot of
 * the command line in an earlier boot.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

function tryRead(read: () => string): string | null {
  try {
    return read().trim() || null;
  } catch {
    return null;
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

/**
 * Hash of the identifier of the operating system. If there is none: of that of the mainboard, which only root can read,
 * or of the host name.
 */
function systemId(): string {
  const files = ['/etc/machine-id', '/sys/class/dmi/id/product_uuid'];
  const found = files.map((file) => tryRead(() => readFileSync(file, 'utf8'))).find((text) => text !== null);
  return shortHash(`braggbench machine ${found ?? hostname()}`);
}

interface MachineIdentity {
  /**
   * Identifier of this system, the same after every boot. It is a hash, because sessions that contain it are passed on
   * to other people.
   */
  readonly id: string;
  /** Boot id of the running kernel, equal in all of its containers. Null if the system does not report it. */
  readonly bootId: string | null;
  /** Name of the machine; it includes the host name, which differs between containers. */
  readonly name: string;
  /**
   * Identifies the namespace of process ids. Ids of two processes can be compared only if this is the same for both.
   */
  readonly processNamespaceId: string;
}
let cachedMachine: MachineIdentity | null = null;

function identifyMachine(): MachineIdentity {
  const bootId = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const name = `${hostname()} ${tryRead(() => readFileSync('/etc/machine-id', 'utf8')) ?? ''}`.trim();
  const room = [bootId ?? name, tryRead(() => readlinkSync('/proc/self/ns/pid')) ?? ''].join(' ');
  return { id: systemId(), bootId, name, processNamespaceId: shortHash(room) };
}

export function identifyThisMachine(): MachineIdentity {
  cachedMachine ??= identifyMachine();
  return cachedMachine;
}

/** Whether a process with this id exists in this namespace. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
