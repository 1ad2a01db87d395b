import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/platform/database/query.ts';
import { expectConserved, untilSettled } from './conservation.ts';
import { limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const medianOf = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;

/** Five texts one after the other; each answered in time though no queue is there. */
async function sendWithoutQueue(channelId: string, phone: string): Promise<string[]> {
  const ids: string[] = [];
  const times: number[] = [];
  const plain: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    plain.push((await stack.call('GET', `/v1/channels/${channelId}`)).ms);
    const { status, body, ms } = await stack.call<{ data: { id: string } }>('POST', '/v1/messages', {
      channel_id: channelId,
      to: `+${phone}`,
      type: 'text',
      text: { body: `away ${index}` },
    });
    expect(status).toBe(201);
    times.push(ms);
    ids.push(body.data.id);
  }
  // A request waits 100 ms for the queue, each of them. What a busy machine adds, the reads in between tell: some 5 ms on a quiet one.
  expect(Math.max(...times)).toBeLessThan(900 + 20 * Math.max(...plain));
  expect(medianOf(times)).toBeLessThan(200 + 10 * medianOf(plain));
  return ids;
}

test(
  'with Redis killed, and frozen, messages are accepted at once and go out when it returns',
  async () => {
    stack = await startStack({ backend: 'redis' });
    const channelId = await stack.connect();
    await stack.listen();
    const [phone] = phonesFrom(1);
    await stack.openWindows([phone!]);
    const accepted: string[] = [];

    stack.redis!.freeze();
    accepted.push(...(await sendWithoutQueue(channelId, phone!)));
    await sleep(1_500);
    accepted.push(...(await sendWithoutQueue(channelId, phone!)));
    stack.redis!.thaw();
    await untilSettled(stack);

    await stack.redis!.kill('SIGKILL');
    accepted.push(...(await sendWithoutQueue(channelId, phone!)));
    await stack.redis!.start();
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);

test(
  'with Redis down before any process starts, messages are accepted at once and go out when it comes',
  async () => {
    stack = await startStack({ backend: 'redis', isRedisUp: false });
    const channelId = await stack.connect();
    await stack.listen();
    const [phone] = phonesFrom(1);
    // Nobody can work yet: the window is opened by hand, as the inbound message of before would have.
    await query(
      stack.database.em(),
      `with c as (insert into contacts (id, organization_id) values (uuidv7(), $1) returning id),
    i as (insert into contact_identities (id, organization_id, contact_id, type, value) select uuidv7(), $1, c.id, 'phone', $2 from c)
    insert into conversations (id, organization_id, channel_id, contact_id, status, last_inbound_at) select uuidv7(), $1, $3, c.id, 'open', now() from c`,
      [stack.organizationId, `+${phone}`, channelId],
    );
    await stack.control('POST', '/inbound', {
      phone_number_id: '100000000000001',
      message: { type: 'text', text: { body: 'hi' } },
      contact: { profile: { name: 'P' }, wa_id: phone },
    });
    expect((await stack.call<{ queue: string }>('GET', '/readyz')).body.queue).toBe('degraded');
    const accepted = await sendWithoutQueue(channelId, phone!);

    await stack.redis!.start();
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
