import { defineEntity, p } from '@mikro-orm/core';
import { tenant, timestamp, timestampNow } from '../platform/database/columns.ts';

/** A message with a flow in it. It stays, so that the flow's counts do, when the person is forgotten. */
export const FlowSend = defineEntity({
  name: 'FlowSend',
  tableName: 'flow_sends',
  properties: {
    organization_id: p.uuid().primary(),
    message_id: p.uuid().primary(),
    /** Both null: the flow was deleted. */
    flow_id: p.uuid().strictNullable(),
    version: p.integer().strictNullable(),
    /** The client's own, which comes back with the answer. */
    client_token: p.text().strictNullable(),
    /** Of the first answer. */
    responded_at: timestamp().strictNullable(),
  },
});

export type FlowAnswer = { id: string; label: string; value: unknown; text: string };

/** What a person answered. Deleted with the person. */
export const FlowResponse = defineEntity({
  name: 'FlowResponse',
  tableName: 'flow_responses',
  properties: {
    ...tenant(),
    /** null: no message of ours is known that it answers, or the flow was deleted. */
    flow_id: p.uuid().strictNullable(),
    message_id: p.uuid(),
    sent_message_id: p.uuid().strictNullable(),
    contact_id: p.uuid(),
    /** Those of the message. */
    conversation_id: p.uuid(),
    channel_id: p.uuid(),
    /** An object; a text when the answer is no JSON. */
    response: p.json<unknown>(),
    answers: p.json<FlowAnswer[]>().defaultRaw(`'[]'`),
    is_malformed: p.boolean().default(false),
    client_token: p.text().strictNullable(),
    received_at: timestampNow(),
  },
});
