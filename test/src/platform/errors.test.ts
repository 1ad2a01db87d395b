import { describe, expect, test } from '@jest/globals';
import { databaseAway, isDatabaseAway, isTransient, violatedConstraint } from '../../../src/platform/database/errors.ts';
import { AppError, errorCodes, invalidField, notFound } from '../../../src/platform/errors.ts';

describe('an error the client may read', () => {
  test('has the status of its code', () => {
    for (const [code, status] of Object.entries(errorCodes)) {
      expect(new AppError(code as keyof typeof errorCodes, 'x').status).toBe(status);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  test('not found names its subject and nothing else', () => {
    expect(notFound('Channel')).toMatchObject({ code: 'not_found', status: 404, message: 'Channel not found' });
    expect(notFound('Channel').details).toBeUndefined();
  });

  test('a field that is not valid is named with its place', () => {
    expect(invalidField('phone', 'is not a phone').details).toEqual([
      { field: 'phone', location: 'body', code: 'invalid', message: 'is not a phone' },
    ]);
  });
});

describe('what an error of the database means', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });

  test.each(['40001', '40P01'])('%s: the same transaction may well succeed now', (code) => {
    expect(isTransient(coded(code))).toBe(true);
    expect(isTransient(new Error('wrapped', { cause: coded(code) }))).toBe(true);
    expect(isDatabaseAway(coded(code))).toBe(false);
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03', '53300', '08006', '08P01'])('%s: it is away', (code) => {
    expect(isDatabaseAway(coded(code))).toBe(true);
    expect(isTransient(coded(code))).toBe(false);
  });

  test.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])('"%s": it is away', (message) => {
    expect(isDatabaseAway(new Error(message))).toBe(true);
    expect(isDatabaseAway(new Error('wrapped', { cause: new Error(message) }))).toBe(true);
  });

  test.each(['23505', '22P02', '42601', '57014'])('%s: it is there', (code) => {
    expect(isDatabaseAway(coded(code))).toBe(false);
    expect(isTransient(coded(code))).toBe(false);
  });

  test('a constraint is named only by a unique violation', () => {
    expect(violatedConstraint(coded('23505', { constraint: 'channels_phone_number_id' }))).toBe('channels_phone_number_id');
    expect(violatedConstraint(coded('23503', { constraint: 'a_foreign_key' }))).toBeUndefined();
    expect(violatedConstraint(undefined)).toBeUndefined();
  });

  test('away becomes a 503 that keeps its cause', () => {
    const cause = coded('ECONNREFUSED');
    expect(databaseAway(cause)).toMatchObject({ status: 503, retryAfterSeconds: 1, cause });
  });
});
