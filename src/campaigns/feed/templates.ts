import type { FlowToSend } from '../../flows/sends.ts';
import { flowOfTemplate } from '../../messaging/opened-flow.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Template } from '../../templates/template.entity.ts';
import type { Variant } from '../campaign.entity.ts';
import type { Compiled } from '../content/compile.ts';
import { templateFaults } from '../content/faults.ts';
import type { CampaignReason } from '../states.ts';

export type FeedTemplate = RowOf<typeof Template, 'channel_id' | 'name' | 'language' | 'status' | 'category' | 'components'> & {
  flow: FlowToSend | null;
};
export type FeedTemplates = (channelId: string, name: string, language: string) => FeedTemplate | undefined;

/** SQL: pairs of name and language by `unnest`; the flow of a template is an expression that other statements have, too. */
const templatesStatement = `
  select t.channel_id, t.name, t.language, t.status, t.category, t.components,
         ${flowOfTemplate({ organization: 't.organization_id' })} as flow
    from unnest($3::text[], $4::text[]) as x(name, language)
    join templates t on t.organization_id = $1 and t.channel_id = any($2::uuid[]) and t.name = x.name and t.language = x.language
   where t.doing is distinct from 'delete'`;

const keyOf = (channelId: string, name: string, language: string) => JSON.stringify([channelId, name, language]);
const inUse = (variants: Variant[]) => variants.flatMap(({ weight, templates }) => (weight > 0 ? templates : []));

export async function readTemplates(own: Own, channelIds: string[], variants: Variant[]): Promise<FeedTemplates> {
  const all = inUse(variants);
  const names = [all.map(({ name }) => name), all.map(({ language }) => language)];
  const rows = await own.sql<FeedTemplate>(templatesStatement, [channelIds, ...names]);
  const found = new Map(rows.map((row) => [keyOf(row.channel_id, row.name, row.language), row]));
  return (...given) => found.get(keyOf(...given));
}

/**
 * Each template of a variant that is sent must be approved on each channel, and fit what the campaign fills in: after a change of the template
 * everybody would be skipped.
 */
export function templateTrouble(
  templates: FeedTemplates,
  channelIds: string[],
  variants: Variant[],
  content: Compiled,
): CampaignReason | undefined {
  const used = inUse(variants);
  const all = channelIds.flatMap((id) => used.map(({ name, language }) => templates(id, name, language)));
  if (all.some((template) => template === undefined)) return 'template_unknown';
  if (all.some((template) => template!.status !== 'approved')) return 'template_paused';
  const sent = content.variants.filter((_, index) => variants[index]!.weight > 0);
  const fits = (id: string) => templateFaults({ variants: sent }, (...names) => templates(id, ...names), '').length === 0;
  return channelIds.every(fits) ? undefined : 'template_unknown';
}
