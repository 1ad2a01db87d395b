import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';
import type { JobError } from '../platform/ledger/jobs.entity.ts';
import { Flow, type FlowWork } from './flow.entity.ts';
import type { FlowAction } from './moves.ts';
import type { FlowRecord } from './told.ts';

/** How the work was asked for. `force`: over what the provider has. `take`: over what stands here. `renew`: another preview address. */
export const flowWays = ['', 'force', 'unpublish', 'force unpublish', 'take', 'renew'] as const;
export type FlowWay = (typeof flowWays)[number];
export type FlowPayload = { flow_id: string; way: FlowWay };

export const actionOf = (work: FlowWork, way: FlowWay): FlowAction =>
  work === 'push' && way.includes('unpublish') ? 'unpublish' : work;

export const ended = (flow: FlowRecord, failure: JobError | null = null) => {
  flow.doing = null;
  flow.failure = failure;
  // Without an answer to its creation the provider may have it.
  const mayBeThere = flow.provider_flow_id === null && failure !== null && failure.code !== 'provider_refused';
  if (!mayBeThere) flow.asked_at = null;
};

/** What is to be done stands in the row, so that a job that comes too late finds nothing to do. SQL: `openSubjects` are a set. */
const flowJob = (doing: FlowWork): JobContract<FlowPayload> =>
  job<FlowPayload>({
    name: `flows.${doing}`,
    queue: 'default',
    payload: Joi.object({
      flow_id: uuid,
      way: Joi.string()
        .valid(...flowWays)
        .required(),
    }),
    subjectType: 'flow',
    subject: 'flow_id',
    delayMs: backoff(8),
    operation: true,
    async failed({ own }, { flow_id: id }, { code, message, provider_code = null }) {
      const flow = await own.findOne(Flow, { id, doing });
      if (flow) ended(flow, { code, message, provider_code });
    },
    async revived({ own }, { flow_id: id }) {
      const revived = await own.update(Flow, { id, doing: null, failure: { $ne: null } }, { doing, failure: null });
      if (revived === 0) throw new AppError('conflict', 'The flow was changed or deleted since');
    },
    async calledOff({ own }, { flow_id: id }) {
      const flow = await own.findOne(Flow, { id, doing });
      if (flow) ended(flow, { code: 'cancelled', message: 'Called off' });
    },
    openSubjects: `
      select organization_id, id
        from flows
       where doing = '${doing}'`,
  });

export const pushFlowJob = flowJob('push');
export const publishFlowJob = flowJob('publish');
export const syncFlowJob = flowJob('sync');
export const deprecateFlowJob = flowJob('deprecate');
export const deleteFlowJob = flowJob('delete');
export const previewFlowJob = flowJob('preview');

export const flowJobs: Record<FlowWork, JobContract<FlowPayload>> = {
  push: pushFlowJob,
  publish: publishFlowJob,
  sync: syncFlowJob,
  deprecate: deprecateFlowJob,
  delete: deleteFlowJob,
  preview: previewFlowJob,
};

export const importFlowsJob = job<{ channel_id: string }>({
  name: 'flows.import',
  queue: 'default',
  payload: Joi.object({ channel_id: uuid }),
  subjectType: 'channel',
  subject: 'channel_id',
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  revived: async () => {},
  calledOff: async () => {},
});

export const importLane = (channelId: string) => `flows-import:${channelId}`;
