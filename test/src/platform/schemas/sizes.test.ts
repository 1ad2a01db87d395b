import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { sizesOf } from '../../../../api/http/middleware/sizes.ts';
import { AppError, type ErrorDetail } from '../../../../src/platform/errors.ts';

const check = sizesOf(
  Joi.object({
    names: Joi.array().items(Joi.string()).max(2),
    people: Joi.array()
      .items(Joi.object({ tags: Joi.array().items(Joi.string()).max(1) }))
      .max(60),
    open: Joi.object().unknown().max(2),
    headers: Joi.object().pattern(/^x-/, Joi.string()).max(2),
    own: Joi.object({ a: Joi.string() }),
  }),
  'body',
);
/** What was thrown, or nothing. */
function refusalOf(value: unknown): { message: string; details: ErrorDetail[] } | undefined {
  try {
    check(value);
    return undefined;
  } catch (error) {
    const { message, details } = error as AppError;
    expect(error).toBeInstanceOf(AppError);
    return { message, details: details! };
  }
}
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));

describe('sizes', () => {
  test.each([
    [
      'of lists and objects within their maximum',
      { names: ['a', 'b'], open: keys(2), headers: keys(2), people: [{ tags: ['a'] }] },
    ],
    ['of what is not of its type, which Joi tells of', { names: 'a', people: [1, null], open: [1, 2, 3], own: null }],
    ['of no body at all', undefined],
    ['of a list for a body', [1, 2]],
    ['of as many unknown keys as are told of', keys(100)],
  ])('%s are right', (_what, value) => {
    expect(refusalOf(value)).toBeUndefined();
  });

  test.each([
    ['a list', { names: ['a', 'b', 'c'] }, 'names', 'array.max', 'names must have at most 2 items'],
    [
      'a list in a list',
      { people: [{}, { tags: ['a', 'b'] }] },
      'people[1].tags',
      'array.max',
      'people[1].tags must have at most 1 items',
    ],
    ['an open object', { open: keys(3) }, 'open', 'object.max', 'open must have at most 2 fields'],
    ['an object of patterns', { headers: keys(3) }, 'headers', 'object.max', 'headers must have at most 2 fields'],
  ])('%s that is too large is the only fault', (_what, value, field, code, message) => {
    expect(refusalOf({ ...value, nonsense: 1 })).toEqual({ message, details: [{ field, location: 'body', code, message }] });
  });

  test('of more unknown keys than 100 the first 100 are told', () => {
    const { message, details } = refusalOf({ own: keys(60), people: Array(60).fill({ nonsense: 1 }) })!;
    expect(message).toBe('120 fields are not allowed');
    expect(details.length).toBe(100);
    expect(details[0]).toEqual({ field: 'own.k0', location: 'body', code: 'object.unknown', message: 'own.k0 is not allowed' });
  });
});
