/** Says what may be dropped while files are held over the window. */
import { type ReactElement, useEffect, useState } from 'react';
import { Icon } from '../widgets/words/icon.tsx';
import { hasFiles } from './dropped-files.ts';

export function DropTarget(): ReactElement | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('dragenter', (event) => hasFiles(event) && setOver(true), { signal });
    // Only when the pointer leaves the window is there nothing it goes to.
    window.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    window.addEventListener('drop', () => setOver(false), { signal });
    return () => stop.abort();
  }, []);
  if (!over) return null;
  return (
    <div className="drop-target">
      <div>
        <Icon name="download" size={28} />
        <p>
          Drop a scenario (.json, .yaml), a run (.h5), a depth dose (.csv), an image (.img, .cbf, .tif) or a timeline
          (.json, .sqlite, both also .gz, .nsys-rep)
        </p>
      </div>
    </div>
  );
}
