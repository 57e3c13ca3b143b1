/**
 * Remote machine that the command line uses through the user's own ssh. It logs in once and has a copy of this program.
 */
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import type { RemoteMachine } from '../../contract/remote.ts';
import { formatBytes } from '../../domain/values/units.ts';
import {
  folderName,
  installProgram,
  PROBE_SCRIPT,
  type ProbeResult,
  type PromptMode,
  programSource,
  readProbe,
  Ssh,
} from '../../host/api/studies.ts';
import { assetsFolder } from '../assets-folder.ts';
import { ProgressBar } from '../progress-bar.ts';
import type { VerbContext } from '../verb.ts';

interface RemoteHost {
  readonly ssh: Ssh;
  readonly probed: ProbeResult;
  /** Folder of this program on the remote machine. */
  readonly folder: string;
}

/** Folder that contains `assets` and `dist`. */
export const programRoot = (): string => path.dirname(assetsFolder());

/** Lets ssh prompt on the terminal if there is one; otherwise it must not prompt. */
export const localPrompts = (): PromptMode => ({ kind: process.stdin.isTTY === true ? 'terminal' : 'never' });

/** Describes the remote machine in one line. */
export function machineText(host: string, { gpus, cores, node }: RemoteMachine): string {
  const name = node === '' || node === host ? host : `${host} (${node})`;
  const cpu = cores === null ? '' : `, ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  switch (gpus.kind) {
    case 'found': {
      const [first] = gpus.gpus;
      const more = gpus.gpus.length > 1 ? ` and ${gpus.gpus.length - 1} more` : '';
      return `${name}: ${first?.name ?? ''}${more}${cpu}`;
    }
    case 'none':
      return `${name}: no GPU${cpu}`;
    case 'unknown':
      return `${name}: its GPUs could not be detected (${gpus.reason})${cpu}`;
  }
}

export const loginNodeText = (host: string): string =>
  `${host} has sbatch but no GPU, so it is probably the login node of a cluster. Describe it with braggbench study clusters add NAME --host ${host}, and send studies to it with study run --on NAME.`;

/**
 * Logs in, copies the program if needed, and calls `use`. Always logs out afterwards. Throws BraggError with one
 * sentence.
 */
export async function withRemoteHost<T>(
  { terminal, signal }: VerbContext,
  host: string,
  use: (box: RemoteHost) => Promise<T>,
): Promise<T> {
  const ssh = await Ssh.open({ host, asking: localPrompts(), signal });
  try {
    const source = await programSource(programRoot());
    const probed = readProbe(host, await ssh.run(PROBE_SCRIPT), folderName(source.program));
    const { machine } = probed;
    if (machine.slurm && machine.gpus.kind !== 'found') throw new BraggError('unsupported', loginNodeText(host));
    terminal.printNote(machineText(host, machine));
    const progress = new ProgressBar(terminal);
    let begun = false;
    const onCopied = (done_bytes: number): void => {
      if (!begun) {
        begun = true;
        const other =
          machine.otherVersions.length === 0
            ? ''
            : ` Other versions are installed there: ${machine.otherVersions.join(', ')}.`;
        terminal.printNote(`Copying Braggbench ${source.program.version} to ${host}, once.${other}`);
      }
      progress.draw(`Copied ${formatBytes(done_bytes)}`);
    };
    const folder = await installProgram({ ssh, probed, source, onCopied }).finally(() => progress.clear());
    return await use({ ssh, probed, folder });
  } finally {
    ssh.close();
    await ssh.ended;
  }
}
