import { describe, expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { applyBody, expectApplied, freshChannel, routes } from './applied.ts';
import { describeExamples, filled, type Json } from './fixtures.ts';
import { ownWebhooks } from './own-examples.ts';

const app = useApp({ workers: true });

describeExamples('webhooks', 'inbound-webhooks.json', ownWebhooks, (examples) => {
  describe.each(routes)('by %s:', (route) => {
    test.each(Object.entries(examples))('%s', async (_name, example) => {
      const channel = await freshChannel(app);
      const body = filled(example, [[/^106540352242922$/, channel.phoneNumberId]]);
      const values = body.entry.flatMap(({ changes }: Json) => changes.map(({ value }: Json) => value));
      expect(values.every(({ metadata }: Json) => metadata.phone_number_id === channel.phoneNumberId)).toBe(true);
      await applyBody(app, channel, body, route);
      const expected = values.flatMap(({ messages = [] }: Json) =>
        messages.map((message: Json) => {
          const content = message[message.type];
          return { message, type: message.type, content: Array.isArray(content) ? { [message.type]: content } : content };
        }),
      );
      await expectApplied(app, channel, expected, values[0].contacts?.[0]?.profile.name ?? '');
    });
  });
});
