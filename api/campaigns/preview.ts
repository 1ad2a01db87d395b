import Joi from 'joi';
import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { maxCounted, maxSamples, previewCampaign } from '../../src/campaigns/preview.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { assertSeesContacts } from '../segments/segment-schemas.ts';
import { aboutCampaign, onePath } from './campaign-schemas.ts';

const number = Joi.number().integer().required();
const text = Joi.string().allow('').required();
const body = 'Hello Ada';

const previewView = view(
  'campaign_preview',
  Joi.object({
    counts: Joi.object({
      audience: number.description('Contacts of the audience, each once'),
      would_send: number,
      suppressed: number,
      consent_required: number,
      no_address: number,
      frequency_cap: number,
      excluded: number.description('Found by the audience and taken out by `exclude_segment_ids`'),
      duplicates: number.description('Found more than once'),
    }).required(),
    is_capped: Joi.boolean()
      .required()
      .description(`The audience is larger than ${maxCounted}: the counts are those of the ones that were looked at`),
    samples: Joi.array()
      .items(
        Joi.object({
          contact_id: id.required(),
          channel_id: id.required(),
          variant_id: text,
          template: Joi.object({ name: text, language: text, components: Joi.array().items(Joi.object().unknown()).required() })
            .allow(null)
            .required()
            .description('As it would be sent; null: it cannot be rendered'),
          body: text.description("The template's body as the person would read it"),
          failure: text.description('Why it cannot be rendered'),
        }),
      )
      .required(),
  }),
  {
    counts: {
      audience: 1_000,
      would_send: 950,
      suppressed: 10,
      consent_required: 35,
      no_address: 5,
      frequency_cap: 0,
      excluded: 20,
      duplicates: 12,
    },
    is_capped: false,
    samples: [
      {
        contact_id: exampleIds.contact,
        channel_id: exampleIds.channel,
        variant_id: 'a',
        template: {
          name: 'hello',
          language: 'en_US',
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
        },
        body,
        failure: '',
      },
    ],
  },
);

export const previewOneCampaign = endpoint({
  tag: aboutCampaign.tag,
  subject: aboutCampaign.subject,
  method: 'post',
  path: `${onePath}/preview`,
  operationId: 'campaigns.preview',
  scope: 'campaigns:read',
  summary: 'See who a campaign would write to, and what',
  description: `By the state of now; nothing is written. At most ${maxCounted} contacts are looked at, and ${maxSamples} messages rendered. Needs the scope \`contacts:read\` too, since it shows contacts.`,
  responses: { 200: previewView },
  async handler({ params, caller, own }, { reads }) {
    const campaign = await getCampaign(own, params.campaignID);
    assertSeesContacts(caller);
    return ok(await previewCampaign(reads, own, campaign));
  },
});
