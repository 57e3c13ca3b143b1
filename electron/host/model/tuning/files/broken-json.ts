/** JSON that was written entry by entry, and whose writer did not come to the end. */

/** What closes the brackets that are open at `end` of the text. */
interface Cut {
  readonly end: number;
  readonly closing: string;
}

/** The last place behind a whole value at that depth. */
function lastWhole(text: string, depth: number): Cut | null {
  const open: string[] = [];
  let inText = false;
  let found: Cut | null = null;
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i];
    if (inText) {
      if (letter === '\\') i += 1;
      else if (letter === '"') inText = false;
    } else if (letter === '"') inText = true;
    else if (letter === '{' || letter === '[') open.push(letter === '{' ? '}' : ']');
    else if (letter === '}' || letter === ']') {
      open.pop();
      if (open.length === depth) found = { end: i + 1, closing: open.toReversed().join('') };
    }
  }
  return found;
}

/** The document; of one that breaks off, with the whole entries at `depth` brackets that are there. Throws a SyntaxError. */
export function parseBroken(text: string, depth: number): { readonly value: unknown; readonly broken: boolean } {
  try {
    return { value: JSON.parse(text) as unknown, broken: false };
  } catch (error) {
    const cut = lastWhole(text, depth);
    if (cut === null) throw error;
    return { value: JSON.parse(text.slice(0, cut.end) + cut.closing) as unknown, broken: true };
  }
}
