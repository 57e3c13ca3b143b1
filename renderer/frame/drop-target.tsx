/** Files dropped anywhere on the window are opened. */
import { type ReactElement, useEffect, useState } from 'react';
import { openCurve } from '../actions/curves.ts';
import { openDropped } from '../actions/dropped.ts';
import { Icon } from '../widgets/icon.tsx';
import { useWorkbench } from '../workbench/context.ts';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export function DropTarget(): ReactElement | null {
  const { documents, runs, timelines, overlays, stores, benches } = useWorkbench();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const listen = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      listener: (event: DragEvent) => void,
    ): void => window.addEventListener(type, listener, { signal: stop.signal });
    listen('dragenter', (event) => hasFiles(event) && setOver(true));
    listen('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
    });
    // Only when the pointer leaves the window is there nothing it goes to.
    listen('dragleave', (event) => event.relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      // Otherwise the browser would leave the page for the file.
      event.preventDefault();
      void openDropped(files, documents, runs, {
        benches,
        timelines,
        curve: (file) => openCurve(file, overlays, stores.notices),
        refuse: (name, text) => stores.notices.tell({ tone: 'warning', title: `${name} was not opened`, text }),
      });
    });
    return () => stop.abort();
  }, [documents, runs, timelines, overlays, benches, stores]);
  if (!over) return null;
  return (
    <div className="drop-target">
      <div>
        <Icon name="download" size={28} />
        <p>Drop a scenario (.json, .yaml), a run (.h5), a depth dose (.csv) or a timeline (.json, .json.gz, .sqlite)</p>
      </div>
    </div>
  );
}
