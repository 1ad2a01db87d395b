import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { templateStatusUpdate } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { InboundTemplateStatus } from '../providers/messaging-app/inbound.ts';
import type { ProviderTemplate } from '../providers/messaging-app/provider.ts';
import { Template, type TemplateStatus } from './template.entity.ts';

const words: Record<string, TemplateStatus> = {
  APPROVED: 'approved',
  REINSTATED: 'approved',
  UNARCHIVED: 'approved',
  PENDING: 'pending',
  IN_APPEAL: 'pending',
  REJECTED: 'rejected',
  PAUSED: 'paused',
  FLAGGED: 'approved',
  DISABLED: 'disabled',
  LOCKED: 'disabled',
  LIMIT_EXCEEDED: 'disabled',
  ARCHIVED: 'disabled',
  DELETED: 'disabled',
  PENDING_DELETION: 'disabled',
};

/** An unknown word is pending: we cannot rely on it. */
export const templateStatusOf = (word: string): TemplateStatus => words[word.toUpperCase()] ?? 'pending';

const storedTemplates = statement((select, { channelId }: { channelId: string }) =>
  select(Template)
    .select(['id', 'provider_template_id', 'status'])
    .where('channel_id', '=', channelId)
    .where('status', '<>', 'draft'),
);

const templatesOfChannel = statement((select, { channelId }: { channelId: string }) =>
  select(Template)
    .select((templates) => templates.fn.countAll<string>().as('total'))
    .where('channel_id', '=', channelId),
);

export async function countTemplates(own: Own, channelId: string): Promise<number> {
  const [row] = await templatesOfChannel(own, { channelId });
  return Number(row?.total ?? 0);
}

/** A template that the provider no longer lists is disabled. Idempotent. */
export async function storeTemplates(
  own: Own,
  transact: TenantTransact,
  channelId: string,
  templates: ProviderTemplate[],
): Promise<number> {
  const rows = templates.map(({ id, name, language, category, status, components }) => ({
    provider_template_id: id,
    name,
    language,
    category,
    status: templateStatusOf(status),
    components,
  }));
  // SQL: inserts or updates a set.
  await transact({}, (tx) =>
    tx.own.sql(
      `insert into templates (
         id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
       select uuidv7(), $1, $2, x.provider_template_id, x.name, x.language, x.category, x.status, x.components
         from jsonb_to_recordset($3::jsonb) as x(
           provider_template_id text, name text, language text, category text, status text, components jsonb)
        order by x.name, x.language
       on conflict on constraint templates_name do update
         set provider_template_id = excluded.provider_template_id, category = excluded.category,
             components = excluded.components, updated_at = clock_timestamp()`,
      [channelId, JSON.stringify(rows)],
    ),
  );
  const statusOf = new Map(rows.map((row) => [row.provider_template_id, row.status]));
  for (const stored of await storedTemplates(own, { channelId })) {
    const status = statusOf.get(stored.provider_template_id) ?? 'disabled';
    if (status !== stored.status) await setStatus(transact, stored.id, status);
  }
  return rows.length;
}

async function setStatus(transact: TenantTransact, id: string, status: TemplateStatus) {
  await transact({ locks: [subjectLock('template', id)] }, async ({ own }) => {
    const changed = await own.update(Template, { id, status: { $ne: status } }, { status, updated_at: now() });
    if (changed > 0) own.emit(templateStatusUpdate, { template_id: id, status });
  });
}

/** `onlyChannelId`: the channel whose own app sent the webhook. null: every channel of the account. */
export async function applyTemplateStatus(
  own: Own,
  transact: TenantTransact,
  { accountId, providerTemplateId, status }: Pick<InboundTemplateStatus, 'accountId' | 'providerTemplateId' | 'status'>,
  onlyChannelId: string | null,
) {
  // SQL: joins the channels, a domain that this module does not know.
  const rows = await own.sql<RowOf<typeof Template, 'id'>>(
    `select t.id
       from templates t
       join channels c on c.organization_id = t.organization_id and c.id = t.channel_id
      where t.organization_id = $1 and c.account_id = $2 and t.provider_template_id = $3
        and ($4::uuid is null or c.id = $4)`,
    [accountId, providerTemplateId, onlyChannelId],
  );
  for (const { id } of rows) await setStatus(transact, id, templateStatusOf(status));
  return rows.length;
}
