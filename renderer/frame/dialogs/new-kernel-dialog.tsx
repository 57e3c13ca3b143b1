/**
 * Dialog that creates a user kernel: template, device, and language of the program that computes the expected answer.
 */
import { type ReactElement, useId, useState } from 'react';
import { type AnswerLanguage, answerLanguages, isUserKernelFile } from '../../../electron/contract/user-kernels.ts';
import type { DialogKinds } from '../../state/dialogs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';

type Kind = DialogKinds['begin'];

interface NewKernelDialogProps {
  readonly request: Kind['request'];
  readonly answer: (answer: Kind['answer'] | null) => void;
}

const languageWords: Readonly<Record<AnswerLanguage, string>> = { python: 'Python', typescript: 'TypeScript' };

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, ...select }: ChoiceProps): ReactElement {
  const id = useId();
  return (
    <p className="dialog-choice center grid gap-l">
      <label htmlFor={id}>{label}</label> <Select id={id} {...select} />
    </p>
  );
}

export default function NewKernelDialog({ request, answer }: NewKernelDialogProps): ReactElement {
  const { beginnings, taken, device, first } = request;
  const [beginning, setBeginning] = useState(first ?? beginnings[0]?.id ?? '');
  const [extension, setExtension] = useState(device === 'cuda' ? '.cu' : '.cpp');
  const [language, setLanguage] = useState<AnswerLanguage>('python');
  const [name, setName] = useState<string | null>(null);
  const stem = name ?? `my-${beginning}`;
  const id = `${stem.trim()}${extension}`;
  const issue = taken.includes(id)
    ? `A kernel named ${id} already exists`
    : isUserKernelFile(id)
      ? null
      : 'Use only letters, digits, - _ and .';
  const done = (): void => {
    if (issue === null) answer({ beginning, id, answer: language });
  };
  return (
    <Dialog
      title="New kernel"
      onDismiss={() => answer(null)}
      onSubmit={done}
      actions={
        <>
          <Button onPress={() => answer(null)}>Cancel</Button>
          <Button tone="primary" disabled={issue !== null} onPress={done}>
            Create
          </Button>
        </>
      }
    >
      <Choice
        label="Begins as"
        value={beginning}
        options={beginnings.map(({ id: value, title, says }) => ({ value, label: `${title}: ${says}` }))}
        onChange={setBeginning}
      />
      <Choice
        label="Runs on"
        value={extension}
        options={[
          { value: '.cu', label: device === 'cuda' ? 'the GPU, in CUDA' : 'a GPU, in CUDA: no GPU available' },
          { value: '.cpp', label: 'the CPU, in C++' },
        ]}
        onChange={setExtension}
      />
      <Choice
        label="Language of the expected result"
        value={language}
        options={answerLanguages.map((value) => ({ value, label: languageWords[value] }))}
        onChange={(value) => setLanguage(answerLanguages.find((one) => one === value) ?? 'python')}
      />
      <TextField label="Name" value={stem} onChange={setName} autoFocus />
      <p className="dialog-hint faint break-anywhere">
        {issue ?? `${id}, its description, the program for its expected result, and a scenario that runs it`}
      </p>
    </Dialog>
  );
}
