import { Flow } from '../../src/flows/flow.entity.ts';
import { deprecateFlowJob } from '../../src/flows/jobs.ts';
import { claimWork, endWork, openWork, takeStatus } from '../../src/flows/outcome.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { handleCalls } from '../handler.ts';
import { atProvider, saysGone } from './at-provider.ts';

const doing = 'deprecate';

/** After a lost answer the flow is read before it is asked again. */
export const deprecateFlow = handleCalls(deprecateFlowJob, async ({ flow_id: id }, context) => {
  const flow = await openWork(context.own, id, doing);
  const providerId = flow?.provider_flow_id;
  if (!flow || !providerId) return context.finish(({ own }) => endWork(own, id, doing));
  const done = () => context.finish(({ own }) => endWork(own, id, doing, (row) => takeStatus(own, row, 'deprecated')));
  return atProvider(context, flow, async ({ app, account, call }) => {
    const read = () => call(() => app.readFlow(account, providerId));
    if (flow.asked_at !== null && (await read()).status === 'deprecated') return done();
    if (!(await claimWork(context.transact, id, doing, flow))) return context.finish();
    try {
      await call(() => app.deprecateFlow(account, providerId));
    } catch (error) {
      if (!(error instanceof ProviderRefused) || error.stopsChannel || saysGone(error)) throw error;
      const { status } = await read();
      if (status === 'deprecated') return done();
      const reason = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
      return context.fail(reason, {
        async work({ own }) {
          const row = await own.findOne(Flow, { id });
          if (row) takeStatus(own, row, status);
        },
      });
    }
    return done();
  });
});
