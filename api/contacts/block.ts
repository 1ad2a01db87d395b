import Joi from 'joi';
import { assertConnected, blockStatusOf, requestChange } from '../../src/contacts/blocking/block.ts';
import { type BlockWish, blockLane } from '../../src/contacts/blocking/jobs.ts';
import { resolveBlock, resolveConflicts } from '../../src/contacts/blocking/resolve-block.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { type Deps, endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { appUserId, tag } from './schemas.ts';

type BlockBody = { channel_id: string; phone?: string; user_id?: string };
type BlockInput = Input<BlockBody, unknown>;

const body = Joi.object<BlockBody>({
  channel_id: Joi.string().trim().min(1).max(255).required().description('The channel on whose provider it happens'),
  phone: phoneNumber,
  user_id: appUserId,
}).or('phone', 'user_id');

const blockView = view(
  Joi.object({
    status: Joi.string()
      .required()
      .valid('pending', 'blocked', 'unblocked', 'failed')
      .description('pending until the provider has answered'),
  }),
  { status: 'pending' },
);

const shared = {
  method: 'post' as const,
  tag,
  scope: 'contacts:write' as const,
  isIdempotent: true,
  isOperation: true,
  body,
  responses: { 200: blockView },
  errors: [404],
  example: {
    body: { channel_id: exampleIds.channel, phone: '+16505551234', user_id: 'US.13491208655302741918' },
  },
};

const asked =
  (wish: BlockWish) =>
  async ({ body: { channel_id, phone, user_id }, own, write }: BlockInput, { ledger, secrets }: Deps): Promise<Reply> => {
    await assertConnected(own, channel_id);
    const who = { phone, userId: user_id };
    const blockId = await ledger.transact({ retryOn: resolveConflicts }, (tx) =>
      resolveBlock(tx.of(own.organizationId), secrets, channel_id, who),
    );
    return write({ locks: [blockLane(blockId)] }, async (tx) => {
      const { status, operationId } = await requestChange(tx.own, blockId, wish);
      return { ...ok({ status }), operationId };
    });
  };

/** The actual outcome: another change may have overtaken the one waited for. */
async function outcome({ own }: BlockInput, _deps: Deps, reply: Reply): Promise<Reply> {
  const status = await blockStatusOf(own, reply.operationId!);
  return status ? ok({ status: status === 'unblocking' ? 'pending' : status }) : reply;
}

const note = `Neither phone nor user_id is a 422; with both, the phone is what the provider is asked with. Asked again it is the same operation, or none when it has been done. ${operationNote}`;

export const blockContact = endpoint({
  ...shared,
  path: '/v1/contacts/block',
  operationId: 'contacts.block',
  summary: 'Block a contact on its channel',
  description: `The provider delivers nothing the person writes any more. It blocks only people who wrote to the channel within 24 hours: else a 422 with code 131047 for who waits. ${note}`,
  handler: asked('block'),
  outcome,
});

export const unblockContact = endpoint({
  ...shared,
  path: '/v1/contacts/unblock',
  operationId: 'contacts.unblock',
  summary: 'Unblock a contact on its channel',
  description: note,
  handler: asked('unblock'),
  outcome,
});
