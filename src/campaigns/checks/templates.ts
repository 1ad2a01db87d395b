import { sql } from 'kysely';
import type { Runs } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { timeShares } from '../../platform/load/shares.ts';
import type { Fault } from '../../templates/faults.ts';
import { Template } from '../../templates/template.entity.ts';
import type { Variant } from '../campaign.entity.ts';
import { contentFaultsOn } from '../content/faults.ts';
import type { TemplateOf } from '../content/template-row.ts';
import type { ChannelOf } from './channels.ts';

const ofChannels = statement((select, { channelIds, names }: { channelIds: string[]; names: string[] }) =>
  select(Template)
    .select(['channel_id', 'name', 'language', 'status', 'category', 'components'])
    .where('channel_id', '=', sql<string>`any(${channelIds}::uuid[])`)
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .where(sql<boolean>`doing is distinct from 'delete'`),
);

const keyOf = (...parts: string[]) => parts.join('\n');

/** The templates that the variants name, of each channel. */
export async function templatesOf(own: Runs, channelIds: string[], variants: Variant[]): Promise<(id: string) => TemplateOf> {
  const names = [...new Set(variants.flatMap(({ templates }) => templates.map(({ name }) => name)))];
  const rows = await ofChannels(own, { channelIds, names });
  const found = new Map(rows.map((row) => [keyOf(row.channel_id, row.name, row.language), row]));
  return (channelId) => (name, language) => found.get(keyOf(channelId, name, language));
}

/** Unknown, not approved, or with wrong parameters on one of the channels. Without a channel the texts alone are looked at. */
export async function variantFaults(own: Runs, channels: ChannelOf[], variants: Variant[]): Promise<Fault[]> {
  const of = await templatesOf(
    own,
    channels.map(({ id }) => id),
    variants,
  );
  const templates = channels.map(({ id, name }) => ({ name, templateOf: of(id) }));
  return timeShares.count(own.organizationId, () => contentFaultsOn(variants, templates));
}
