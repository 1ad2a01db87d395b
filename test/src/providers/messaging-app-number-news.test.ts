import { describe, expect, test } from '@jest/globals';
import { partsOf } from '../../../src/providers/messaging-app/inbound.ts';

const parts = (field: string, value: unknown) => partsOf({ entryId: '200', change: { field, value } });
const news = (more: object) => [{ kind: 'number_news', accountId: '200', ...more }];
const number = { display_phone_number: '+1 555-010-0001' };
const displayPhone = '15550100001';

describe('what the provider tells of a number', () => {
  test.each([
    ['FLAGGED', { current_limit: 'TIER_10K' }, { quality: 'red', messaging_limit: 'tier_10k' }],
    ['UNFLAGGED', { current_limit: 'TIER_10K' }, { messaging_limit: 'tier_10k' }],
    ['DOWNGRADE', { current_limit: 'TIER_1K' }, { messaging_limit: 'tier_1k' }],
    ['UPGRADE', { max_daily_conversations_per_business: 'TIER_UNLIMITED' }, { messaging_limit: 'tier_unlimited' }],
    ['THROUGHPUT_UPGRADE', {}, { throughput: 'high' }],
    ['ONBOARDING', {}, {}],
  ])('quality: %s', (event, more, told) => {
    expect(parts('phone_number_quality_update', { ...number, event, ...more })).toEqual(news({ displayPhone, news: told }));
  });

  test('its name: only an approved one is the name that people see', () => {
    const value = { ...number, decision: 'APPROVED', requested_verified_name: 'Shop' };
    expect(parts('phone_number_name_update', value)).toEqual(
      news({ displayPhone, news: { name_status: 'approved', verified_name: 'Shop' } }),
    );
    expect(parts('phone_number_name_update', { ...value, decision: 'REJECTED' })).toEqual(
      news({ displayPhone, news: { name_status: 'rejected' } }),
    );
  });
});

describe('what the provider tells of an account', () => {
  test.each([
    [{ event: 'ACCOUNT_RESTRICTION' }, { news: { account_status: 'account_restriction' } }],
    [
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } },
      { news: { account_status: 'ban_disable' }, account: 'stopped' },
    ],
    [
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } },
      { news: { account_status: 'ban_schedule_for_disable' } },
    ],
    [
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
      { news: { account_status: 'ban_reinstate' }, account: 'released' },
    ],
    [{ event: 'ACCOUNT_DELETED' }, { news: { account_status: 'account_deleted' }, account: 'stopped' }],
    [{ event: 'ACCOUNT_OFFBOARDED' }, { news: { account_status: 'account_offboarded' }, account: 'stopped' }],
    [{ event: 'PARTNER_REMOVED' }, { news: { account_status: 'partner_removed' } }],
    [{ event: 'PARTNER_APP_UNINSTALLED' }, { news: { account_status: 'partner_app_uninstalled' } }],
    [{ event: 'ACCOUNT_RECONNECTED' }, { news: { account_status: 'account_reconnected' }, account: 'released' }],
  ])('%j', (value, told) => {
    expect(parts('account_update', value)).toEqual(news(told));
  });

  test.each([
    [{ max_daily_conversation_per_phone: 1000 }, 'tier_1k'],
    [{ max_daily_conversations_per_business: 250 }, 'tier_250'],
    [{ max_daily_conversations_per_business: '100000' }, 'tier_100k'],
    [{ max_daily_conversations_per_business: -1 }, 'tier_unlimited'],
    [{ max_daily_conversations_per_business: 'TIER_2K' }, 'tier_2k'],
  ])('its limit of people a day is the tier, as a check reads it: %j', (value, messaging_limit) => {
    expect(parts('business_capability_update', value)).toEqual(news({ news: { messaging_limit } }));
  });

  test('the end of its review', () => {
    expect(parts('account_review_update', { decision: 'REJECTED' })).toEqual(
      news({ news: { account_status: 'review_rejected' } }),
    );
  });
});

test.each([
  ['phone_number_quality_update', { event: 'FLAGGED' }],
  ['phone_number_quality_update', number],
  ['phone_number_name_update', number],
  ['account_update', {}],
  ['account_update', null],
  ['account_review_update', { decision: { toString: 1 } }],
])('%s with %j is not understood, and kept', (field, value) => {
  expect(parts(field, value)).toMatchObject([{ kind: 'broken', error: expect.stringContaining('Not understood') }]);
});

test('what is much too long is cut', () => {
  const [part] = parts('account_update', { event: 'x'.repeat(100_000) });
  expect(JSON.stringify(part).length).toBeLessThan(500);
});
