import { defineEntity, p } from '@mikro-orm/core';
import { times, timestamp } from '../../platform/database/columns.ts';

/** Signs what goes to the endpoint of a flow. Sealed. */
export const FlowSecret = defineEntity({
  name: 'FlowSecret',
  tableName: 'flow_secrets',
  properties: {
    organization_id: p.uuid().primary(),
    flow_id: p.uuid().primary(),
    secret: p.text(),
    /** Signs too until `previous_secret_until`. */
    previous_secret: p.text().strictNullable(),
    previous_secret_until: timestamp().returning().strictNullable(),
    ...times(),
  },
});
