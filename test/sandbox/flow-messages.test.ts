import { describe, expect, test } from '@jest/globals';
import { goodFlow } from '../support/flows.ts';
import { useHouse, user, wabaId } from './house.ts';

const house = useHouse();
const put = (status: string, more: object = {}) =>
  house.control('flows', { waba_id: wabaId, id: '21', name: 'Feedback', status, flow_json: goodFlow(), ...more });
const open = (parameters: object = {}) =>
  house.send({
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'Please' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_cta: 'Open', flow_id: '21', flow_token: 'T', ...parameters },
      },
    },
  });
const template = {
  name: 'with_flow',
  language: 'en_US',
  category: 'UTILITY',
  components: [
    { type: 'BODY', text: 'Please' },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'FLOW', text: 'Open', flow_id: '21', flow_action: 'navigate', navigate_screen: 'ASK' }],
    },
  ],
};
const flowButton = {
  type: 'button',
  sub_type: 'flow',
  index: '0',
  parameters: [{ type: 'action', action: { flow_token: 'B' } }],
};
const sendTemplate = (components: object[] = [flowButton]) =>
  house.send({ type: 'template', template: { name: 'with_flow', language: { code: 'en_US' }, components } });
const answers = async () => {
  await house.settled();
  return house.receiver.values().flatMap(({ messages }) => messages ?? []) as Record<string, ReturnType<typeof JSON.parse>>[];
};

describe('a message that opens a flow', () => {
  test.each([
    ['PUBLISHED', {}, 200],
    ['PUBLISHED', { flow_id: undefined, flow_name: 'Feedback' }, 200],
    ['PUBLISHED', { flow_action: 'navigate', flow_action_payload: { screen: 'ASK' } }, 200],
    ['THROTTLED', {}, 200],
    ['DRAFT', { mode: 'draft' }, 200],
    ['DRAFT', {}, 131009],
    ['PUBLISHED', { mode: 'draft' }, 131009],
    ['DEPRECATED', {}, 131009],
    ['BLOCKED', {}, 132068],
    ['PUBLISHED', { flow_id: '22' }, 131009],
    ['PUBLISHED', { flow_action: 'navigate', flow_action_payload: { screen: 'NOWHERE' } }, 131009],
  ])('%s, with %j: %i', async (status, parameters, wanted) => {
    await put(status);
    const { status: http, body } = await open(parameters);
    expect(body.error?.code ?? http).toBe(wanted);
  });

  test('a throttled flow is opened by ten messages an hour', async () => {
    await put('THROTTLED');
    for (let sent = 0; sent < 10; sent += 1) expect((await open()).status).toBe(200);
    expect((await open()).body.error.code).toBe(132069);
  });

  test('a template with its button: a blocked flow is refused', async () => {
    await put('BLOCKED');
    await house.ask('POST', `/${wabaId}/message_templates`, template);
    await house.settled();
    expect((await sendTemplate()).body.error.code).toBe(132068);
  });
});

describe('a person who answers', () => {
  const answer = async (message: { body: { messages: { id: string }[] } }, more: object = {}) =>
    house.control('flow-answer', { message_id: message.body.messages[0]!.id, ...more });

  test('with the token of the message, in its context, which opens the window', async () => {
    await put('PUBLISHED');
    const sent = await open();
    const { body } = await answer(sent, { response: { words: 'Good', stars: 5 } });
    const [reply] = await answers();
    expect(reply).toMatchObject({
      id: body.message_id,
      from: user,
      type: 'interactive',
      context: { from: '15550100001', id: sent.body.messages[0].id },
    });
    expect(reply!.interactive.nfm_reply).toEqual({
      name: 'flow',
      body: 'Sent',
      response_json: '{"flow_token":"T","words":"Good","stars":5}',
    });
  });

  test('without a token, of a template’s button, with what is no JSON, and twice', async () => {
    await put('PUBLISHED');
    await house.ask('POST', `/${wabaId}/message_templates`, template);
    await house.settled();
    house.receiver.received.length = 0;
    const [sent, button] = [await open(), await sendTemplate()];
    await answer(sent, { response: { a: 1 }, with_token: false });
    await answer(button, { response: { a: 1 } });
    await answer(sent, { response: 'no JSON' });
    await answer(sent, { response: { a: 1 }, id: 'wamid.same' });
    await answer(sent, { response: { a: 1 }, id: 'wamid.same' });
    const replies = await answers();
    const texts = replies.map(({ interactive }) => interactive.nfm_reply.response_json).sort();
    const whole = '{"flow_token":"T","a":1}';
    expect(texts).toEqual(['no JSON', '{"a":1}', '{"flow_token":"B","a":1}', whole, whole].sort());
    expect(replies.filter(({ id }) => (id as unknown) === 'wamid.same')).toHaveLength(2);
  });

  test('to a message that opens no flow there is no answer', async () => {
    await house.openWindow();
    const { status } = await answer(await house.text());
    expect(status).toBe(422);
    expect((await house.control('flow-answer', { message_id: 'wamid.none' })).status).toBe(422);
  });
});
