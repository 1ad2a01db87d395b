import { type ContactRow, contactColumns } from '../contacts/queries.ts';
import { previewOf } from '../templates/preview.ts';
import type { CampaignRow } from './campaign-row.ts';
import type { templatesOf } from './checks/templates.ts';
import { languageOf, variantOf } from './content/choose.ts';
import type { Compiled } from './content/compile.ts';
import { type Rendered, render } from './content/render.ts';
import { type ZoneSettings, zoneOfTexts } from './content/zone.ts';

export type SamplePerson = ContactRow & { channel_id: string; parameters: Record<string, string> };
/** `template`: as it would be sent; null: it cannot be rendered, and `failure` says why. */
export type Sample = {
  contact_id: string;
  channel_id: string;
  variant_id: string;
  template: Rendered | null;
  body: string;
  failure: string;
};

/** SQL: of the contacts that `judged` lets through, with the parameters of those who were added with some. */
export const samplePeople = (judged: string, campaign: string, limit: number) => `
  with ${judged}
  select ${contactColumns}, j.channel_id, coalesce(r.parameters, '{}') as parameters
    from judged j
    join contacts k on k.organization_id = $1 and k.id = j.id
    left join campaign_recipients r
      on r.organization_id = $1 and r.campaign_id = ${campaign}::uuid and r.contact_id = k.id and not r.is_extra
   where j.reason = ''
   order by k.id desc
   limit ${limit}`;

/** The variant is one that people get: by chance, as in the campaign. */
export function sampleOf(
  { id, name, variants, schedule }: CampaignRow,
  content: Compiled,
  { channel_id, parameters, ...contact }: SamplePerson,
  templates: Awaited<ReturnType<typeof templatesOf>>,
  settings: ZoneSettings,
): Sample {
  const shown = { contact_id: contact.id, channel_id };
  if (variants.length === 0)
    return { ...shown, variant_id: '', template: null, body: '', failure: 'The campaign has no template' };
  const { id: variant_id } = variantOf(contact.id, variants);
  const templateOf = templates(channel_id);
  const data = { contact, recipient: parameters, campaign: { id, name } };
  const timezone = zoneOfTexts(schedule, settings, contact);
  const choice = { variantId: variant_id, timezone, language: languageOf(contact), templateOf };
  const rendered = render(content, data, choice);
  if ('reason' in rendered) return { ...shown, variant_id, template: null, body: '', failure: rendered.message };
  const row = templateOf(rendered.name, rendered.language);
  const body = row ? previewOf(row, rendered.components).body : '';
  return { ...shown, variant_id, template: rendered, body, failure: '' };
}
