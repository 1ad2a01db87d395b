import { brokenReference } from '../platform/database/errors.ts';
import { notFound } from '../platform/errors.ts';

const references = ['conversations_contact', 'messages_contact'];

/** The contact was erased or merged between the read and the write. */
export const isContactMissing = (error: unknown) => references.includes(brokenReference(error) ?? '');

export function throwContactMissing(error: unknown): never {
  throw isContactMissing(error) ? notFound('Contact') : error;
}
