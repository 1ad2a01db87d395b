import { defineEntity, p } from '@mikro-orm/core';
import { created, id, timestamp } from '../platform/database/columns.ts';

/** Only hashes of tokens are stored. */
export const PasswordReset = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    id: id(),
    user_id: p.uuid(),
    hash: p.blob(),
    expires_at: timestamp(),
    used_at: timestamp().strictNullable(),
    ...created(),
  },
});
