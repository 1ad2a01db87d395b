import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { now } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import type { InboundTemplateChange } from '../providers/messaging-app/template-change.ts';
import { templateStatusOf } from './status-words.ts';
import { freshMinutes, requestSync } from './sync.ts';
import { Template } from './template.entity.ts';
import { type News, type TemplateRecord, takeNews, tellChange, templateLock } from './told.ts';

type Found = RowOf<typeof Template, 'id'>;

/**
 * SQL: joins the channels, a domain that this module does not know. One that was just submitted is found by its name: the provider may tell
 * of it before our call has its answer.
 */
const meant = `
  select t.id
    from templates t
    join channels c on c.organization_id = t.organization_id and c.id = t.channel_id
   where t.organization_id = $1 and c.account_id = $2 and t.provider_template_id = $3
     and c.deleted_at is null and ($6::uuid is null or c.id = $6)
   union all
  select t.id
    from channels c
    join templates t on t.organization_id = c.organization_id and t.channel_id = c.id and t.name = $4 and t.language = $5
   where c.organization_id = $1 and c.account_id = $2 and t.provider_template_id is null and t.submitted_at is not null
     and c.deleted_at is null and ($6::uuid is null or c.id = $6)`;

const channelsWithout = `
  select c.id
    from channels c
   where c.organization_id = $1 and c.account_id = $2 and c.deleted_at is null and ($5::uuid is null or c.id = $5)
     and not exists (
       select 1 from templates t
        where t.organization_id = c.organization_id and t.channel_id = c.id and t.name = $3 and t.language = $4)
     and not exists (
       select 1 from templates t
        where t.organization_id = c.organization_id and t.channel_id = c.id and t.provider_template_id = $6)`;

/** `onlyChannelId`: the channel whose own app sent the webhook. null: every channel of the account. */
export async function applyTemplateChange(
  own: Own,
  transact: TenantTransact,
  change: InboundTemplateChange,
  onlyChannelId: string | null,
): Promise<number> {
  const { accountId, providerTemplateId, name, language, status, isContent } = change;
  const rows = await own.sql<Found>(meant, [accountId, providerTemplateId, name, language, onlyChannelId]);
  const stale = new Set<string>();
  for (const { id } of rows) {
    const channelId = await applyTo(transact, id, change);
    if (channelId) stale.add(channelId);
  }
  // Made at the provider itself, and the webhook does not say what is in it.
  if (name && language && (isContent || (status && templateStatusOf(status) !== 'disabled'))) {
    const channels = await own.sql<Found>(channelsWithout, [accountId, name, language, onlyChannelId, providerTemplateId]);
    for (const { id } of channels) stale.add(id);
  }
  for (const id of stale) await transact(...requestSync(id, { isFresh: true }));
  return rows.length;
}

/**
 * A review follows an edit, which may have been made at the provider itself; a pause and an end leave what is in it. Of a rejection the list
 * would know less than the webhook: a word in place of its reason.
 */
const reviewed = new Set(['approved', 'pending']);

/** The review of what we have just submitted, edited or read says nothing new of it. */
const isReadLongAgo = ({ content_at, created_at }: TemplateRecord) =>
  now() - momentMs(content_at ?? created_at) > freshMinutes * 60_000;

/** Returns the channel whose templates are to be read again: what is in this one may be another now. Our own work writes it by itself. */
async function applyTo(transact: TenantTransact, id: string, change: InboundTemplateChange): Promise<string | undefined> {
  const { providerTemplateId, at, status, reason, quality, category, isContent } = change;
  return transact({ locks: [templateLock(id)] }, async ({ own }) => {
    const template = await own.findOne(Template, { id });
    if (!template) return undefined;
    const isOurs = template.doing !== null;
    const news: News = {
      ...(status && isNew(template, 'told_at', at) && { status: templateStatusOf(status), reason }),
      ...(quality && isNew(template, 'quality_told_at', at) && { quality }),
      ...(category && isNew(template, 'category_told_at', at) && { category }),
    };
    if (Object.keys(news).length > 0) {
      template.provider_template_id ??= providerTemplateId;
      const changed = takeNews(template, news);
      if (changed.length > 0) tellChange(own, template, changed);
    }
    const isStale = isContent || (news.status !== undefined && reviewed.has(news.status) && isReadLongAgo(template));
    return isStale && !isOurs ? template.channel_id : undefined;
  });
}

/** Webhooks come in any order, for days: of each thing the newest time wins, and is kept. */
function isNew(
  template: TemplateRecord,
  told: 'told_at' | 'quality_told_at' | 'category_told_at',
  at: Date | undefined,
): boolean {
  if (!at) return true;
  if (at.getTime() < Date.parse(template[told] ?? '')) return false;
  template[told] = at.toISOString();
  return true;
}
