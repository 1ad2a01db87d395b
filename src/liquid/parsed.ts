import { type Parsed, parse, type TextFault } from './parse.ts';

/** A parsed text takes some 50 bytes for each of its characters: about 12 MB in all. */
const bounds = { texts: 4_000, characters: 250_000 };

const kept = new Map<string, Parsed | TextFault>();
let characters = 0;

/** As `parse`, once while the text is in use: it is checked, published and run again and again. */
export function parsedText(text: string): Parsed | TextFault {
  const found = kept.get(text);
  const parsed = found ?? parse(text);
  if (found) kept.delete(text);
  else characters += text.length;
  // A map keeps the order of entry: the first was not used for longest.
  kept.set(text, parsed);
  for (const old of kept.keys()) {
    if (old === text || (kept.size <= bounds.texts && characters <= bounds.characters)) break;
    kept.delete(old);
    characters -= old.length;
  }
  return parsed;
}

export const isParsed = (text: string): boolean => kept.has(text);

/** For what measures how long parsing takes. */
export function forgetParsed(): void {
  kept.clear();
  characters = 0;
}
