import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { Filter } from './selection.ts';

export const segmentKinds = ['dynamic', 'static'] as const;
export type SegmentKind = (typeof segmentKinds)[number];

export const Segment = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  properties: {
    ...tenant(),
    name: p.text(),
    kind: p.enum(segmentKinds),
    description: p.text().default(''),
    /** Of a dynamic one, as `filters` and `tags`: what the list of contacts is asked. */
    search: p.text().default(''),
    filters: p.json<Filter[]>().defaultRaw(`'[]'`),
    tags: p.array<string>().default([]),
    count: p.integer().strictNullable(),
    counted_at: timestamp().strictNullable(),
    /** At least as many as there are members: only added to, and counted again at the limit. */
    members_bound: p.integer().default(0),
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const SegmentMember = defineEntity({
  name: 'SegmentMember',
  tableName: 'segment_members',
  properties: {
    organization_id: p.uuid().primary(),
    segment_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    ...created(),
  },
});
