import { type Fields, invalid, missing, optionalText, requiredFields, requiredText } from './checks.ts';
import { checkContacts } from './contacts.ts';
import { checkInteractive } from './interactive.ts';
import { checkMedia } from './media.ts';

/** What each free-form type has to carry. */
export const contentChecks: Record<string, (body: Fields) => void> = {
  text: (body) => {
    requiredText(requiredFields(body, 'text', 'text'), 'body', "text['body']", 4_096);
  },
  image: (body) => checkMedia(requiredFields(body, 'image', 'image'), 'image'),
  video: (body) => checkMedia(requiredFields(body, 'video', 'video'), 'video'),
  audio: (body) => checkMedia(requiredFields(body, 'audio', 'audio'), 'audio'),
  document: (body) => checkMedia(requiredFields(body, 'document', 'document'), 'document'),
  sticker: (body) => checkMedia(requiredFields(body, 'sticker', 'sticker'), 'sticker'),
  location: (body) => {
    const location = requiredFields(body, 'location', 'location');
    checkDegrees(location, 'latitude', 90);
    checkDegrees(location, 'longitude', 180);
    optionalText(location, 'name', "location['name']", 1_000);
    optionalText(location, 'address', "location['address']", 1_000);
  },
  contacts: checkContacts,
  reaction: (body) => {
    const reaction = requiredFields(body, 'reaction', 'reaction');
    requiredText(reaction, 'message_id', "reaction['message_id']");
    // An empty emoji takes the reaction back; an absent one is a mistake.
    if (optionalText(reaction, 'emoji', "reaction['emoji']", 16) === undefined) throw missing("reaction['emoji']");
  },
  interactive: (body) => checkInteractive(requiredFields(body, 'interactive', 'interactive')),
};

function checkDegrees(location: Fields, key: string, max: number): void {
  const value = location[key];
  if (value === undefined || value === null || value === '') throw missing(`location['${key}']`);
  if (!Number.isFinite(Number(value)) || Math.abs(Number(value)) > max) throw invalid(`location['${key}'] is out of range`);
}
