import { defineEntity, p } from '@mikro-orm/core';
import { created } from '../database/columns.ts';

export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    organization_id: p.uuid().primary(),
    method: p.text().primary(),
    path: p.text().primary(),
    key: p.text().primary(),
    body_hash: p.blob(),
    status: p.integer(),
    reply: p.text(),
    /** The reply is deleted when this contact is erased. */
    contact_id: p.uuid().strictNullable(),
    ...created(),
  },
});
