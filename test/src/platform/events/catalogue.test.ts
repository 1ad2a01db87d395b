import { expect, test } from '@jest/globals';
import { catalogue, eventTypes } from '../../../../src/platform/events/catalogue.ts';

/** The contract's seven, with the fields it lists; ours stand beside them. */
const specified: Record<string, string[]> = {
  'message.new': ['message_id', 'conversation_id', 'contact_id', 'channel_id', 'direction', 'from_phone', 'msg_type'],
  'message.sent': ['conversation_id', 'message_id', 'channel_id'],
  'message.status_update': ['message_id', 'status', 'conversation_id', 'organization_id'],
  'conversation.updated': ['conversation_id', 'status'],
  'contact.updated': ['contact_id', 'name', 'organization_id'],
  'template.status_update': ['template_id', 'status'],
  'commerce.order.updated': ['order_id', 'order_no', 'status', 'payment_status'],
};

test.each(Object.entries(specified))('%s has its fields, strings all and never left out', (type, fields) => {
  const event = catalogue.find((one) => one.type === type)!;
  for (const field of fields) {
    expect(typeof event.example[field]).toBe('string');
    const { [field]: _gone, ...rest } = event.example;
    expect(event.data.validate(rest).error?.message).toContain(field);
    expect(event.data.validate({ ...event.example, [field]: null }).error).toBeDefined();
  }
});

test('each type once, described, with an example that holds and a subject in it', () => {
  expect(new Set(eventTypes).size).toBe(catalogue.length);
  for (const { type, description, data, example, subject } of catalogue) {
    expect(type).toMatch(/^[a-z_]+(\.[a-z_]+)+$/);
    expect(description.length).toBeGreaterThan(5);
    expect([type, data.validate(example).error]).toEqual([type, undefined]);
    expect(Object.keys(example)).toContain(subject.id);
  }
});
