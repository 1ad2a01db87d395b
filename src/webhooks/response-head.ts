import type { Answer } from './answer.ts';

/** At most `maxBytes` of UTF-8, of a body that broke off or is too slow what came. */
export function responseHead({ status, statusText, headers, body }: Answer, maxBytes: number): string {
  const lines = [`HTTP/1.1 ${status} ${statusText}`.trimEnd()];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') lines.push(`${name}: ${value}`);
    else for (const each of value ?? []) lines.push(`${name}: ${each}`);
  }
  return cut(`${lines.join('\n')}\n\n${body.toString('utf8', 0, maxBytes)}`, maxBytes);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** UTF-8 of one unit of a string. */
const maxBytesOfUnit = 3;

/** Cuts no character in two, and drops NUL, which PostgreSQL's text refuses. */
function cut(text: string, maxBytes: number): string {
  const clean = text.replaceAll('\0', '');
  if (clean.length * maxBytesOfUnit <= maxBytes) return clean;
  const buffer = new Uint8Array(maxBytes);
  const { written } = encoder.encodeInto(clean, buffer);
  return decoder.decode(buffer.subarray(0, written));
}
