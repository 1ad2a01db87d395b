import { brokenReference } from '../platform/database/errors.ts';
import { notFound } from '../platform/errors.ts';

const references = ['conversations_contact', 'messages_contact'];

/** The contact was erased or merged between the look and the write. */
export const isContactMissing = (error: unknown) => references.includes(brokenReference(error) ?? '');

/** For a caller who named the contact: throws 404 instead of the database's error. */
export function throwContactMissing(error: unknown): never {
  throw isContactMissing(error) ? notFound('Contact') : error;
}
