/** Errors of the file system as the user reads them. */
import { BraggError, messageOf } from '../../../contract/errors.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** `name`: the file as the user knows it. */
export function fileError(error: unknown, name: string): BraggError {
  if (error instanceof BraggError) return error;
  const options = { cause: error };
  switch (codeOf(error)) {
    case 'ENOENT':
      return new BraggError('not-found', `${name} does not exist.`, [], options);
    case 'EACCES':
    case 'EPERM':
      return new BraggError('io', `${name} may not be opened: permission denied.`, [], options);
    case 'EROFS':
      return new BraggError('io', `${name} cannot be written: the file system can only be read.`, [], options);
    case 'EMFILE':
    case 'ENFILE':
      return new BraggError(
        'io',
        `${name} cannot be opened: too many files are open. Raise the limit of open files (ulimit -n, at least 256).`,
        [],
        options,
      );
    case 'EISDIR':
      return new BraggError('io', `${name} is a folder.`, [], options);
    case 'ENOSPC':
    case 'EDQUOT':
      return new BraggError('no-space', `There is no space left for ${name}.`, [], options);
    default: {
      const reason = messageOf(error);
      return new BraggError('io', `${name} cannot be used: ${reason}`, [], options);
    }
  }
}
