import { invalidField } from '../../platform/errors.ts';
import { madeOnce } from '../../platform/made-once.ts';
import type { StoredRichText } from '../task.entity.ts';
import { richTextFault, richTextField } from './fault.ts';

/** `plain_text` belongs to `custom`, whose words only the client knows. */
export type GivenRichText = StoredRichText & { plain_text?: string };
export type ReadRichText = { stored: StoredRichText; words: string };

export const maxRichTextBytes = 65_536;
const maxDepth = 32;

/** Few requests write rich text, and reading the library takes a while. */
const documents = madeOnce(() => import('./document.ts'));

/** Throws 422 with the path of the first fault. */
export async function readRichText({ type, json, plain_text }: GivenRichText): Promise<ReadRichText> {
  if (Buffer.byteLength(JSON.stringify(json)) > maxRichTextBytes)
    throw richTextFault([], 'size', `must not be larger than ${maxRichTextBytes} bytes as JSON`);
  const stored = { type, json };
  if (type === 'custom') return { stored, words: wordsOfCustom(json, plain_text) };
  if (plain_text !== undefined) throw invalidField(`${richTextField}.plain_text`, 'plain_text is computed from the document');
  const { readDocument, wordsOf } = await documents.get();
  return { stored, words: wordsOf(readDocument(json)) };
}

function wordsOfCustom(json: unknown, plainText: string | undefined): string {
  if (plainText === undefined)
    throw invalidField(`${richTextField}.plain_text`, 'plain_text is required with the type custom', 'any.required');
  checkValue(json, [], 1);
  return plainText;
}

/** The database writes all digits of a number: 1e300 would be 301 characters. */
const isShort = (value: number) => Number.isFinite(value) && !/e/.test(String(value));

function checkValue(value: unknown, path: (string | number)[], depth: number) {
  if (typeof value === 'number' && !isShort(value)) throw richTextFault(path, 'number', 'has too many digits');
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw richTextFault(path, 'depth', `is deeper than ${maxDepth} levels`);
  const children = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, child] of children) checkValue(child, [...path, key], depth + 1);
}
