/** The program's mark: a Bragg peak. */
import type { ReactElement } from 'react';

export function Mark(): ReactElement {
  return (
    <svg className="mark" viewBox="0 0 24 24" width="1.375rem" height="1.375rem" role="img" aria-label="Braggbench">
      <rect x="1" y="1" width="22" height="22" rx="5.5" className="mark__ground" />
      <path
        d="M4 17.2c5.2-.3 8.2-1 10-4.2 1.1-2 1.5-6.8 2.5-6.8s1 4.800 1.300 7.800c.2 2.200.6 3.200 2.200 3.200"
        className="mark__curve"
      />
    </svg>
  );
}
