import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';

/**
 * `recover`: the failed deliveries of an endpoint. `replay`: all events of some types, delivered or not. `cancel`: what is pending.
 */
export const replayKinds = ['recover', 'replay', 'cancel'] as const;
export type ReplayKind = (typeof replayKinds)[number];

export const replayStates = ['open', 'paused', 'ended'] as const;

/** The subject of an operation over many deliveries of one endpoint. */
export const WebhookReplay = defineEntity({
  name: 'WebhookReplay',
  tableName: 'webhook_replays',
  properties: {
    ...tenant(),
    endpoint_id: p.uuid(),
    kind: p.enum(replayKinds),
    state: p.enum(replayStates),
    actor: p.text(),
    /** As asked for. Without `until`: what there was when it was asked for. */
    since: timestamp().strictNullable(),
    until: timestamp().strictNullable(),
    event_types: p.array<string>().strictNullable(),
    /** The first id that is not handled yet: of a delivery, for `replay` of an event. */
    position: p.uuid(),
    /** Exclusive. */
    last_id: p.uuid(),
    /** The first delivery to come back to: a try of it was in progress, or it came to be behind the position before this was asked for again. */
    left_id: p.uuid().strictNullable(),
    done: p.integer().default(0),
    ...times(),
    finished_at: timestamp().strictNullable(),
  },
});
