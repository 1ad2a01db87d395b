/** A longer text goes out in several pieces, so that none of them takes long. */
const maxPiece = 65_536;

type Level = { values: unknown[]; keys?: string[]; next: number };

/**
 * The document as RFC 8785 writes it, in pieces. It is walked with a stack of its own: neither depth nor size of a document that the
 * provider gave can end a process or hold it.
 */
export function* canonicalPieces(document: unknown): Generator<string> {
  const levels: Level[] = [{ values: [document], next: 0 }];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const isInside = levels.length > 1;
    if (level.next === level.values.length) {
      levels.pop();
      if (isInside) yield level.keys ? '}' : ']';
      continue;
    }
    const place = level.next;
    level.next += 1;
    if (isInside && place > 0) yield ',';
    if (level.keys) {
      yield* textPieces(level.keys[place]!);
      yield ':';
    }
    const value = level.values[place];
    if (typeof value === 'string') yield* textPieces(value);
    else if (Array.isArray(value)) {
      yield '[';
      levels.push({ values: value, next: 0 });
    } else if (value !== null && typeof value === 'object') {
      yield '{';
      levels.push(membersOf(value as Record<string, unknown>));
    } else yield JSON.stringify(value) ?? 'null';
  }
}

/** Sorted by UTF-16 code units, which is the default. */
function membersOf(object: Record<string, unknown>): Level {
  const keys = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort();
  return { keys, values: keys.map((key) => object[key]), next: 0 };
}

function* textPieces(text: string): Generator<string> {
  if (text.length <= maxPiece) return yield JSON.stringify(text);
  yield '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + maxPiece, text.length);
    // Half a surrogate pair would be escaped.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

export const canonicalJson = (document: unknown): string => [...canonicalPieces(document)].join('');
