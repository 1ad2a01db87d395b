import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Variant } from '../campaign.entity.ts';
import { type Compiled, compile } from './compile.ts';

/** A parsed text takes some 50 bytes for each of its characters: about 25 MB in all. */
const bounds = { entries: 100, weight: 500_000 };

/** The compiled contents of the campaigns that a worker fed last. */
export function createContentCache(max = bounds) {
  const kept = createBoundedCache<Compiled>(max);

  return { contentOf, size: kept.size };

  /** `revision` changes with the content. */
  function contentOf(campaignId: string, revision: number | string, variants: Variant[]): Compiled {
    const key = `${campaignId} ${revision}`;
    const known = kept.get(key);
    if (known) return known;
    const content = compile(variants);
    kept.set(key, content, content.characters);
    return content;
  }
}
