import { defineEntity, p } from '@mikro-orm/core';
import { created, id } from '../database/columns.ts';

export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: id(),
    /** null: concerns the whole installation. */
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

export const OwnAuditEntry = AuditEntry as typeof AuditEntry & { readonly '~entity': { organization_id: string } };
