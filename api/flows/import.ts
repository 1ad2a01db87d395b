import Joi from 'joi';
import { findChannel } from '../../src/channels/queries.ts';
import { askForImport } from '../../src/flows/ask.ts';
import { importLane } from '../../src/flows/jobs.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, operationNote } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './schemas.ts';

const importView = view(Joi.object({ channel_id: id.required() }), { channel_id: exampleIds.channel });

export const importFlowsOfChannel = endpoint({
  method: 'post',
  path: '/v1/flows/import',
  operationId: 'flows.import',
  tag,
  scope: 'flows:write',
  audit: 'channel',
  summary: "Import the flows of a channel's account that are not here",
  description: `Each comes with its document, status and preview. A flow that is here already is left as it is: POST …/sync fetches one. One whose name a draft here has is left out, and the operation ends with \`conflict\` once the others are here. Asked again while it is under way it is the same operation. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<{ channel_id: string }>({ channel_id: id.required() }),
  responses: { 200: importView },
  errors: [404, 409],
  example: { body: { channel_id: exampleIds.channel } },
  handler({ body: { channel_id }, own, write }) {
    return write({ locks: [importLane(channel_id)] }, async (tx) => {
      const channel = await findChannel(own, channel_id);
      if (!channel) throw notFound('Channel');
      if (channel.status !== 'connected')
        throw new AppError('conflict', `The channel cannot reach the provider: it is ${channel.status}`);
      return {
        ...ok({ channel_id: channel.id }),
        operationId: await askForImport(tx.own, channel),
        audit: { subject: `channel:${channel.id}` },
      };
    });
  },
  outcome: async ({ body }) => ok({ channel_id: body.channel_id }),
});
