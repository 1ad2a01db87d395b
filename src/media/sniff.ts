import { TextDecoder } from 'node:util';
import { usualType } from './kinds.ts';

/** As much of a file's beginning as its type is found by: office documents are archives that name their parts. */
export const headBytes = 16 * 1024;

/** Types that a file of another one holds, or is a closer word for: the sender knows better which. */
const closer: Record<string, RegExp> = {
  'application/zip':
    /^application\/(vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|vnd\.ms-|vnd\.apple\.|epub\+zip|java-archive|vnd\.android\.package-archive|x-zip-compressed)/,
  'application/x-cfb': /^application\/(msword|vnd\.ms-(excel|powerpoint|outlook|project)|vnd\.visio|x-msi)/,
  'video/mp4': /^(audio\/mp4|video\/3gpp|video\/quicktime)$/,
  'video/webm': /^audio\/webm$/,
  'video/3gpp': /^(audio\/3gpp|video\/mp4)$/,
  'application/xml': /^(text\/xml|application\/[\w.-]+\+xml)$/,
  'application/gzip': /^application\/(x-gzip|x-tgz|x-compressed-tar)$/,
};
/** Markup a browser would run. */
const active = /^(text\/html|image\/svg\+xml|application\/xhtml\+xml)$/;
const texts = /^(text\/[\w.+-]+|application\/(json|[\w.-]+\+json|x-ndjson|yaml|x-yaml|toml|sql|rtf|x-sh))$/;
/** Types that are found by their content: a file that only says so is something else. */
const found = /^(image|video|audio|font)\/|^application\/(pdf|zip|gzip|x-(7z|rar|tar|bzip2?)[\w-]*|xml)$/;

/** A type as headers write it, without parameters; empty: none, or not one. */
export function typeIn(header: string | undefined): string {
  const [type = ''] = (header ?? '').split(';', 1);
  const word = type.trim().toLowerCase();
  return word.length <= 127 && /^[\w.+-]+\/[\w.+-]+$/.test(word) ? word : '';
}

/** What a file is by its beginning. The declared type counts only where it says more than the content and nothing else. */
export async function sniffedType(head: Buffer, declaredType: string): Promise<string> {
  const declared = usualType(declaredType);
  // With the first file: it is for what few processes do.
  const { fileTypeFromBuffer } = await import('file-type');
  const sniffed = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime.toLowerCase();
  const byContent = sniffed && usualType(sniffed);
  const text = byContent === undefined || byContent === 'application/xml' ? textIn(head) : undefined;
  if (text !== undefined) {
    const markup = markupIn(text);
    if (markup) return markup;
  }
  if (byContent !== undefined) return closer[byContent]?.test(declared) && !active.test(declared) ? declared : byContent;
  if (text !== undefined) return texts.test(declared) ? declared : 'text/plain';
  return declared === '' || found.test(declared) || texts.test(declared) || active.test(declared)
    ? 'application/octet-stream'
    : declared;
}

/** Bytes that no text has, in UTF-8 or an older encoding (WHATWG, MIME Sniffing, 3). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const binary = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const utf16 = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/** Undefined: not text. */
function textIn(head: Buffer): string | undefined {
  const wide = utf16.find(({ mark }) => mark.every((byte, place) => head[place] === byte));
  if (wide) return new TextDecoder(wide.encoding).decode(head);
  return binary.test(head.toString('latin1')) ? undefined : new TextDecoder().decode(head);
}

/** As browsers sniff it (WHATWG, MIME Sniffing, 7.1), with SVG, which they take for an image that may have scripts. */
const html = /^(<!doctype html|<(html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)(?=[\s>/])|<!--)/i;

function markupIn(text: string): string | undefined {
  const start = text.trimStart();
  if (/<svg[\s>/]/i.test(start) && start.startsWith('<')) return 'image/svg+xml';
  if (html.test(start)) return 'text/html';
  if (/^<\?xml[\s\S]*<html[\s>]/i.test(start)) return 'application/xhtml+xml';
  return start.startsWith('<?xml') ? 'application/xml' : undefined;
}

/** Of a WebP file: the flag of its extended header. */
export const isAnimatedWebp = (head: Buffer) =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 16) === 'WEBPVP8X' && ((head[20] ?? 0) & 2) !== 0;
