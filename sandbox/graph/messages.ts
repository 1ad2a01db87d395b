import { type FaultKind, faultKinds } from '../faults.ts';
import { openedBy } from '../flows/sending.ts';
import { messageId } from '../ids.ts';
import { asFields, requiredText } from '../messages/checks.ts';
import { checkMediaIds } from '../messages/media-ids.ts';
import { type Outgoing, readOutgoing } from '../messages/outgoing.ts';
import type { State } from '../state.ts';
import { announce } from '../webhooks/statuses.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { reply } from './reply.ts';

const webhookFaults = faultKinds.slice(faultKinds.indexOf('drop_webhooks'));

/** Sends a message, or marks one as read: the provider has one address for both. */
export function postMessage(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const account = ownNumber(state, req, res);
    const body = asFields(req.body) ?? {};
    if (body.messaging_product !== 'whatsapp') {
      throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' });
    }
    if (body.status !== undefined) {
      reply(res, 200, markAsRead(body));
      return;
    }
    if (!state.numbers.of(account.phone_number_id).isRegistered) throw new GraphError(133010);
    const outgoing = ofUser(state, readOutgoing(body, account));
    const opened = openedBy(state, account, body, outgoing.template);
    checkMediaIds(body, (id) => state.media.find(id, res.locals.token)?.mimeType);
    if (!state.buckets.take(account.phone_number_id, state.behaviour.mps)) {
      throw new GraphError(130429, {
        details: 'Message failed to send because too many were sent from this number in a short time',
      });
    }
    if (!takesPair(state, account.phone_number_id, outgoing.user)) {
      throw new GraphError(131056, { details: 'Message failed to send because too many were sent to this user in a short time' });
    }
    const failure = failureOf(state, account.phone_number_id, outgoing);
    if (failure === 131047 && state.behaviour.window === 'sync') throw new GraphError(131047);

    const id = messageId(outgoing.user, 'out');
    state.accepted.add({
      id,
      phone_number_id: account.phone_number_id,
      to: outgoing.user,
      type: outgoing.type,
      callback_data: outgoing.callbackData,
      at: new Date().toISOString(),
    });
    if (opened) state.flows.sent.set(id, { ...opened, phoneNumberId: account.phone_number_id, user: userOf(outgoing) });
    const faults = new Set<FaultKind>(webhookFaults.filter((kind) => state.faults.take(kind, req.method, res.locals.path)));
    announce(state, { account, id, outgoing, failure, faults });
    reply(res, 200, answerOf(outgoing, id));
  };
}

function takesPair({ buckets, behaviour: { pair } }: State, phoneNumberId: string, user: string): boolean {
  return pair === null || buckets.take(`${phoneNumberId} ${user}`, 1_000 / pair.every_ms, performance.now(), pair.burst);
}

function failureOf({ behaviour, windows }: State, phoneNumberId: string, outgoing: Outgoing): number | null {
  const isClosed = behaviour.window !== 'off' && outgoing.isFreeForm && !windows.isOpen(phoneNumberId, outgoing.user);
  return isClosed ? 131047 : (behaviour.fails[outgoing.user] ?? null);
}

/** Who has the phone: its id may be another than the number. */
function ofUser({ behaviour }: State, outgoing: Outgoing): Outgoing {
  const waId = outgoing.waId === null ? undefined : behaviour.wa_ids[outgoing.waId];
  return waId === undefined ? outgoing : { ...outgoing, user: waId, waId };
}

const userOf = ({ waId, user }: Outgoing) => (waId === null ? { user_id: user } : { wa_id: waId });

function answerOf({ input, user, waId, isFreeForm }: Outgoing, id: string): object {
  return {
    messaging_product: 'whatsapp',
    contacts: [waId === null ? { input, user_id: user } : { input, wa_id: waId }],
    messages: [isFreeForm ? { id } : { id, message_status: 'accepted' }],
  };
}

function markAsRead(body: Record<string, unknown>): object {
  if (body.status !== 'read') throw new GraphError(100, { message: '(#100) Param status must be one of {read}' });
  requiredText(body, 'message_id', 'message_id');
  if (body.typing_indicator !== undefined && asFields(body.typing_indicator)?.type !== 'text')
    throw new GraphError(100, { message: "(#100) Param typing_indicator['type'] must be one of {text}" });
  return { success: true };
}
