import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
  const components = [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}' },
  ];
  await storedTemplates.change(app, { channel_id: channel.id, name: 'hello' }, { components });
});

const send = (components?: unknown[]) =>
  app.text(channel, app.phone(), {
    type: 'template',
    text: undefined,
    template: { name: 'hello', language: 'en_US', components },
  });
const picture = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] };
const name = { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] };

test('with all its parameters a template is accepted', async () => {
  expect((await send([picture, name])).status).toBe(201);
});

test('what is missing is named, each at its place, and nothing is made', async () => {
  const before = await app.counts();
  const { status, body } = await send([picture, { type: 'body' }]);
  expect([status, body.error.code, body.error.details]).toEqual([
    422,
    'invalid_request',
    [
      {
        field: 'template.components[1].parameters',
        location: 'body',
        code: 'template.parameter_missing',
        message: 'The body takes 1 parameter and got 0: {{1}} is missing',
      },
    ],
  ]);
  const none = (await send()).body.error;
  expect(none.details.map(({ field }: { field: string }) => field)).toEqual(['template.components', 'template.components']);
  expect(none.message).toBe('The header needs a parameter of type image (and 1 more)');
  expect(await app.counts()).toEqual(before);
});

test('one that is too many is named too', async () => {
  const { body } = await send([picture, { ...name, parameters: [...name.parameters, { type: 'text', text: 'x' }] }]);
  expect(body.error.details[0]).toMatchObject({
    field: 'template.components[1].parameters[1]',
    code: 'template.parameter_unknown',
  });
});

test('in a conversation it is checked as well', async () => {
  const { id: conversationID } = await app.conversation(channel);
  const body = { type: 'template', template: { name: 'hello', language: 'en_US', components: [name] } };
  const refused = await app.call('conversations.messages.send', { params: { conversationID }, body });
  expect([refused.status, refused.body.error.message]).toEqual([422, 'The header needs a parameter of type image']);
});
