/** The kinds of file the provider keeps, by the ending of their names. */
const byEnding: Record<string, string> = {
  aac: 'audio/aac',
  amr: 'audio/amr',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  '3gp': 'video/3gpp',
  txt: 'text/plain',
  pdf: 'application/pdf',
  xls: 'application/vnd.ms-excel',
  doc: 'application/msword',
  ppt: 'application/vnd.ms-powerpoint',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

export const mediaTypes = [...new Set([...Object.values(byEnding), 'video/3gp'])];

/** Whether the provider sends a file of this type as this kind. Anything goes as a document. */
export function canBeSentAs(kind: string, type: string): boolean {
  if (kind === 'document') return true;
  if (kind === 'sticker') return type === 'image/webp';
  return type.startsWith(`${kind}/`) && type !== 'image/webp';
}

const kB = 1024;
const MB = 1024 * kB;

/** An animated sticker may be five times as large as another; the larger size is taken for both. */
export function maxBytesOf(type: string): number {
  if (type === 'image/webp') return 500 * kB;
  return type.startsWith('image/') ? 5 * MB : type.startsWith('audio/') || type.startsWith('video/') ? 16 * MB : 100 * MB;
}

/** A type as callers write it: whole, with parameters, or only an ending. */
export function mediaTypeOf(written: string): string | undefined {
  const [type = ''] = written.toLowerCase().split(';', 1);
  const word = type.trim();
  return mediaTypes.includes(word) ? word : byEnding[word.split('.').at(-1) ?? ''];
}
