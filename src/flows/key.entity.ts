import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../platform/database/columns.ts';

export const flowKeyStates = ['uploading', 'current', 'previous'] as const;

/** A pair of keys with which the provider and the endpoint of a number's flows encrypt. */
export const FlowKey = defineEntity({
  name: 'FlowKey',
  tableName: 'flow_keys',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    /** A rotation uploads a new one; the one before decrypts until `expires_at`. */
    state: p.enum(flowKeyStates),
    /** Sealed. */
    private_key: p.text(),
    public_key: p.text(),
    uploaded_at: timestamp().strictNullable(),
    expires_at: timestamp().strictNullable(),
    ...times(),
  },
});
