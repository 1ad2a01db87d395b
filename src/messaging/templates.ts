import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { templateStatusUpdate } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { ProviderTemplate } from '../providers/messaging-app/provider.ts';
import type { TemplateStatus } from './template.entity.ts';

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

/** The provider's word for a template's state, in ours. A word we do not know cannot be relied on: pending. */
export const templateStatusOf = (word: string): TemplateStatus => words[word.toUpperCase()] ?? 'pending';

/** Makes the channel's templates what the provider says: new ones in, changed ones changed, gone ones disabled. Safe to run twice. */
export async function storeTemplates(
  em: Em,
  transact: Transact,
  channel: { id: string; organizationId: string },
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
  await transact({}, async (tx) => {
    await tx.query(
      `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
       select uuidv7(), $1, $2, x.provider_template_id, x.name, x.language, x.category, x.status, x.components
         from jsonb_to_recordset($3::jsonb) as x(provider_template_id text, name text, language text, category text, status text, components jsonb) order by x.name, x.language
       on conflict on constraint templates_name do update set provider_template_id = excluded.provider_template_id, category = excluded.category,
         components = excluded.components, updated_at = clock_timestamp()`,
      [channel.organizationId, channel.id, JSON.stringify(rows)],
    );
  });
  const changed = await query<{ id: string; status: TemplateStatus }>(
    em,
    `select t.id, coalesce(x.status, 'disabled') as status from templates t left join jsonb_to_recordset($3::jsonb) as x(provider_template_id text, status text) using (provider_template_id)
      where t.organization_id = $1 and t.channel_id = $2 and t.status <> 'draft' and t.status <> coalesce(x.status, 'disabled')`,
    [channel.organizationId, channel.id, JSON.stringify(rows)],
  );
  for (const { id, status } of changed) await setStatus(transact, channel.organizationId, id, status);
  return rows.length;
}

/** A change of state and its event, once. */
async function setStatus(transact: Transact, organizationId: string, id: string, status: TemplateStatus) {
  await transact({ locks: [subjectLock('template', id)] }, async (tx) => {
    const changed = await tx.query(
      'update templates set status = $2, updated_at = clock_timestamp() where id = $1 and status <> $2 returning id',
      [id, status],
    );
    if (changed.length > 0) tx.emit(templateStatusUpdate, { template_id: id, status }, { organizationId });
  });
}

/** A template's state changed at the provider. Every channel of the account has it; a channel's own app speaks for that channel alone. */
export async function applyTemplateStatus(
  em: Em,
  transact: Transact,
  { organizationId, onlyChannelId }: { organizationId: string; onlyChannelId: string | null },
  accountId: string,
  providerTemplateId: string,
  word: string,
) {
  const status = templateStatusOf(word);
  const rows = await query<{ id: string }>(
    em,
    `select t.id from templates t join channels c on c.id = t.channel_id where t.organization_id = $1 and c.account_id = $2 and t.provider_template_id = $3
       and ($4::uuid is null or c.id = $4)`,
    [organizationId, accountId, providerTemplateId, onlyChannelId],
  );
  for (const { id } of rows) await setStatus(transact, organizationId, id, status);
  return rows.length;
}
