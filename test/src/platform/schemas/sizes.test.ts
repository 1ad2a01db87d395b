import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { fieldOf } from '../../../../src/platform/errors.ts';
import { sizesOf } from '../../../../src/platform/schemas/sizes.ts';

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
);
const faultsIn = (value: unknown) => check(value).map(({ path, code, what }) => ({ field: fieldOf(path), code, what }));
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
    expect(faultsIn(value)).toEqual([]);
  });

  test.each([
    ['a list', { names: ['a', 'b', 'c'] }, 'names', 'array.max', 'must have at most 2 items'],
    ['a list in a list', { people: [{}, { tags: ['a', 'b'] }] }, 'people[1].tags', 'array.max', 'must have at most 1 items'],
    ['an open object', { open: keys(3) }, 'open', 'object.max', 'must have at most 2 fields'],
    ['an object of patterns', { headers: keys(3) }, 'headers', 'object.max', 'must have at most 2 fields'],
  ])('%s that is too large is the only fault', (_name, value, field, code, what) => {
    expect(faultsIn({ ...value, nonsense: 1 })).toEqual([{ field, code, what }]);
  });

  test('more unknown keys than a reply names are all told', () => {
    const faults = faultsIn({ own: keys(60), people: Array(60).fill({ nonsense: 1 }) });
    expect(faults).toHaveLength(120);
    expect(faults[0]).toEqual({ field: 'own.k0', code: 'object.unknown', what: 'is not allowed' });
  });
});
