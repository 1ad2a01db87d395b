import type { RowOf } from '../database/tables.ts';
import type { Event } from './event.entity.ts';

export type EnvelopeRow = RowOf<typeof Event, 'id' | 'organization_id' | 'type' | 'data' | 'created_at'>;

/** What a receiver gets, its fields in this order. */
export const envelopeOf = ({ id, type, created_at, organization_id, data }: EnvelopeRow) => ({
  id,
  type,
  timestamp: new Date(created_at).toISOString(),
  organization_id,
  data,
});
