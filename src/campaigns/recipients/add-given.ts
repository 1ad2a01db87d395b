import { identitiesOfFields } from '../../contacts/upsert.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { addRecipients } from './add.ts';
import { openCampaign } from './open-campaign.ts';
import type { Parameters } from './parameters.ts';
import { type Met, meetPeople, type NamedPerson } from './people.ts';

/** One of the two names the person. `phone`: E.164. */
export type RecipientGiven = { contact_id?: string; phone?: string; parameters?: Parameters };
export type RecipientsGiven = { recipients: RecipientGiven[]; create_contacts: boolean };

function personOf({ contact_id, phone }: RecipientGiven): NamedPerson {
  if (contact_id !== undefined) return { ways: [{ at: 'contact_id', contactId: contact_id.toLowerCase() }], fields: {} };
  const fields = { phone_number: phone };
  return { ways: [{ at: 'phone', identities: identitiesOfFields(fields) }], fields };
}

const unknown = (met: Met, n: number): ErrorDetail[] =>
  'contactId' in met
    ? []
    : [{ field: `recipients[${n}].${met.at}`, location: 'body', code: 'reference.unknown', message: 'Unknown contact' }];

/**
 * All of them or none. `already`: were recipients before, or stand there twice; what is given for them is written as long as they wait.
 * Needs the campaign's lock; run with `retryOn: [identityTaken]`. Throws 404, 409, 422.
 */
export async function addGiven(tx: OwnTx, secrets: Secrets, campaignId: string, given: RecipientsGiven) {
  const { recipients, create_contacts } = given;
  await openCampaign(tx, campaignId);
  const met = await meetPeople(tx, secrets, recipients.map(personOf), create_contacts);
  const details = met.flatMap(unknown);
  if (details.length > 0)
    throw new AppError('invalid_request', `${details.length} of the recipients are unknown contacts`, { details });
  const people = met.flatMap((one, n) =>
    'contactId' in one ? [{ contactId: one.contactId, parameters: recipients[n]!.parameters }] : [],
  );
  const { added } = await addRecipients(tx, campaignId, people);
  return { added: added.size, already: recipients.length - added.size };
}
