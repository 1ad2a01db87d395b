import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as contracts from '../../../../src/platform/events/catalogue.ts';

const { catalogue, eventTypes } = contracts;
const root = join(import.meta.dirname, '../../../..');

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

test('an event that nothing sends yet says so, and no other', () => {
  const files = globSync('{src,workers}/**/*.ts', { cwd: root, exclude: ['src/platform/events/catalogue.ts'] });
  const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const unsent = Object.entries(contracts).flatMap(([name, contract]) =>
    'type' in contract && !new RegExp(`\\b${name}\\b`).test(code) ? [contract.type] : [],
  );
  const described = catalogue.filter(({ description }) => description.includes('Not sent yet')).map(({ type }) => type);
  expect(described).toEqual(unsent);
});
