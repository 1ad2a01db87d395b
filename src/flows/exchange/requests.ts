import type { ExchangeRequest } from './crypto.ts';

/** Answered here: the provider checks its endpoints with it. */
export const isPing = ({ action }: ExchangeRequest) => action.toLowerCase() === 'ping';

/** What the provider tells of an answer that the phone could not show: both fields and no other. A form may have a field called `error`. */
export const isErrorNotice = ({ data }: ExchangeRequest) =>
  Object.keys(data).sort().join() === 'error,error_message' && Object.values(data).every((value) => typeof value === 'string');

export const pingReply = { data: { status: 'active' } };
export const noticeReply = { data: { acknowledged: true } };

/** Written by the provider, for people who look for the fault: undefined unless it is one word. */
export function noticeWord({ data }: ExchangeRequest): string | undefined {
  const word = String(data.error);
  return /^[\w-]{1,64}$/.test(word) ? word : undefined;
}
