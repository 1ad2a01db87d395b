import type { Source } from '../database/database.ts';
import { query } from '../database/query.ts';
import { uuidv7 } from '../ids.ts';

/** Who did what to which record, and from where. Never a secret, and of a person's record its id only. */
export type Act = {
  organizationId: string | null;
  /** `user:<id>`, `key:<id>`, `operator:<name>`, `cli`. */
  actor: string;
  /** An operation id, or `auth.login` and its like. */
  action: string;
  /** `<type>:<id>`. */
  subject: string;
  address?: string;
  requestId?: string;
  details?: Record<string, unknown>;
};

export async function recordAct(source: Source, act: Act): Promise<void> {
  await query(
    source,
    `insert into audit_log (id, organization_id, actor, action, subject, address, request_id, details) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      uuidv7(),
      act.organizationId,
      act.actor,
      act.action,
      act.subject.slice(0, 500),
      act.address ?? '',
      act.requestId ?? null,
      act.details ? JSON.stringify(act.details) : null,
    ],
  );
}
