/** What the messaging provider sends a file as. */
export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The only one that is shown as a voice message. */
export const voiceType = 'audio/ogg; codecs=opus';

const types: Record<Exclude<MediaKind, 'document'>, string[]> = {
  image: ['image/jpeg', 'image/png'],
  sticker: ['image/webp'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', voiceType],
};

/** Beside pictures, sound and film: the provider takes no other file, whatever it is sent as. */
const documentTypes = [
  'text/plain',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
];

const kB = 1024;
const MB = 1024 * kB;
const maxBytes: Record<MediaKind, number> = {
  image: 5 * MB,
  video: 16 * MB,
  audio: 16 * MB,
  document: 100 * MB,
  sticker: 100 * kB,
};
const animatedStickerMaxBytes = 500 * kB;

/** Of any kind. */
export const largestFile = maxBytes.document;

/** Other words for a type: the provider knows only the one. Files that were stored before have them too. */
const otherWords: Record<string, string> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'video/x-m4v': 'video/mp4',
};
export const usualType = (mimeType: string): string => otherWords[mimeType] ?? mimeType;

/** A type the provider shows as nothing else is a document. */
export const kindOf = (mimeType: string): MediaKind =>
  mediaKinds.find((kind) => kind !== 'document' && types[kind].includes(usualType(mimeType))) ?? 'document';

/** Anything can be kept as a document, and nothing else as what it is not. */
export const canBe = (kind: MediaKind, mimeType: string) => kind === 'document' || kindOf(mimeType) === kind;

export const canBeSentAs = (kind: MediaKind, mimeType: string) =>
  canBe(kind, mimeType) && (kindOf(mimeType) !== 'document' || documentTypes.includes(mimeType));

export const typesOf = (kind: MediaKind): string[] => (kind === 'document' ? [] : types[kind]);

export const limitOf = (kind: MediaKind, isAnimated: boolean) =>
  kind === 'sticker' && isAnimated ? animatedStickerMaxBytes : maxBytes[kind];

/** Pictures without code, sound and film: a browser may show them by themselves. */
const shownTypes =
  /^(image\/(jpeg|png|apng|gif|webp|avif)|audio\/(aac|amr|mpeg|mp4|x-m4a|ogg|wav|webm|flac)|video\/(mp4|3gpp|webm|quicktime|ogg))(;|$)/;
export const isShownInline = (mimeType: string) => shownTypes.test(mimeType);
