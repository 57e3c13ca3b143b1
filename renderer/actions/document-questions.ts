/** Questions to the user before a scenario is opened, left or replaced. */
import type { Issue } from '../../electron/contract/errors.ts';
import type { ActionContext } from './context.ts';

type Dialogs = ActionContext['stores']['dialogs'];

export async function sayUnreadable(dialogs: Dialogs, name: string, issues: readonly Issue[]): Promise<void> {
  await dialogs.ask('confirm', {
    title: `${name} cannot be opened`,
    text: 'It is not a scenario that this program can read.',
    issues,
    choices: [{ id: 'close', label: 'Close', tone: 'primary' }],
  });
}

/** True: it is to be opened all the same. */
export async function askOpenWithFaults(
  dialogs: Dialogs,
  name: string,
  faults: number,
  issues: readonly Issue[],
): Promise<boolean> {
  const answer = await dialogs.ask('confirm', {
    title: `${name} has ${faults === 1 ? 'one fault' : `${faults} faults`}`,
    text: 'You can open it and correct them in the form. The file stays as it is until you save.',
    issues,
    choices: [
      { id: 'cancel', label: 'Cancel' },
      { id: 'open', label: 'Open and correct', tone: 'primary' },
    ],
  });
  return answer === 'open';
}

export function askSaveChanges(dialogs: Dialogs, title: string) {
  return dialogs.ask('confirm', {
    title: `Save changes to ${title}?`,
    text: 'Your changes are lost if you do not save them.',
    choices: [
      { id: 'discard', label: 'Don’t save', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'save', label: 'Save', tone: 'primary' },
    ],
  });
}

/** The file has changed since it was opened, as `reason` says. */
export function askReplace(dialogs: Dialogs, reason: string) {
  return dialogs.ask('confirm', {
    title: 'Replace what is in the file?',
    text: `${reason} Saving replaces those changes by yours.`,
    choices: [
      { id: 'replace', label: 'Replace', tone: 'danger' },
      { id: 'cancel', label: 'Cancel' },
      { id: 'saveAs', label: 'Save as…', tone: 'primary' },
    ],
  });
}
