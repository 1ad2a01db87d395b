import { asksHere, hasChanges } from '../../src/flows/ask.ts';
import { publishFlowJob } from '../../src/flows/jobs.ts';
import { claimWork, duringWork, endWork, faultOf, openWork, settlePushed, takeStatus } from '../../src/flows/outcome.ts';
import type { FlowRecord } from '../../src/flows/told.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { ProviderFlow } from '../../src/providers/messaging-app/flow-calls.ts';
import { handleCalls, type Outcome, type RunContext } from '../handler.ts';
import { type AtProvider, atProvider, saysGone } from './at-provider.ts';
import { failDrifted } from './fail-drifted.ts';
import { isElsewhere, pushThere } from './push.ts';

const doing = 'publish';

export const publishFlow = handleCalls(publishFlowJob, async ({ flow_id: id, way }, context) => {
  const flow = await openWork(context.own, id, doing);
  if (!flow) return context.finish();
  return atProvider(context, flow, async (at) => {
    if (await isPublishedByUs(context, at, flow)) return published(context, id);
    let { status, provider_flow_id: providerId } = flow;
    // Without changes too, but for a repeat: nobody publishes a document that nobody here has seen.
    if (hasChanges(flow) || (status === 'published' ? asksHere(flow) : flow.asked_at === null)) {
      const pushed = await pushThere(context, at, flow, { doing, isForced: way.includes('force') });
      if (pushed.kind === 'over') return context.finish();
      if (pushed.kind === 'conflict') return failDrifted(context, id, pushed);
      // Stored before the next step: a run after this one finds nothing left to push, and the status that the upload made.
      const settled = await duringWork(context.transact, { id, doing }, async (own, row) => {
        await settlePushed(own, row, pushed.exchanged);
        return row;
      });
      if (!settled) return context.finish();
      if (pushed.exchanged.faults?.length) return context.fail(invalid(pushed.exchanged.faults.length));
      ({ status, provider_flow_id: providerId } = settled);
    }
    if (status === 'published') return published(context, id);
    if (!(await claimWork(context.transact, id, doing, flow))) return context.finish();
    return publish(context, at, { id, providerId: providerId! });
  });
});

/** An earlier run may have asked for it. A flow that is published here and has changes to push was so before. */
async function isPublishedByUs(
  { config }: RunContext<unknown>,
  { app, account, call }: AtProvider,
  flow: FlowRecord,
): Promise<boolean> {
  const { asked_at, provider_flow_id: providerId, status } = flow;
  if (asked_at === null || providerId === null || (status === 'published' && hasChanges(flow))) return false;
  const there = await call(() => app.readFlow(account, providerId));
  return there.status === 'published' && !isElsewhere(config, flow, there);
}

const published = ({ finish }: RunContext<unknown>, id: string) =>
  finish(({ own }) => endWork(own, id, doing, (row) => takeStatus(own, row, 'published')));

async function publish(
  context: RunContext<unknown>,
  { app, account, call }: AtProvider,
  { id, providerId }: { id: string; providerId: string },
): Promise<Outcome> {
  try {
    await call(() => app.publishFlow(account, providerId));
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.stopsChannel || saysGone(error)) throw error;
    const there = await call(() => app.readFlow(account, providerId));
    if (there.status !== 'published') return failAs(context, id, there, error);
  }
  return published(context, id);
}

const invalid = (faults: number) => ({
  code: 'flow_invalid',
  message: `The provider finds ${faults} faults in the flow: see validation_errors`,
});

/** With the provider's own reasons. */
function failAs({ fail }: RunContext<unknown>, id: string, there: ProviderFlow, error: ProviderRefused): Promise<Outcome> {
  const { validationErrors: faults, status } = there;
  const refused = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
  const reason = faults.length > 0 ? { ...invalid(faults.length), provider_code: error.providerCode } : refused;
  return fail(reason, {
    async work({ own }) {
      const flow = await openWork(own, id, doing);
      if (!flow) return;
      flow.provider_faults = faults.map(faultOf);
      takeStatus(own as never, flow, status);
    },
  });
}
