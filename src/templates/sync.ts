import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { Write } from '../platform/ledger/transact.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import type { ProviderTemplate } from '../providers/messaging-app/provider.ts';
import { syncLane, syncTemplatesJob } from './jobs.ts';
import { templateStatusOf } from './status-words.ts';
import { Template } from './template.entity.ts';
import { type News, takeNews, tellChange, templateLock } from './told.ts';

const templatesOfChannel = statement((select, { channelId }: { channelId: string }) =>
  select(Template)
    .select((templates) => templates.fn.countAll<string>().as('total'))
    .where('channel_id', '=', channelId),
);

export async function countTemplates(own: Own, channelId: string): Promise<number> {
  const [row] = await templatesOfChannel(own, { channelId });
  return Number(row?.total ?? 0);
}

const liveSync = statement((select, { channelId, lane, name }: { channelId: string; lane: string; name: string }) =>
  select(Job)
    .select(['id', 'started_at'])
    .where('subject_id', '=', channelId)
    .where('name', '=', name)
    .where('lane', '=', lane)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .orderBy('seq', 'desc')
    .limit(1),
);

/** The operation's id: the one under way, however often it is asked. `isFresh`: not one that may have read the list already. */
export async function enqueueSync(tx: OwnTx, channelId: string, { isFresh = false } = {}): Promise<string> {
  const lane = syncLane(channelId);
  tx.assertLocked(lane);
  const [live] = await liveSync(tx, { channelId, lane, name: syncTemplatesJob.name });
  if (live && !(isFresh && live.started_at)) return live.id;
  return tx.enqueue(syncTemplatesJob, { channel_id: channelId }, { lane });
}

export const requestSync = (
  channelId: string,
  options?: { isFresh?: boolean },
): [Write<unknown>, (tx: TenantTx) => Promise<string>] => [
  { locks: [syncLane(channelId)] },
  (tx) => enqueueSync(tx.own, channelId, options),
];

/** What is in a template is known so long without another look at it. */
export const freshMinutes = 10;

const readLongAgo = `
  select t.id
    from templates t
   where t.organization_id = $1 and t.channel_id = $2 and t.name = $3 and t.language = $4
     and coalesce(t.content_at, t.created_at) < clock_timestamp() - interval '${freshMinutes} minutes'`;

/** After a send that says that the template is not as we know it. Of thousands that say so, as of a campaign, one reads it. */
export async function readAgain(own: Own, transact: TenantTransact, channelId: string, content: Record<string, unknown>) {
  // SQL: compares by the database's clock.
  const look = async () => (await own.sql(readLongAgo, [channelId, content.name, content.language])).length > 0;
  const locks = (isStale: boolean) => (isStale ? [syncLane(channelId)] : []);
  await transact({ look, locks, isOneTrip: (isStale) => !isStale }, async (tx, isStale) => {
    if (isStale) await enqueueSync(tx.own, channelId);
  });
}

const storedTemplates = statement((select, { channelId, listedAt }: { channelId: string; listedAt: string }) =>
  select(Template)
    .select(['id', 'provider_template_id', 'status', 'reason', 'quality', 'category', 'status_at'])
    .where('channel_id', '=', channelId)
    .where('provider_template_id', 'is not', null)
    // What came after the list was read is newer than the list.
    .where(sql<SqlBool>`coalesce(status_at, created_at) < ${listedAt}::timestamptz`),
);

/**
 * SQL: inserts or updates a set. The channel's row first, as its deletion does: nothing comes back after it. What was written after the list
 * was asked for, by an edit that ended meanwhile, is newer than the list.
 */
const upsert = `
  with channel as (
    select id
      from channels
     where organization_id = $1 and id = $2 and deleted_at is null
       for share)
  insert into templates (
    id, organization_id, channel_id, provider_template_id, name, language, category, status, components, content_at, quality, reason)
  select uuidv7(), $1, channel.id, x.provider_template_id, x.name, x.language, x.category, x.status, x.components, $4::timestamptz,
         x.quality, x.reason
    from channel, jsonb_to_recordset($3::jsonb) as x(
      provider_template_id text, name text, language text, category text, status text, components jsonb, quality text,
      reason text)
   order by x.name, x.language
  on conflict on constraint templates_name do update
    set provider_template_id = excluded.provider_template_id, components = excluded.components, content_at = excluded.content_at,
        updated_at = clock_timestamp()
    where coalesce(templates.content_at, templates.created_at) < $4::timestamptz`;

/** A template that the provider no longer lists is disabled. Idempotent. `listedAt`: the database's time before the list was read. */
export async function storeTemplates(
  own: Own,
  transact: TenantTransact,
  channelId: string,
  templates: ProviderTemplate[],
  listedAt: string,
): Promise<number> {
  const rows = templates.map(({ id, name, language, category, status, components, quality = '', reason = '' }) => ({
    provider_template_id: id,
    name,
    language,
    category,
    status: templateStatusOf(status),
    components,
    quality,
    reason,
  }));
  await transact({}, (tx) => tx.own.sql(upsert, [channelId, JSON.stringify(rows), listedAt]));
  const listed = new Map(rows.map((row) => [row.provider_template_id, row]));
  for (const stored of await storedTemplates(own, { channelId, listedAt })) {
    const row = listed.get(stored.provider_template_id!);
    const { status, category, quality, reason } = stored;
    // A draft that the provider does not have is ours alone.
    if (!row && (status === 'draft' || status === 'disabled')) continue;
    const news: News = row ? newsIn(row) : { status: 'disabled' };
    const told = { status, category: category.toLowerCase(), quality, reason };
    const isNew = Object.entries(news).some(([name, value]) => told[name as keyof typeof told] !== value);
    if (isNew) await setNews(transact, stored, news);
  }
  return rows.length;
}

type Listed = { status: News['status']; category: string; quality: string; reason: string };

/** What the provider leaves out says nothing. */
const newsIn = ({ status, category, quality, reason }: Listed): News => ({
  status,
  ...(category && { category }),
  ...(quality && { quality }),
  ...(reason && { reason }),
});

async function setNews(transact: TenantTransact, { id, status_at }: { id: string; status_at: string | null }, news: News) {
  await transact({ locks: [templateLock(id)] }, async ({ own }) => {
    const template = await own.findOne(Template, { id });
    if (!template || template.status_at !== status_at) return;
    const changed = takeNews(template, news);
    if (changed.length > 0) tellChange(own, template, changed);
  });
}
