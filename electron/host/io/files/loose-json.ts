/**
 * Parses JSON that other programs write incorrectly: with Python's NaN and Infinity, or truncated because the writer
 * was killed.
 */

/** Parses JSON, with Python's NaN and Infinity read as null. Throws SyntaxError. */
export function parsePythonJson(json: string): unknown {
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

/** Offset at which a truncated text can be cut, and the brackets that close the document there. */
interface TruncationPoint {
  readonly end: number;
  readonly closing: string;
}

/** Last position after a complete value that is `depth` brackets deep. */
function findLastCompleteValue(text: string, depth: number): TruncationPoint | null {
  const open: string[] = [];
  let inText = false;
  let found: TruncationPoint | null = null;
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

/**
 * Parses a document that may be truncated. Of a truncated one, the complete entries at `depth` brackets are returned.
 * Throws SyntaxError.
 */
export function parseTruncatedJson(text: string, depth: number): { readonly value: unknown; readonly broken: boolean } {
  try {
    return { value: parsePythonJson(text), broken: false };
  } catch (error) {
    const cut = findLastCompleteValue(text, depth);
    if (cut === null) throw error;
    return { value: parsePythonJson(text.slice(0, cut.end) + cut.closing), broken: true };
  }
}

/** First key that occurs twice in an object, or null. JSON.parse would silently use the last of its values. */
export function findDuplicateKey(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (const [token, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const keys = open.at(-1);
      const key = token.slice(1, token.lastIndexOf('"'));
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return null;
}
