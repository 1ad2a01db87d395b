import type { Database } from '../../platform/database/database.ts';
import { ownRows } from '../../platform/database/own.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { messageIdIn } from '../token.ts';
import { CannotDecrypt, type Opened, openRequest, sealReply } from './crypto.ts';
import type { FlowExchanges } from './exchanges.ts';
import { type ExchangeChannel as Channel, findOpenedFlow, type OpenedFlow } from './find.ts';
import { askEndpoint, forwardRequest, withWireToken } from './forward.ts';
import { isSameState } from './known-channels.ts';
import { type ExchangeOutcome, NotExchanged } from './outcomes.ts';
import { isErrorNotice, isPing, noticeReply, noticeWord, pingReply } from './requests.ts';
import { ensureSecret } from './secret.ts';

type Deps = { database: Database; secrets: Secrets; flowExchanges: FlowExchanges };
/** `by`: of `performance.now()`, when the answer must be there. */
type Asked = { body: Buffer; by: number };

/** `text`: encrypted, for this phone only. `notice`: the provider's word for what the phone could not show. */
export type Answered = {
  outcome: ExchangeOutcome;
  text: string;
  /** The token is not good, or the form is over: the phone closes it. */
  isOver?: boolean;
  notice?: string;
};

/** One request of a phone, whose signature is right. Throws NotExchanged. */
export async function answerExchange(deps: Deps, channel: Channel, { body, by }: Asked): Promise<Answered> {
  const opened = await decrypted(deps, channel, body);
  const { request } = opened;
  if (isPing(request)) return { outcome: 'ping', text: sealReply(opened, pingReply) };
  if (isErrorNotice(request)) return { outcome: 'notice', text: sealReply(opened, noticeReply), notice: noticeWord(request) };
  const flow = await flowOf(deps, channel, opened);
  return flow ? forwarded(deps, channel, opened, flow, by) : { outcome: 'token', text: sealReply(opened, {}), isOver: true };
}

/**
 * For a channel whose row was read by an earlier request: one trip to the database gives the flow, and what the channel has now. Undefined:
 * the row is not what it was, or something is not as it mostly is; nothing was done, and the channel must be read. Throws NotExchanged.
 */
export async function answerAsKnown(deps: Deps, channel: Channel, { body, by }: Asked): Promise<Answered | undefined> {
  const opened = await ifDecrypted(deps, channel, body);
  if (!opened || isPing(opened.request) || isErrorNotice(opened.request)) return undefined;
  const flow = await flowOf(deps, channel, opened);
  return flow && isSameState(flow, channel) ? forwarded(deps, channel, opened, flow, by) : undefined;
}

async function decrypted({ flowExchanges: exchanges, secrets }: Deps, channel: Channel, body: Buffer): Promise<Opened> {
  try {
    return await openRequest(exchanges.keys.of(channel.private_keys, secrets), body);
  } catch (error) {
    if (error instanceof CannotDecrypt) throw new NotExchanged('key', error.message);
    throw error;
  }
}

async function ifDecrypted(deps: Deps, channel: Channel, body: Buffer): Promise<Opened | undefined> {
  try {
    return await decrypted(deps, channel, body);
  } catch (error) {
    if (error instanceof NotExchanged) return undefined;
    throw error;
  }
}

/** Undefined: the token is not good. */
async function flowOf({ database, secrets }: Deps, channel: Channel, { request }: Opened): Promise<OpenedFlow | undefined> {
  const organizationId = channel.organization_id;
  const messageId = messageIdIn(secrets, organizationId, request.flowToken);
  return messageId === undefined ? undefined : findOpenedFlow(ownRows(database, organizationId), messageId, channel.id);
}

async function forwarded(deps: Deps, channel: Channel, opened: Opened, found: OpenedFlow, by: number): Promise<Answered> {
  const { database, secrets, flowExchanges: exchanges } = deps;
  const { request } = opened;
  const organizationId = channel.organization_id;
  let flow = found;
  if (flow.data_exchange_url === null) throw new NotExchanged('no_address', 'the flow has no data_exchange.url', flow.flow_id);
  if (flow.secret === null) {
    const own = ownRows(database, organizationId);
    await ensureSecret(own, flow.flow_id, secrets);
    flow = (await findOpenedFlow(own, flow.message_id, channel.id))!;
  }
  const opener = { open: (sealed: string) => exchanges.keys.text(sealed, secrets) };
  const asked = forwardRequest(request, { organizationId, opened: flow }, opener);
  const sender = await exchanges.sender();
  const withinMs = by - performance.now();
  if (withinMs < 1) throw new NotExchanged('timeout', 'no time was left to ask the endpoint', flow.flow_id);
  const { isOver, reply } = await askEndpoint(sender, { ...asked, withinMs }, flow.flow_id);
  if (isOver) return { outcome: 'ended', text: sealReply(opened, reply), isOver };
  return { outcome: 'answered', text: sealReply(opened, withWireToken(reply, request.flowToken)) };
}
