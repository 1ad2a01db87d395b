import type { Account } from '../accounts.ts';
import type { State } from '../state.ts';
import { ownWaba } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { pickFields } from './fields.ts';
import { page } from './paging.ts';
import { reply } from './reply.ts';
import { requestUrl } from './request-url.ts';

const nodeType = 'WhatsAppBusinessPhoneNumber';

function numberNode(account: Account, { behaviour: { mps }, numbers }: State) {
  const { isRegistered, isVerified, ...number } = numbers.of(account.phone_number_id);
  return {
    id: account.phone_number_id,
    display_phone_number: account.display_phone_number,
    verified_name: account.verified_name,
    quality_rating: number.quality_rating,
    status: isRegistered ? 'CONNECTED' : 'DISCONNECTED',
    code_verification_status: isVerified ? 'VERIFIED' : 'NOT_VERIFIED',
    name_status: number.name_status,
    account_mode: 'SANDBOX',
    platform_type: 'CLOUD_API',
    throughput: { level: number.throughput ?? (mps !== null && mps <= 80 ? 'STANDARD' : 'HIGH') },
    messaging_limit_tier: number.messaging_limit_tier,
    is_official_business_account: false,
  };
}

export function showNumber(account: Account, state: State, fields: unknown): object {
  const node = numberNode(account, state);
  return pickFields(node, fields, Object.keys(node), nodeType);
}

export function listPhoneNumbers(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const numbers = ownWaba(state, req, res).map((account) => showNumber(account, state, req.query.fields));
    reply(res, 200, page(numbers, requestUrl(req)));
  };
}
