import { Flow } from '../../src/flows/flow.entity.ts';
import { deleteFlowJob } from '../../src/flows/jobs.ts';
import { claimWork, openWork, settleDeleted, takeStatus } from '../../src/flows/outcome.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { handleCalls } from '../handler.ts';
import { atProvider, isListed, saysGone } from './at-provider.ts';
import { findMade, type Made } from './made.ts';

const doing = 'delete';

/** Of one that has no id, since its creation had no answer, the draft of its name is ours, unless its document is somebody else's. */
export const deleteFlow = handleCalls(deleteFlowJob, async ({ flow_id: id }, context) => {
  const flow = await openWork(context.own, id, doing);
  if (!flow) return context.finish();
  const removed = () => context.finish(({ own }) => settleDeleted(own, id));
  // `atProvider` must not take a flow that is gone for a draft of ours.
  return atProvider(context, { ...flow, provider_flow_id: null }, async (at) => {
    const { app, account, call } = at;
    const known: Made | undefined = flow.provider_flow_id ? { id: flow.provider_flow_id, isOurs: true } : undefined;
    const made = known ?? (await findMade(context, at, flow));
    // What somebody else made stays there.
    if (!made?.isOurs) return removed();
    const providerId = made.id;
    if (!(await claimWork(context.transact, id, doing, flow))) return context.finish();
    try {
      await call(() => app.deleteFlow(account, providerId));
    } catch (error) {
      if (!(error instanceof ProviderRefused) || error.stopsChannel) throw error;
      // An earlier run deleted it, or somebody else did.
      if (saysGone(error) && !(await isListed(at, providerId))) return removed();
      if (saysGone(error)) throw error;
      const { status } = await call(() => app.readFlow(account, providerId));
      const reason = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
      return context.fail(reason, {
        async work({ own }) {
          const row = await own.findOne(Flow, { id });
          if (row) takeStatus(own, row, status);
        },
      });
    }
    return removed();
  });
});
