import { expect, test } from '@jest/globals';
import { TokenBuckets } from '../../sandbox/token-bucket.ts';
import { phoneNumberId, useHouse, user, wabaId } from './house.ts';

const house = useHouse();
const change = (more: object) => house.control('numbers', { phone_number_id: phoneNumberId, ...more });
const shown = async () => (await house.get(`/${phoneNumberId}`)).body;

async function told(): Promise<{ id: string; changes: object[] }[]> {
  await house.settled();
  return house.receiver.received.flatMap(({ raw }) => JSON.parse(raw.toString()).entry);
}
const changes = async () => (await told()).flatMap((entry) => entry.changes);

test('a number is shown as it was changed, and the webhooks tell of it', async () => {
  await change({ quality_rating: 'RED', messaging_limit_tier: 'TIER_1K', throughput: 'STANDARD', name_status: 'DECLINED' });
  expect(await shown()).toMatchObject({
    quality_rating: 'RED',
    messaging_limit_tier: 'TIER_1K',
    throughput: { level: 'STANDARD' },
    name_status: 'DECLINED',
  });
  const quality = { display_phone_number: '15550100001', current_limit: 'TIER_1K' };
  expect(await changes()).toEqual([
    { field: 'phone_number_quality_update', value: { ...quality, event: 'FLAGGED' } },
    { field: 'phone_number_quality_update', value: { ...quality, event: 'DOWNGRADE' } },
    {
      field: 'phone_number_name_update',
      value: { display_phone_number: '15550100001', decision: 'DECLINED', requested_verified_name: 'Kanal Demo' },
    },
  ]);
});

test('what stays as it was is not told', async () => {
  expect((await change({ quality_rating: 'GREEN', messaging_limit_tier: 'TIER_UNLIMITED' })).body).toEqual({ webhooks: 0 });
});

test('what becomes of the account is told with the account', async () => {
  await change({ account_event: 'DISABLED_UPDATE', ban_state: 'DISABLE' });
  const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } };
  expect(await told()).toMatchObject([{ id: wabaId, changes: [{ field: 'account_update', value }] }]);
});

test('a token that is refused is refused everywhere, until it is not', async () => {
  await change({ refuses: 190 });
  expect(await house.get(`/${phoneNumberId}`)).toMatchObject({ status: 401, body: { error: { code: 190 } } });
  expect((await house.text()).body.error.code).toBe(190);
  await change({ refuses: null });
  expect((await house.get(`/${phoneNumberId}`)).status).toBe(200);
});

test('an unknown number cannot be changed', async () => {
  expect((await house.control('numbers', { phone_number_id: '9', quality_rating: 'RED' })).status).toBe(422);
});

test('a pair has its burst and then one message at a time; another user has their own', async () => {
  await house.control('behaviour', { pair: { every_ms: 600_000, burst: 2 } });
  expect([(await house.text()).status, (await house.text()).status]).toEqual([200, 200]);
  expect((await house.text()).body.error).toMatchObject({ code: 131056, is_transient: true });
  expect((await house.text('hi', { to: '+16505550000' })).status).toBe(200);
  await house.control('behaviour', { pair: null });
  expect((await house.text()).status).toBe(200);
});

test('a bucket of a burst fills by its rate, up to the burst', () => {
  const buckets = new TokenBuckets();
  const take = (now: number) => buckets.take(user, 1 / 6, now, 3);
  expect([take(0), take(0), take(0), take(0)]).toEqual([true, true, true, false]);
  expect([take(6_000), take(6_001)]).toEqual([true, false]);
  expect([1, 2, 3, 4].map(() => take(600_000))).toEqual([true, true, true, false]);
});
