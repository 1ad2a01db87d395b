import { GraphError } from '../graph/errors.ts';
import { type Fields, invalid, missing, optionalText, requiredText, requiredUrl } from './checks.ts';

const allowed: Record<string, readonly string[]> = {
  image: ['id', 'link', 'caption'],
  video: ['id', 'link', 'caption'],
  audio: ['id', 'link', 'voice'],
  document: ['id', 'link', 'caption', 'filename'],
  sticker: ['id', 'link'],
};

/** `media-ids.ts` checks whether the id is the sender's own. */
export function checkMedia(media: Fields, type: string): void {
  const stranger = Object.keys(media).find((key) => !allowed[type]?.includes(key));
  if (stranger !== undefined) throw new GraphError(100, { message: `(#100) Unexpected key "${stranger}" on param "${type}".` });
  if (media.id === undefined && media.link === undefined) throw missing(`${type}['id'] or ${type}['link']`);
  if (media.id !== undefined && media.link !== undefined) throw invalid(`${type}: give either id or link`);
  if (media.id === undefined) requiredUrl(media, 'link', `${type}['link']`);
  else requiredText(media, 'id', `${type}['id']`);
  optionalText(media, 'caption', `${type}['caption']`, 1_024);
  optionalText(media, 'filename', `${type}['filename']`, 240);
}
