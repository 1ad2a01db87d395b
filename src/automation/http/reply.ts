import { cut } from '../../platform/cut.ts';
import { faultIn } from '../../platform/storable.ts';
import type { Output } from '../actions/action.ts';
import { hiderOf } from './hidden-secrets.ts';

/** Of the reply that a step keeps. The rest of its output takes a few hundred bytes more. */
export const maxKeptBytes = 15 * 1024;
/** Characters of JSON that are parsed: with its blanks it may be longer than what is stored. */
const maxParsed = 4 * maxKeptBytes;
const longestType = 200;

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer; isWhole: boolean };

/**
 * `body`: JSON where it is, else text; `is_cut`: it was longer, or broke off. A secret that comes back is shown by its name. The answer is cut before it is
 * searched: the receiver chooses its size.
 */
export function outputOf({ status, headers, body, isWhole }: Answer, secrets: ReadonlyMap<string, string>): Output {
  const hider = hiderOf(secrets);
  const type = hider.text(stored([headers['content-type'] ?? []].flat()[0] ?? ''), longestType).text;
  const text = body.toString('utf8');
  const parsed = isWhole && text.length <= maxParsed ? jsonOf(text) : undefined;
  const value = parsed === undefined || bytesOf(parsed) > maxKeptBytes ? undefined : hider.value(parsed, maxKeptBytes);
  if (value !== undefined && bytesOf(value) <= maxKeptBytes) return { status, content_type: type, body: value, is_cut: false };
  const shown = hider.text(stored(text), maxKeptBytes);
  const kept = cutToBytes(shown.text);
  return { status, content_type: type, body: kept, is_cut: !isWhole || shown.isCut || kept.length < shown.text.length };
}

/** PostgreSQL holds neither NUL nor half a pair. */
const stored = (text: string) => text.replaceAll('\0', '').toWellFormed();
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Of valid JSON: a text, within which no number begins, or a number. */
const textsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** It would be read as its neighbour: the id of a system outside is often so long. */
const isInexact = (token: string) => token.length > 15 && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));

/** Undefined: it is none, or none that can be stored. */
function jsonOf(text: string): unknown {
  try {
    const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    JSON.parse(json);
    const value: unknown = JSON.parse(json.replaceAll(textsAndNumbers, (token) => (isInexact(token) ? `"${token}"` : token)));
    return faultIn(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A control character takes six bytes of JSON. */
function cutToBytes(text: string): string {
  let kept = cut(text, maxKeptBytes);
  while (bytesOf(kept) > maxKeptBytes) kept = cut(kept, Math.floor(kept.length * 0.8));
  return kept;
}
