import { createHash, type Hash } from 'node:crypto';
import { slices } from '../../platform/load/slices.ts';
import { canonicalPieces } from './canonical.ts';

/** Fewer and longer updates: one for each piece would cost more than the hash. */
const maxBuffered = 65_536;

/**
 * sha256, in hex, of the document in canonical form (RFC 8785): the order of keys and white space do not count. In one go: of a large
 * document `hashInSlices` takes the same.
 */
export function hashOfDocument(document: unknown): string {
  const hash = createHash('sha256');
  for (const _ of updates(hash, document));
  return hash.digest('hex');
}

/** As `hashOfDocument`, with turns for other work in between. The document must not change meanwhile. */
export async function hashInSlices(document: unknown): Promise<string> {
  const hash = createHash('sha256');
  const turn = slices();
  for (const _ of updates(hash, document)) await turn();
  return hash.digest('hex');
}

function* updates(hash: Hash, document: unknown): Generator<void> {
  let buffered = '';
  for (const piece of canonicalPieces(document)) {
    buffered += piece;
    if (buffered.length < maxBuffered) continue;
    hash.update(buffered);
    buffered = '';
    yield;
  }
  hash.update(buffered);
}
