import { brokenReference } from '../platform/database/errors.ts';
import { notFound } from '../platform/errors.ts';

const references = ['conversations_contact', 'messages_contact'];

/** The contact was forgotten, or became part of another, between the look and the write. */
export const isContactGone = (error: unknown) => references.includes(brokenReference(error) ?? '');

/** For a caller who named the contact himself. */
export function refuseGone(error: unknown): never {
  throw isContactGone(error) ? notFound('Contact') : error;
}
