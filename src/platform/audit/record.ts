import { cut } from '../cut.ts';
import type { Em } from '../database/database.ts';
import { type TablesOf, tables } from '../database/tables.ts';
import { uuidv7 } from '../ids.ts';
import type { PartText } from '../ledger/part.ts';
import type { Tx } from '../ledger/tx.ts';
import type { AuditEntry } from './audit-entry.entity.ts';

/** Never holds a secret; of a person's record only the id. `subject` is `<type>:<id>`. */
export type Act = {
  organizationId: string | null;
  /** `user:<id>`, `key:<id>`, `operator:<name>`, `cli`. */
  actor: string;
  /** An operation id, or a name such as `auth.login`. */
  action: string;
  subject: string;
  address?: string;
  requestId?: string;
  details?: Record<string, unknown>;
};

const longestSubject = 500;

/** SQL: a part of the ledger's statement, so that an audited write asks no more often than another (bench: flash-sale). */
const actPart: PartText = (id, organization, actor, action, subject, address, request, details) => `acted as (
        insert into audit_log (id, organization_id, actor, action, subject, address, request_id, details)
        values (${id}::uuid, ${organization}::uuid, ${actor}::text, ${action}::text, ${subject}::text, ${address}::text, ${request}::text,
                ${details}::jsonb))`;

/** Written with the rest of the transaction. */
export const includeAct = (tx: Tx, { organizationId, actor, action, subject, address = '', requestId, details }: Act): void =>
  tx.include({
    text: actPart,
    params: [
      ...[uuidv7(), organizationId, actor, action, cut(subject, longestSubject), address, requestId ?? null],
      details ? JSON.stringify(details) : null,
    ],
  });

/** By the query builder: `em.insert` takes half as long again. */
export async function recordAct(em: Em, act: Act): Promise<void> {
  await tables<TablesOf<typeof AuditEntry>>(em)
    .insertInto('audit_log')
    .values({
      id: uuidv7(),
      organization_id: act.organizationId,
      actor: act.actor,
      action: act.action,
      subject: cut(act.subject, longestSubject),
      address: act.address ?? '',
      request_id: act.requestId ?? null,
      details: act.details ?? null,
    })
    .execute();
}
