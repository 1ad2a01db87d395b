import { defineEntity, p } from '@mikro-orm/core';
import { created, id } from '../database/columns.ts';

/** Who did what to which record, and from where (src/platform/audit/record.ts). */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: id(),
    /** null: it concerns the whole installation. */
    organization_id: p.uuid().strictNullable(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    address: p.text().default(''),
    details: p.json<Record<string, unknown>>().strictNullable(),
    request_id: p.text().strictNullable(),
    ...created(),
  },
});

/** The entries of an organization: those it may see. */
export const OwnAuditEntry = AuditEntry as typeof AuditEntry & { readonly '~entity': { organization_id: string } };
