import Joi from 'joi';
import { contactLock } from '../../contacts/events.ts';
import { type Consent, setConsent } from '../../contacts/permission/consents.ts';
import { consentChannel, consentFields, suppressionFields } from '../../contacts/permission/schemas.ts';
import { type Suppression, suppress } from '../../contacts/permission/suppressions.ts';
import { id } from '../../platform/ids.ts';
import { contactAt, contactOf } from './about.ts';
import { databaseAction } from './action.ts';

const contact_id = id.description("Default: the run's contact");

type ConsentFields = Consent & { contact_id?: string; source: string; proof: string };

export const setConsentAction = databaseAction<ConsentFields>({
  type: 'set_consent',
  description: 'Sets the consent of a contact for a channel, as its history tells. A suppression is another thing and stays.',
  scopes: ['contacts:write'],
  fields: Joi.object<ConsentFields>({ contact_id, channel: consentChannel.required(), ...consentFields }),
  example: { channel: 'messaging_app', status: 'granted', source: 'keyword', proof: '{{ message.id }}' },
  async prepare(context, { contact_id: named, channel, status, source, proof }) {
    const contactId = await contactOf(context, named);
    return {
      locks: [contactLock(contactId)],
      async write({ own }) {
        const consent = { channel, status };
        const row = await setConsent(await contactAt(own, contactId), consent, { actor: context.actor, source, proof });
        return { contact_id: contactId, channel: row.channel, status: row.status };
      },
    };
  },
});

type SuppressFields = Pick<Suppression, 'channel' | 'reason'> & { contact_id?: string; expires_at: Date | null };

export const suppressAction = databaseAction<SuppressFields>({
  type: 'suppress',
  description: 'Nothing is sent to the contact on that channel, or on any with `all`, until it ends or is deleted.',
  scopes: ['contacts:write'],
  fields: Joi.object<SuppressFields>({ contact_id, ...suppressionFields }),
  example: { channel: 'messaging_app', reason: 'unsubscribed' },
  async prepare(context, { contact_id: named, channel, reason, expires_at: expiresAt }) {
    const contactId = await contactOf(context, named);
    return {
      locks: [contactLock(contactId)],
      async write({ own }) {
        const by = { actor: context.actor, source: '', proof: '' };
        const { row, isNew } = await suppress(await contactAt(own, contactId), { channel, reason, expiresAt }, by);
        return { contact_id: contactId, suppression_id: row.id, is_new: isNew };
      },
    };
  },
});
