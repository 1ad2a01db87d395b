import { type Em, query } from '../database.ts';
import { templateStatusUpdate } from '../events/catalogue.ts';
import { subjectLock } from '../ledger/locks.ts';
import type { Transact } from '../ledger/transact.ts';
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
  return transact({}, async (tx) => {
    await tx.query(
      `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
       select uuidv7(), $1, $2, x.provider_template_id, x.name, x.language, x.category, x.status, x.components
         from jsonb_to_recordset($3::jsonb) as x(provider_template_id text, name text, language text, category text, status text, components jsonb) order by x.name, x.language
       on conflict on constraint templates_name do update set provider_template_id = excluded.provider_template_id, category = excluded.category, status = excluded.status,
         components = excluded.components, updated_at = clock_timestamp()`,
      [channel.organizationId, channel.id, JSON.stringify(rows)],
    );
    await tx.query(
      `update templates set status = 'disabled', updated_at = clock_timestamp() where organization_id = $1 and channel_id = $2 and status <> 'draft' and provider_template_id <> all($3)`,
      [channel.organizationId, channel.id, rows.map((row) => row.provider_template_id)],
    );
    return rows.length;
  });
}

/** A template's state changed at the provider. Every channel of the account has it. */
export async function applyTemplateStatus(
  em: Em,
  transact: Transact,
  organizationId: string,
  accountId: string,
  providerTemplateId: string,
  word: string,
) {
  const status = templateStatusOf(word);
  const rows = await query<{ id: string }>(
    em,
    `select t.id from templates t join channels c on c.id = t.channel_id where t.organization_id = $1 and c.account_id = $2 and t.provider_template_id = $3`,
    [organizationId, accountId, providerTemplateId],
  );
  for (const { id } of rows) {
    await transact({ locks: [subjectLock('template', id)] }, async (tx) => {
      const changed = await tx.query(
        'update templates set status = $2, updated_at = clock_timestamp() where id = $1 and status <> $2 returning id',
        [id, status],
      );
      if (changed.length > 0) tx.emit(templateStatusUpdate, { template_id: id, status }, { organizationId });
    });
  }
  return rows.length;
}
