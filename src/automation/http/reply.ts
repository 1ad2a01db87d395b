import { cut } from '../../platform/cut.ts';
import { faultIn } from '../../platform/storable.ts';
import type { Output } from '../actions/action.ts';
import { withoutSecrets } from './hidden-secrets.ts';

/** Of the reply that a step keeps. The rest of its output takes a few hundred bytes more. */
export const maxKeptBytes = 15 * 1024;
const longestType = 200;

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer; isWhole: boolean };

/** `body`: JSON where it is, else text; `is_cut`: it was longer, or broke off. A secret that comes back is shown by its name. */
export function outputOf({ status, headers, body, isWhole }: Answer, secrets: ReadonlyMap<string, string>): Output {
  const type = cut([headers['content-type'] ?? []].flat()[0] ?? '', longestType);
  const text = body.toString('utf8');
  const parsed = isWhole ? jsonOf(text) : undefined;
  const value = parsed === undefined ? undefined : withoutSecrets(parsed, secrets);
  if (value !== undefined && bytesOf(value) <= maxKeptBytes)
    return { status, content_type: stored(type), body: value, is_cut: false };
  const shown = withoutSecrets(stored(text), secrets) as string;
  const kept = cutToBytes(shown);
  return { status, content_type: stored(type), body: kept, is_cut: !isWhole || kept.length < shown.length };
}

/** PostgreSQL holds neither NUL nor half a pair. */
const stored = (text: string) => text.replaceAll('\0', '').toWellFormed();
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Of valid JSON: a text, within which no number begins, or a number. */
const textsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
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
