import Joi from 'joi';
import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { campaignLane } from '../../src/campaigns/jobs.ts';
import { addGiven, type RecipientGiven, type RecipientsGiven } from '../../src/campaigns/recipients/add-given.ts';
import { countRecipients, listRecipients, type RecipientFilter } from '../../src/campaigns/recipients/list.ts';
import { parameters } from '../../src/campaigns/recipients/parameters.ts';
import { type RecipientStatus, recipientStatuses, skipReasons } from '../../src/campaigns/states.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { identityTaken } from '../../src/contacts/identities/resolve.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { assertMayChangeSends, mayChangeSendsNote } from './may-send.ts';
import { aboutRecipients, assertSeesContacts, recipientView, toRecipientView } from './recipient-schemas.ts';

type Query = PageQuery & { status?: string; reason?: string; contact_id?: string };

const anyStatus = recipientStatuses.join('|');
export const statusesGiven = Joi.string()
  .max(200)
  .pattern(new RegExp(`^(${anyStatus})(,(${anyStatus}))*$`))
  .messages({ 'string.pattern.base': `{{#label}} must be of ${recipientStatuses.join(', ')}, with commas between them` })
  .description(`Of ${recipientStatuses.join(', ')}; several with commas between them`);
export const statusesIn = (text: string | undefined) => text && ([...new Set(text.split(','))].sort() as RecipientStatus[]);

const filterOf = ({ status, reason, contact_id }: Query): RecipientFilter => ({
  statuses: statusesIn(status) || undefined,
  reason,
  contactId: contact_id,
});

export const listOfRecipients = endpoint({
  ...aboutRecipients,
  method: 'get',
  path: '/v1/campaigns/:campaignID/recipients',
  operationId: 'campaigns.recipients.list',
  scope: 'campaigns:read',
  summary: 'List the recipients of a campaign, newest first',
  description: 'It takes `contacts:read` too. `status`, `reason` and `contact_id`: one of them at a time.',
  query: Joi.object<Query>({
    ...pageQuery,
    status: statusesGiven,
    reason: Joi.string()
      .valid(...skipReasons)
      .description('Those who were skipped for it'),
    contact_id: id.description('What the contact is in the campaign; after a merge it may be there twice'),
  }).oxor('status', 'reason', 'contact_id'),
  responses: { 200: listOf(recipientView) },
  async handler({ params: { campaignID }, query, caller, own }, { reads }) {
    assertSeesContacts(caller);
    const campaign = await getCampaign(own, campaignID);
    const filter = filterOf(query);
    const binding = bindingOf(['campaigns.recipients', campaign.id, filter]);
    const [after] = query.cursor === undefined ? [] : positionIn<[string]>(query.cursor, binding, ['id']);
    const rows = await listRecipients(own, campaign.id, filter, { limit: query.limit, after });
    const count = (ask: Ask) => countRecipients(ask, own, campaign.id, filter);
    const total = query.include_total ? await reads.dear(own.organizationId, count) : undefined;
    const page = pageFrom(query, rows, (row) => cursorOf(binding, [row.id]), total);
    return ok({ items: page.rows.map(toRecipientView), meta: page.meta });
  },
});

const maxRecipients = 1_000;

const recipient = Joi.object<RecipientGiven>({
  contact_id: id,
  phone: phoneNumber,
  parameters,
}).xor('contact_id', 'phone');

export const addRecipientsGiven = endpoint({
  ...aboutRecipients,
  method: 'post',
  path: '/v1/campaigns/:campaignID/recipients',
  operationId: 'campaigns.recipients.add',
  scope: 'campaigns:write',
  audit: 'campaign',
  summary: 'Add recipients to a campaign',
  description: `All of them or none; a contact that is unknown is a 422 that names it by its place. Until the campaign has ended (409). Whoever is a recipient stays the same one; new parameters are taken as long as they wait. It takes \`contacts:read\` too, and \`contacts:write\` with \`create_contacts\`. ${mayChangeSendsNote}`,
  isIdempotent: true,
  errors: [409],
  body: Joi.object<RecipientsGiven>({
    recipients: Joi.array().items(recipient).min(1).max(maxRecipients).required(),
    create_contacts: Joi.boolean().default(false).description('A phone that no contact has becomes a contact'),
  }),
  responses: {
    200: view(
      Joi.object({
        added: Joi.number().integer().required().description('Recipients that are new'),
        already: Joi.number().integer().required().description('Were recipients before, or stand there twice'),
      }),
      { added: 1, already: 0 },
    ),
  },
  example: { body: { recipients: [{ contact_id: exampleIds.contact, parameters: { code: 'SPRING-7' } }] } },
  handler({ params: { campaignID }, body, caller, write }, { secrets }) {
    assertSeesContacts(caller, body.create_contacts);
    return write({ locks: [campaignLane(campaignID)], retryOn: [identityTaken] }, async ({ own: tx }) => {
      await assertMayChangeSends(tx, caller, campaignID);
      return ok(await addGiven(tx, secrets, campaignID, body));
    });
  },
});
