import { expect, test } from '@jest/globals';
import { firstIdAt, idAfter, isUuid, uuid, uuidv7 } from '../../../src/platform/ids.ts';

test('ids of one process rise with time', () => {
  const ids = Array.from({ length: 1_000 }, () => uuidv7());
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(1_000);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('an id says when it was made: before the first of a later time, not before the first of its own', () => {
  const before = firstIdAt(Date.now());
  const id = uuidv7();
  // Ids made in one millisecond may have the time of the next one.
  const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  expect(before <= id).toBe(true);
  expect(firstIdAt(madeAt) <= id).toBe(true);
  expect(id < firstIdAt(madeAt + 1)).toBe(true);
  expect(firstIdAt(0)).toBe('00000000-0000-7000-8000-000000000000');
  expect(firstIdAt(0x0193_2d5f_3a0e)).toBe('01932d5f-3a0e-7000-8000-000000000000');
  expect(isUuid(before)).toBe(true);
});

test('the next id is greater by one', () => {
  expect(idAfter('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000001');
  expect(idAfter('01932d5f-3a0e-7cc4-8f4e-0242ac120002')).toBe('01932d5f-3a0e-7cc4-8f4e-0242ac120003');
  expect(idAfter('01932d5f-3a0e-7cc4-8fff-ffffffffffff')).toBe('01932d5f-3a0e-7cc4-9000-000000000000');
});

test.each([
  ['01932d5f-3a0e-7cc4-8f4e-0242ac120002', true],
  ['17', false],
  ['', false],
  ["01932d5f-3a0e-7cc4-8f4e-0242ac120002' or true --", false],
])('%p is an id: %p', (text, is) => {
  expect(isUuid(text)).toBe(is);
  expect(uuid.validate(text).error === undefined).toBe(is);
});
