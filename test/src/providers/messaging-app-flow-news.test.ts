import { describe, expect, test } from '@jest/globals';
import { changesOf, type InboundMessage, partsOf } from '../../../src/providers/messaging-app/inbound.ts';
import { flowChange } from '../../support/flow-changes.ts';

const parts = (value: object, time: unknown = 1_700_000_000) => changesOf(flowChange(value, time)).flatMap((one) => partsOf(one));

describe('a change of a flow', () => {
  const status = { event: 'FLOW_STATUS_CHANGE', flow_id: '21', old_status: 'DRAFT', new_status: 'PUBLISHED', message: 'x' };
  const known = { kind: 'flow_change', accountId: '2', providerFlowId: '21', at: new Date(1_700_000_000_000) };

  test.each(['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'])('to %s', (new_status) => {
    const change = { ...known, status: new_status.toLowerCase(), previousStatus: 'draft' };
    expect(parts({ ...status, new_status })).toEqual([change]);
  });

  test('whose id is a number, and that tells neither the status before nor a time', () => {
    const { at: _, ...untimed } = known;
    expect(parts({ ...status, flow_id: 21, old_status: undefined }, 'x')).toEqual([{ ...untimed, status: 'published' }]);
  });

  test.each([
    ['CLIENT_ERROR_RATE', 'client_error_rate', { error_rate: 14.28, threshold: 10 }, { value: 14.28, threshold: 10 }],
    ['ENDPOINT_ERROR_RATE', 'endpoint_error_rate', { error_rate: 5, threshold: 10 }, { value: 5, threshold: 10 }],
    [
      'ENDPOINT_LATENCY',
      'endpoint_latency',
      { p50_latency: 1, p90_latency: 7_000, threshold: 5_000 },
      { value: 7_000, threshold: 5_000 },
    ],
    ['ENDPOINT_AVAILABILITY', 'endpoint_availability', { availability: 75, threshold: 90 }, { value: 75, threshold: 90 }],
  ])('%s', (event, kind, told, read) => {
    const alert = (alert_state: string) => parts({ event, flow_id: '21', message: 'Look', alert_state, ...told });
    expect(alert('ACTIVATED')).toEqual([{ ...known, alert: { kind, state: 'activated', message: 'Look', ...read } }]);
    expect(alert('DEACTIVATED')).toEqual([{ ...known, alert: { kind, state: 'deactivated', message: 'Look', ...read } }]);
  });

  test('a warning that its version ends', () => {
    expect(parts({ event: 'FLOW_VERSION_EXPIRY_WARNING', flow_id: '21', warning: 'Version 5.1 expires soon' })).toEqual([
      { ...known, alert: { kind: 'version_expiry', state: 'activated', message: 'Version 5.1 expires soon' } },
    ]);
  });

  test('of a kind that is not known is left alone', () => {
    expect(parts({ event: 'FLOW_WAS_PAINTED', flow_id: '21' })).toEqual([{ kind: 'ignored', what: 'flows FLOW_WAS_PAINTED' }]);
    expect(parts({ event: { toString: 1 } })).toEqual([{ kind: 'ignored', what: 'flows ' }]);
  });

  test.each([
    ['no flow', { ...status, flow_id: undefined }, 'Not understood: no flow_id'],
    ['a flow that is an object', { ...status, flow_id: { toString: null } }, 'Not understood: no flow_id'],
    ['a status that is none', { ...status, new_status: 'PAINTED' }, 'Not understood: status of a flow'],
    ['a status of the prototype', { ...status, new_status: '__proto__' }, 'Not understood: status of a flow'],
  ])('with %s is broken, and no other is', (_what, value, error) => {
    expect(parts(value)).toEqual([{ kind: 'broken', error, raw: value }]);
  });
});

describe('the answer to a flow', () => {
  function answer(response_json: unknown, more: object = {}) {
    const interactive = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json, ...more } };
    const message = {
      id: 'wamid.1',
      from: '1650',
      timestamp: '1700000000',
      type: 'interactive',
      context: { id: 'wamid.0' },
      interactive,
    };
    const value = { metadata: { phone_number_id: '1' }, messages: [message] };
    const [part] = changesOf({ entry: [{ id: '2', changes: [{ field: 'messages', value }] }] }).flatMap((one) => partsOf(one));
    return part as InboundMessage;
  }

  test('is a message, with its text whole beside what it says', () => {
    const text = '{"flow_token":"T","words":"Good ‮👍","list":["a",{"b":1}]}';
    const part = answer(text);
    expect(part).toMatchObject({ kind: 'message', type: 'interactive', contextId: 'wamid.0' });
    expect(part.content).toMatchObject({ nfm_reply: { response_json: text } });
    expect(part.flowAnswer).toEqual({
      text,
      data: { flow_token: 'T', words: 'Good ‮👍', list: ['a', { b: 1 }] },
      token: 'T',
    });
  });

  test.each([
    ['no token', '{"a":1}', { a: 1 }],
    ['a token that is a number', '{"flow_token":7}', { flow_token: 7 }],
    ['an empty one', '{"flow_token":""}', { flow_token: '' }],
    ['one too long to be ours', `{"flow_token":"${'x'.repeat(1_001)}"}`, { flow_token: 'x'.repeat(1_001) }],
  ])('with %s', (_what, text, data) => {
    expect(answer(text).flowAnswer).toEqual({ text, data });
  });

  test.each(['no JSON', '', '[1]', '"text"', 'null', '{"a":', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`])(
    '%s is kept as text',
    (text) => {
      expect(answer(text).flowAnswer).toEqual({ text });
    },
  );

  test('what no database holds is put right in what it says', () => {
    const text = String.raw`{"a\u0000":"b\u0000","c":"\ud800","__proto__":{"x":1},"constructor":"y"}`;
    const { data } = answer(text).flowAnswer!;
    expect(Object.entries(data!)).toEqual([
      ['a�', 'b�'],
      ['c', '�'],
      ['constructor', 'y'],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  test('that is an object already, or is missing', () => {
    expect(answer({ a: 1 }).flowAnswer).toEqual({ text: '{"a":1}', data: { a: 1 } });
    expect(answer(undefined).flowAnswer).toEqual({ text: '' });
  });

  test('no other message has one', () => {
    const part = answer('{}');
    expect(
      partsOf({
        entryId: '2',
        change: {
          field: 'messages',
          value: {
            metadata: { phone_number_id: '1' },
            messages: [
              {
                id: 'w',
                from: '1',
                timestamp: '1',
                type: 'interactive',
                interactive: { type: 'button_reply', button_reply: { id: 'a', title: 'b' } },
              },
            ],
          },
        },
      })[0],
    ).not.toHaveProperty('flowAnswer');
    expect(part).toHaveProperty('flowAnswer');
  });
});
