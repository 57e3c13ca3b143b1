import { describe, expect, it } from 'vitest';
import { safeFileName, withExtension } from '../../../renderer/actions/save-file.ts';

describe('names of files', () => {
  it('have their extension once', () => {
    expect(withExtension('mine', '.json')).toBe('mine.json');
    expect(withExtension(' mine.JSON ', '.json')).toBe('mine.JSON');
  });

  it('hold nothing that a file system refuses or that leads elsewhere', () => {
    expect(safeFileName('../../etc/passwd')).toBe('-..-etc-passwd');
    expect(safeFileName('a:b*c?"d<e>|f')).toBe('a-b-c-d-e-f');
    expect(safeFileName(' .hidden. ')).toBe('hidden');
    expect(safeFileName('\u0000\u001f')).toBe('-');
    expect(safeFileName('...')).toBe('untitled');
    expect(safeFileName('x'.repeat(500))).toHaveLength(120);
    expect(safeFileName('Wasser, 70 MeV – σ')).toBe('Wasser, 70 MeV – σ');
  });
});
