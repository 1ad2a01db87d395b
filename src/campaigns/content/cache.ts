import type { Variant } from '../campaign.entity.ts';
import { type Compiled, compile } from './compile.ts';

/** A parsed text takes some 50 bytes for each of its characters: about 25 MB in all. */
const bounds = { contents: 100, characters: 500_000 };

/** The compiled contents of the campaigns that a worker fed last. */
export function createContentCache(max = bounds) {
  const kept = new Map<string, Compiled>();
  let characters = 0;

  return { contentOf, size: () => kept.size };

  /** `revision` changes with the content. */
  function contentOf(campaignId: string, revision: number | string, variants: Variant[]): Compiled {
    const key = `${campaignId} ${revision}`;
    const found = kept.get(key);
    const content = found ?? compile(variants);
    if (found) kept.delete(key);
    else characters += content.characters;
    // A map keeps the order of entry: the first was not used for longest.
    kept.set(key, content);
    for (const [old, { characters: size }] of kept) {
      if (old === key || (kept.size <= max.contents && characters <= max.characters)) break;
      kept.delete(old);
      characters -= size;
    }
    return content;
  }
}
