import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import Joi from 'joi';
import { validated } from '../../../../api/http/middleware/validated.ts';

const validate = validated({
  body: Joi.object({ own: Joi.object({ a: Joi.string() }), names: Joi.array().items(Joi.string()).max(2) }),
});
const refusalOf = async (body: object) => {
  const check = async () =>
    validate({ body, url: '/', query: {}, params: {}, method: 'POST' } as unknown as Request, {} as Response);
  const error = await check().catch((thrown) => thrown);
  expect(error.code).toBe('invalid_request');
  return error;
};

test('of more unknown fields than 100 the first 100 are details, and the message counts all', async () => {
  const own = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, 0]));
  const { message, details } = await refusalOf({ own });
  expect(message).toBe('120 fields are not allowed');
  expect(details).toHaveLength(100);
  expect(details[0]).toEqual({ field: 'own.k0', location: 'body', code: 'object.unknown', message: 'own.k0 is not allowed' });
});

test('a list that is too long is the only detail', async () => {
  const { message, details } = await refusalOf({ names: ['a', 'b', 'c'], nonsense: 1 });
  expect(message).toBe('names must have at most 2 items');
  expect(details).toEqual([{ field: 'names', location: 'body', code: 'array.max', message }]);
});
