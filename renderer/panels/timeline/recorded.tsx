/** Offers the recorded runs where there is nothing to look at yet. */
import type { ReactElement } from 'react';
import type { StoredRun } from '../../data/stored-runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useWorkbench } from '../../workbench/context.ts';

export function Recorded({ recorded }: { readonly recorded: readonly StoredRun[] }): ReactElement | null {
  const { runs } = useWorkbench();
  if (recorded.length === 0) return null;
  return (
    <div className="timeline-recorded">
      <p>Recorded runs came with the program:</p>
      {recorded.map(({ id, file, fileName, name, facts }) => (
        <Button key={id} onPress={() => void runs.openFile(file, fileName)}>
          {[name, facts.variant, facts.device].filter(Boolean).join(' · ')}
        </Button>
      ))}
    </div>
  );
}
