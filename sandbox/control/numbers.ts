import Joi from 'joi';
import { type Account, digitsOf } from '../accounts.ts';
import type { NumberState } from '../numbers.ts';
import type { State } from '../state.ts';
import { encode } from '../webhooks/encode.ts';
import { ControlError, check } from './check.ts';

const limits = ['TIER_250', 'TIER_1K', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'];

type Change = Partial<Pick<NumberState, 'quality_rating' | 'messaging_limit_tier' | 'name_status'>> & {
  phone_number_id: string;
  throughput?: string;
  refuses?: number | null;
  account_event?: string;
  ban_state?: string;
};

const changeSchema = Joi.object<Change>({
  phone_number_id: Joi.string().required(),
  quality_rating: Joi.string().valid('GREEN', 'YELLOW', 'RED', 'UNKNOWN'),
  messaging_limit_tier: Joi.string().valid(...limits),
  throughput: Joi.string().valid('STANDARD', 'HIGH'),
  name_status: Joi.string().valid('APPROVED', 'DECLINED', 'EXPIRED', 'PENDING_REVIEW'),
  refuses: Joi.number()
    .integer()
    .allow(null)
    .description('The error of every call with the token of the number, e.g. 190; null: none'),
  account_event: Joi.string().description('What became of the account, e.g. ACCOUNT_RESTRICTION: only a webhook'),
  ban_state: Joi.string().valid('SCHEDULE_FOR_DISABLE', 'DISABLE', 'REINSTATE').description('With account_event'),
});

/** What the provider decides about a number: it is shown so from now on, and the provider's webhooks tell of it. */
export function changeNumber(state: State, body: unknown): object {
  const { phone_number_id: id, refuses, account_event, ban_state, ...change } = check(changeSchema, body);
  const account = state.accounts.ofNumber(id);
  if (!account) throw new ControlError(422, `"phone_number_id" ${id} is not a number of this sandbox`);
  if (refuses === null) state.numbers.refusals.delete(account.access_token);
  else if (refuses !== undefined) state.numbers.refusals.set(account.access_token, refuses);
  const number = state.numbers.of(id);
  const changes = newsOf(account, number, change);
  Object.assign(number, change);
  if (account_event)
    changes.push({
      field: 'account_update',
      value: { event: account_event, ...(ban_state && { ban_info: { waba_ban_state: ban_state } }) },
    });
  const time = Math.floor(Date.now() / 1_000);
  if (changes.length > 0)
    state.webhooks.push(id, encode({ object: 'whatsapp_business_account', entry: [{ id: account.waba_id, time, changes }] }));
  return { webhooks: changes.length };
}

function newsOf(account: Account, was: NumberState, now: Partial<NumberState>): { field: string; value: object }[] {
  const display_phone_number = digitsOf(account.display_phone_number);
  const limit = now.messaging_limit_tier ?? was.messaging_limit_tier;
  const quality = (event: string) => ({
    field: 'phone_number_quality_update',
    value: { display_phone_number, event, current_limit: limit },
  });
  const isNew = (field: keyof NumberState) => now[field] !== undefined && now[field] !== was[field];
  const news: { field: string; value: object }[] = [];
  if (isNew('quality_rating') && (now.quality_rating === 'RED' || was.quality_rating === 'RED'))
    news.push(quality(now.quality_rating === 'RED' ? 'FLAGGED' : 'UNFLAGGED'));
  if (isNew('messaging_limit_tier'))
    news.push(quality(limits.indexOf(limit) > limits.indexOf(was.messaging_limit_tier) ? 'UPGRADE' : 'DOWNGRADE'));
  if (isNew('throughput') && now.throughput === 'HIGH') news.push(quality('THROUGHPUT_UPGRADE'));
  if (isNew('name_status')) {
    const value = { display_phone_number, decision: now.name_status, requested_verified_name: account.verified_name };
    news.push({ field: 'phone_number_name_update', value });
  }
  return news;
}
