import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { engine } from '../../../src/liquid/engine.ts';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { templateRows } from '../../support/work/channels.ts';

let at: CampaignHouse;
let channel: ChannelMade;
beforeAll(async () => {
  at = await openCampaignHouse();
  channel = await at.connected({ rate: 1_000 });
});
afterAll(() => at.close());

/** As much work as may be saved: some 5 ms a person. */
const condition = ' and contact.custom_fields.long==contact.custom_fields.long';
const slow = `{%if 1${condition.repeat(Math.floor(4_000 / condition.length))}%}x{%endif%}`;
const texts = 4;
const content = [
  {
    id: 'a',
    weight: 1,
    templates: [
      {
        name: 'slow',
        language: 'en_US',
        components: [{ type: 'body', parameters: Array.from({ length: texts }, () => ({ type: 'text', text: slow })) }],
      },
    ],
  },
];

test('the slowest content that may be saved lets other jobs of its worker run after a few messages', async () => {
  const body = Array.from({ length: texts }, (_, n) => `{{${n + 1}}}`).join(' ');
  await templateRows.add(at, {
    organization_id: at.organization,
    channel_id: channel.id,
    name: 'slow',
    language: 'en_US',
    category: 'marketing',
    status: 'approved',
    components: [{ type: 'BODY', text: `Hello ${body}` }],
  });
  const people = await at.people({ count: 100, customFields: { long: 'x'.repeat(60_000) } });
  const id = await at.campaign({ channels: [channel.id], variants: content });
  await at.recipients(id, channel.id, people);
  await at.startFeed(id);
  const rendering = jest.spyOn(engine, 'renderSync');
  let [before, most, isOver] = [0, 0, false];
  const working = at.feed(id).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await turn();
    most = Math.max(most, rendering.mock.calls.length - before);
    before = rendering.mock.calls.length;
  }
  await working;
  rendering.mockRestore();
  expect(await at.counts(id)).toEqual({ queued: 100 });
  expect(before).toBeGreaterThanOrEqual(100 * texts);
  // A slice is 3 ms long, and a message takes about 5.
  expect(most).toBeLessThanOrEqual(20 * texts);
});
