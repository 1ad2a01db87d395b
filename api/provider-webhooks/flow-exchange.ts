import Joi from 'joi';
import { type Answered, answerAsKnown, answerExchange } from '../../src/flows/exchange/answer.ts';
import { answerWithinMs } from '../../src/flows/exchange/exchanges.ts';
import { type ExchangeChannel, findExchangeChannel } from '../../src/flows/exchange/find.ts';
import { type ExchangeOutcome, NotExchanged } from '../../src/flows/exchange/outcomes.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { isSignedWith, looksSigned } from '../../src/provider-webhooks/signature.ts';
import { type Deps, endpoint, type Input, type Reply } from '../http/endpoint.ts';
import { view } from '../http/view.ts';

/** What a phone fills in; files come as links. */
const maxBytes = 1024 * 1024;
const signatureHeader = 'x-hub-signature-256';
const overStatus = 427;

const wrongSignature = () => new AppError('signature_invalid', 'The signature is not right');

/** The provider knows no more than that; the log says which part failed. */
const refusals: Partial<Record<ExchangeOutcome, () => AppError>> = {
  signature: wrongSignature,
  key: () => new AppError('key_unknown', 'The request cannot be decrypted: fetch the public key again'),
  busy: () => new AppError('unavailable', 'Too many requests of flows at once', { retryAfterSeconds: 1 }),
};
const endpointFailed = () => new AppError('endpoint_failed', 'The endpoint of the flow gave no answer');

async function exchange({ body, params, header, from }: Input<Buffer, unknown>, deps: Deps, by: number): Promise<Answered> {
  const { config, database, secrets, flowExchanges: exchanges, limits } = deps;
  const id = params.channelID!;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const isSigned = ({ app_secret: own }: ExchangeChannel) => {
    const secret = own === null ? config.messagingAppSecret : exchanges.keys.text(own, secrets);
    return secret ? isSignedWith(secret, bytes, header(signatureHeader)) : false;
  };
  const lookUp = await limits.lookUps.begin(from.address, id);
  const known = exchanges.channels.of(id);
  if (known && isSigned(known)) {
    const answer = await inPlace(deps, known, () => answerAsKnown(deps, known, { body: bytes, by }));
    if (answer) {
      lookUp.right();
      return answer;
    }
  }
  const channel = await findExchangeChannel(database, id);
  if (!channel) {
    exchanges.channels.forget(id);
    throw notFound('Channel');
  }
  if (!isSigned(channel)) {
    await lookUp.wrong();
    throw new NotExchanged('signature', 'The signature is not right');
  }
  lookUp.right();
  exchanges.channels.keep(id, channel);
  return inPlace(deps, channel, () => answerExchange(deps, channel, { body: bytes, by }));
}

async function inPlace<Result>(deps: Deps, channel: ExchangeChannel, work: () => Promise<Result>): Promise<Result> {
  const { database, flowExchanges: exchanges } = deps;
  const place = exchanges.tryTake(channel.organization_id);
  if (!place) throw new NotExchanged('busy', 'Too many requests of flows at once');
  try {
    return await database.onBehalfOf(channel.organization_id, work);
  } finally {
    place();
  }
}

async function receive(input: Input<Buffer, unknown>, deps: Deps): Promise<Reply> {
  const { log, params } = input;
  const startedAt = performance.now();
  const ended = (outcome: ExchangeOutcome) => deps.flowExchanges.ended(outcome, (performance.now() - startedAt) / 1000);
  try {
    const { outcome, text, isOver, notice } = await exchange(input, deps, startedAt + answerWithinMs);
    ended(outcome);
    if (outcome === 'notice') log.warn({ channel_id: params.channelID, notice }, 'flow: the phone could not show an answer');
    return { status: isOver ? overStatus : 200, body: text };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!(error instanceof NotExchanged)) {
      ended('fault');
      throw error;
    }
    const { outcome, message: reason, flowId } = error;
    ended(outcome);
    log.warn({ channel_id: params.channelID, flow_id: flowId, outcome, reason }, 'flow: a phone got no answer');
    throw (refusals[outcome] ?? endpointFailed)();
  }
}

const encryptedExample = 'JcGcKBbKgDRkLkF6k2nMqYVCpuM5zT0xdxyn1Q==';
const encrypted = Joi.string().description('Encrypted with the key of the request, in base64');

export const receiveFlowExchange = endpoint({
  tag: 'Provider webhooks',
  method: 'post',
  path: '/v1/providers/messaging-app/flows/:channelID',
  operationId: 'provider-webhooks.flow-exchange',
  scope: 'public',
  isUnlimited: true,
  summary: 'Answer what a phone asks the endpoint of a flow',
  description:
    "The provider calls it, encrypted with the channel's key. Health checks and error notices are answered here; everything else goes to the flow's `data_exchange.url`, decrypted and signed as webhooks are. 421: no key of the channel opens it. 427: the token is not ours or the form is over. 432: the signature is wrong.",
  params: { channelID: Joi.string() },
  query: Joi.object<Record<string, unknown>>().unknown(),
  rawBodyBytes: maxBytes,
  beforeBody(header) {
    if (!looksSigned(header(signatureHeader))) throw wrongSignature();
  },
  responses: {
    200: view(encrypted, encryptedExample),
    [overStatus]: view(encrypted, encryptedExample),
  },
  errors: [421, 429, 432, 502],
  example: {
    body: {
      encrypted_flow_data: 'sT0G3aqhSjL3e0mUJQ==',
      encrypted_aes_key: 'kZ1Vb4o0b2Yt3w==',
      initial_vector: 'q5lQ6R0o2m2nGmXgq1n3Ug==',
    },
  },
  handler: receive,
});
