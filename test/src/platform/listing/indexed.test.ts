import { expect, test } from '@jest/globals';
import { readContactListing } from '../../../../src/contacts/list.ts';

const looksOf = (field: string, operator: string, value?: unknown) =>
  readContactListing({ filters: JSON.stringify([{ field, operator, value }]) }).unindexed;
const id = '01932d5f-3a0e-7cc4-8f4e-0242ac120004';

test.each<[string, string, unknown]>([
  ['id', 'eq', id],
  ['id', 'in', [id]],
  ['phone_number', 'eq', '+16505551234'],
  ['email', 'eq', 'ada@example.com'],
  ['name', 'eq', 'Ada'],
  ['tags', 'eq', 'vip'],
  ['custom_fields.tier', 'in', ['gold', 'silver']],
  ['created_at', 'gt', '2026-01-01'],
])('an index answers %s %s', (field, operator, value) => {
  expect(looksOf(field, operator, value)).toBe(0);
});

test.each<[string, string, unknown]>([
  ['id', 'neq', id],
  ['name', 'contains', 'a'],
  ['name', 'not_contains', 'a'],
  ['email', 'is_empty', undefined],
  ['email', 'eq', ''],
  ['email', 'eq', '@@'],
  ['phone_number', 'eq', ''],
  ['phone_number', 'eq', '+'],
  ['phone_number', 'eq', '+1'],
  ['name', 'eq', ''],
  ['external_id', 'eq', 'C-1'],
  ['tags', 'is_empty', undefined],
  ['custom_fields.score', 'gt', 5],
  ['created_at', 'neq', '2026-01-01'],
])('records are looked at for %s %s', (field, operator, value) => {
  expect(looksOf(field, operator, value)).toBe(1);
});

test.each([
  ['ad', 0],
  ['ada', 1],
  ['!!!', 1],
  ['!', 1],
  ["o'b", 1],
  ['ada lovelace', 2],
])('of the search %j %i words', (search, looks) => {
  expect(readContactListing({ search }).unindexed).toBe(looks);
});
