import { describe, expect, test } from '@jest/globals';
import type { ErrorShape } from '../../../api/http/endpoint.ts';
import { errorBodies, renderError } from '../../../api/http/errors.ts';
import { AppError } from '../../../src/platform/errors.ts';

const long = `${'x'.repeat(5_000)}😀`;
const details = Array.from({ length: 500 }, () => ({ field: long, location: 'body', code: 'any', message: long }));
const error = new AppError('invalid_request', long, { details });

describe("a reply's size", () => {
  test.each(Object.keys(errorBodies) as ErrorShape[])('%s: however many faults with whatever names', (shape) => {
    const { body } = renderError(error, shape, 'r');
    expect(errorBodies[shape].validate(body).error).toBeUndefined();
    expect(JSON.stringify(body).length).toBeLessThan(150_000);
  });

  test('the first 100 faults are told, and of a long text its beginning', () => {
    const { body } = renderError(error, 'standard', 'r');
    const shown = (body as { error: { message: string; details: { field: string; message: string }[] } }).error;
    expect(shown.details.length).toBe(100);
    expect(shown.details[0]!.field).toBe(`${'x'.repeat(200)}…`);
    expect(shown.details[0]!.message).toBe(`${'x'.repeat(1_000)}…`);
    expect(shown.message).toBe(`${'x'.repeat(1_000)}…`);
  });

  test('a field without a name is told without one', () => {
    const nameless = new AppError('invalid_request', 'x', { details: [{ field: '', location: 'body', message: 'x' }] });
    const { body } = renderError(nameless, 'standard', 'r');
    expect(errorBodies.standard.validate(body).error).toBeUndefined();
    expect(body).toMatchObject({ error: { details: [{ location: 'body', message: 'x' }] } });
  });

  test('a text is not cut within a character', () => {
    const { body } = renderError(new AppError('bad_request', `${'x'.repeat(999)}😀😀`), 'lookup', 'r');
    expect((body as { error: string }).error.isWellFormed()).toBe(true);
  });
});
