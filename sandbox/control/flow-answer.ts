import Joi from 'joi';
import { digitsOf } from '../accounts.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';
import { receiveInbound } from './inbound.ts';

interface Answer {
  message_id: string;
  response: object | string;
  with_token: boolean;
  id?: string;
  timestamp?: string;
}

const answerSchema = Joi.object<Answer>({
  message_id: Joi.string().required(),
  response: Joi.alternatives(Joi.object().unknown(), Joi.string().allow(''))
    .default({})
    .description('What was filled in, by field; a text is sent as it is, also where it is no JSON'),
  with_token: Joi.boolean().default(true),
  id: Joi.string().description('Of the answer; the same one twice is the same answer twice'),
  timestamp: Joi.string().pattern(/^\d+$/, 'seconds'),
});

/** A person opens the flow of a message that was sent to them, fills it in and sends it. */
export function answerFlow(state: State, body: unknown): object {
  const { message_id, response, with_token, id, timestamp } = check(answerSchema, body);
  const sent = state.flows.sent.get(message_id);
  if (!sent) throw new ControlError(422, `"message_id" ${message_id} is no message of this sandbox that opens a flow`);
  const token = with_token && sent.token !== null ? { flow_token: sent.token } : {};
  const response_json = typeof response === 'string' ? response : JSON.stringify({ ...token, ...response });
  const account = state.accounts.ofNumber(sent.phoneNumberId);
  const message = {
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    context: { from: digitsOf(account?.display_phone_number ?? ''), id: message_id },
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } },
  };
  return receiveInbound(state, { phone_number_id: sent.phoneNumberId, message, contact: sent.user });
}
