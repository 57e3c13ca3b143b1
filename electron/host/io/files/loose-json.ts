/** JSON as programs really write it: with Python's NaN and Infinity, and cut off where its writer was killed. */

/** Python's NaN and Infinity, which are no JSON, become null. Throws a SyntaxError. */
export function parseLoose(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return JSON.parse(
      json.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity|nan|inf)\b/g, (found) =>
        found.startsWith('"') ? found : 'null',
      ),
    );
  }
}

/** A place in the text, and the brackets that close it there. */
interface Cut {
  readonly end: number;
  readonly closing: string;
}

/** The last place after a whole value at that depth. */
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

/** The document. One that is cut off has its whole entries, which are `depth` brackets deep. Throws a SyntaxError. */
export function parseBroken(text: string, depth: number): { readonly value: unknown; readonly broken: boolean } {
  try {
    return { value: parseLoose(text), broken: false };
  } catch (error) {
    const cut = lastWhole(text, depth);
    if (cut === null) throw error;
    return { value: parseLoose(text.slice(0, cut.end) + cut.closing), broken: true };
  }
}
