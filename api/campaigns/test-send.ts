import Joi from 'joi';
import { prepareTest, type TestRequest } from '../../src/campaigns/test-send.ts';
import { phoneIn } from '../../src/contacts/identities/phone.ts';
import { acceptLocks, acceptMessage, maxAcceptedAtOnce } from '../../src/messaging/send.ts';
import { exampleIds, examplePhone } from '../../src/platform/examples.ts';
import { isUuid } from '../../src/platform/ids.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutCampaign, onePath } from './campaign-schemas.ts';
import { assertMaySend, maySendNote } from './may-send.ts';

const longest = 40;
const address = Joi.string()
  .max(longest)
  .custom((text: string, { error, prefs }) =>
    text.length > longest ? text : isUuid(text) ? text.toLowerCase() : (phoneIn(text, prefs.context) ?? error('phone.format')),
  )
  .messages({ 'phone.format': '{{#label}} must be a phone number with its country, or the id of a contact' });

export const testOneCampaign = endpoint({
  tag: aboutCampaign.tag,
  subject: aboutCampaign.subject,
  method: 'post',
  path: `${onePath}/test`,
  operationId: 'campaigns.test',
  scope: 'campaigns:write',
  summary: 'Send a message of a campaign to yourself',
  description: `To at most ${maxAcceptedAtOnce} people, rendered as for a recipient. They are ordinary messages, with the checks, the timeline and the price of any other; the people do not become recipients. Whom nothing may be sent to is a 422 at \`to[i]\`: \`suppressed\`, \`consent_required\`. All are sent, or none. ${maySendNote}`,
  isIdempotent: true,
  body: Joi.object<TestRequest>({
    to: Joi.array().items(address).min(1).max(maxAcceptedAtOnce).unique().required().description('Phones, or ids of contacts'),
    channel_id: id.description('Left out: the first of the campaign'),
    variant_id: Joi.string().max(40).description('Left out: the first'),
    language: Joi.string().trim().min(2).max(15).description("Left out: the contact's"),
    parameters: Joi.object()
      .pattern(Joi.string().max(100), Joi.string().allow('').max(1_024))
      .max(50)
      .description('As `param.<name>` of a file: what `{{ recipient.name }}` shows'),
  }),
  responses: {
    200: view(Joi.object({ message_ids: Joi.array().items(id).required().description('In the order of `to`') }), {
      message_ids: [exampleIds.message],
    }),
  },
  errors: [409],
  example: { body: { to: [`+${examplePhone}`], variant_id: 'a', parameters: { code: 'WINTER' } } },
  isCounted: true,
  async handler({ params, body, caller, own, write }, { ledger, secrets }) {
    await assertMaySend(own, caller, params.campaignID);
    const transact = transactFor(ledger.transact, own.organizationId);
    const look = () => prepareTest(own, transact, secrets, params.campaignID, body);
    return write({ look, locks: (all) => all.flatMap(acceptLocks) }, async (tx, all) => {
      const messages = all.map((prepared, index) => acceptMessage(tx.own, prepared, index));
      return new Afterwards(() => ({ status: 200, body: { message_ids: messages.map((message) => message().id) } }));
    });
  },
});
