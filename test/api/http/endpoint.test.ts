import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { type Endpoint, endpoint, ok } from '../../../api/http/endpoint.ts';
import { type PageQuery, pageQuery } from '../../../api/http/paging.ts';
import { view, wrapped } from '../../../api/http/view.ts';
import { exampleIdOf, exampleIds } from '../../../src/platform/examples.ts';

const noteView = view('toy_note', Joi.object({ id: Joi.string() }), { id: exampleIds.note });
const said = { operationId: 'toys', tag: 'Toys', summary: 'Toys', scope: 'contacts:read' } as const;
const whole = (made: ReturnType<typeof endpoint>) => made as unknown as Endpoint<unknown, unknown>;
const handler = async () => ok({});

const note = whole(
  endpoint({
    ...said,
    method: 'post',
    path: '/v1/toys/:toyID/notes',
    body: Joi.object<{ text: string }>({ text: Joi.string() }),
    responses: { 201: wrapped(noteView) },
    example: { body: { text: 'red' } },
    handler: async ({ params, body }) => ok([params.toyID, body.text]),
  }),
);

describe('what follows from a declaration', () => {
  test('its parameters are ids, and shown as the ids that all examples share', () => {
    expect(note.params!.toyID!.validate('7').error).toBeDefined();
    expect(note.params!.toyID!.validate(exampleIds.note).error).toBeUndefined();
    expect(note.example.params).toEqual({ toyID: exampleIdOf('toy') });
  });

  test('an unusual parameter is what it is declared as, and stands where it does in the path', () => {
    const { params, example } = whole(
      endpoint({
        ...said,
        method: 'get',
        path: '/v1/toys/:toyID/:colour',
        params: { colour: Joi.string().valid('red') },
        responses: { 204: null },
        example: { params: { colour: 'red' } },
        handler,
      }),
    );
    expect(Object.keys(params!)).toEqual(['toyID', 'colour']);
    expect(params!.colour!.validate('blue').error).toBeDefined();
    expect(example.params).toEqual({ toyID: exampleIdOf('toy'), colour: 'red' });
  });

  test('a view gives the schema and the example of its reply, and its name to the document', () => {
    expect(note.responses[201]!.validate({ data: { id: 'x' } }).error).toBeUndefined();
    expect(note.example.reply).toEqual({ data: { id: exampleIds.note } });
    expect(Object.keys(note.named)).toEqual(['toy_note']);
  });

  test('who made something is told where it is, unless nothing was made', () => {
    const reply = { status: 201, body: { data: { id: '7' } }, headers: { 'Set-Cookie': 'a=b' } };
    expect(note.locate!(reply, { toyID: '1' }).headers).toEqual({ 'Set-Cookie': 'a=b', Location: '/v1/toys/1/notes/7' });
    expect(note.locate!({ ...reply, status: 200 }, { toyID: '1' }).headers).toEqual({ 'Set-Cookie': 'a=b' });
    const made = { ...said, method: 'post', path: '/v1/toys/import', responses: { 201: noteView }, handler } as const;
    const elsewhere = whole(endpoint({ ...made, location: '/v1/toys' }));
    expect(elsewhere.locate!({ status: 201, body: { id: '7' } }, {}).headers).toEqual({ Location: '/v1/toys/7' });
  });

  const plain = { ...said, path: '/v1/toys', responses: { 204: null }, handler } as const;
  const paged = Joi.object<PageQuery>(pageQuery);
  const cases: [string, Parameters<typeof endpoint>[0], number[]][] = [
    ['nothing but a credential', { ...plain, method: 'get' }, [401, 403, 422]],
    ['nothing at all', { ...plain, method: 'get', scope: 'public' }, [422]],
    ['a parameter', { ...plain, method: 'delete', path: '/v1/toys/:toyID' }, [401, 403, 404, 422]],
    ['a body', { ...plain, method: 'post' }, [400, 401, 403, 422]],
    ['a cursor', { ...plain, method: 'get', query: paged }, [400, 401, 403, 422]],
    ['errors of its own', { ...plain, method: 'get', scope: 'public', errors: [429, 401] }, [401, 422, 429]],
  ];
  test.each(cases)('with %s its errors are those', (_what, declared, errors) => {
    expect(whole(endpoint(declared)).errors).toEqual(errors);
  });
});

describe('what the compiler refuses', () => {
  const get = { ...said, method: 'get', path: '/v1/toys/:toyID', responses: { 204: null } } as const;
  test('a parameter that the path has not, a query or a body without its type', () => {
    // @ts-expect-error The path has no noteID.
    endpoint({ ...get, handler: async ({ params }) => ok(params.noteID) });
    // @ts-expect-error Nor one to declare.
    endpoint({ ...get, params: { noteID: Joi.string() }, handler });
    // @ts-expect-error Joi.object<Query>() is missing.
    endpoint({ ...get, query: Joi.object({ colour: Joi.string() }), handler });
    // @ts-expect-error Joi.object<Body>() is missing.
    endpoint({ ...get, body: Joi.object({ colour: Joi.string() }), handler });
    // @ts-expect-error A body has the type of its schema.
    endpoint({ ...get, body: Joi.object<{ size: number }>(), handler: async ({ body }) => ok(body.colour) });
    expect(whole(endpoint({ ...get, handler: async ({ params }) => ok(params.toyID) })).errors).toContain(404);
  });
});
