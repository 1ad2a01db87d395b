import Joi from 'joi';
import { lookAtPair, mergeContacts, mergeLocks } from '../../src/contacts/merging/merge.ts';
import { targetTaken } from '../../src/contacts/merging/merge-tasks.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { wrapped } from '../http/view.ts';
import { aboutContact, contactView, data, toContactView } from './schemas.ts';

export const mergeTwoContacts = endpoint({
  ...aboutContact,
  method: 'post',
  path: '/v1/contacts/:contactID/merge',
  operationId: 'contacts.merge',
  scope: 'contacts:write',
  summary: 'Merge two contacts that are one person',
  description:
    'The older one stays, whichever stands in the path, and takes over all the other has: identities, notes, tags, consents (per channel the later decision), suppressions (per channel the longer one), blocks, conversations and messages. What it lacks it takes from the other, custom_fields by name. The other id answers 404 from then on, and `details` name the survivor. Asked again: 200 and the survivor. While a message is being sent in a conversation that would become part of another: 409 with `Retry-After`.',
  audit: 'contact',
  body: Joi.object<{ contact_id: string }>({ contact_id: id.required().description('The other one') }),
  responses: { 200: wrapped(contactView) },
  example: { body: { contact_id: exampleIds.otherContact } },
  handler({ params, body, own, caller, write }) {
    const asked = { id: params.contactID, otherId: body.contact_id };
    const look = () => lookAtPair(own, asked);
    return write({ isLong: true, look, locks: mergeLocks, retryOn: [targetTaken] }, async (tx) => ({
      ...data(toContactView(await mergeContacts(tx.own, actorOf(caller), asked))),
      audit: { details: { contact_id: asked.otherId } },
    }));
  },
});
