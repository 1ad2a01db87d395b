import { asksHere, hasChanges } from '../../src/flows/ask.ts';
import type { FlowStatus } from '../../src/flows/flow.entity.ts';
import { publishFlowJob } from '../../src/flows/jobs.ts';
import { moveOf } from '../../src/flows/moves.ts';
import { claimWork, duringWork, endWork, faultOf, openWork, settlePushed, takeStatus } from '../../src/flows/outcome.ts';
import type { FlowRecord } from '../../src/flows/told.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { ProviderFlow } from '../../src/providers/messaging-app/flow-calls.ts';
import { handleCalls, type Outcome, type RunContext } from '../handler.ts';
import { type AtProvider, atProvider, saysGone } from './at-provider.ts';
import { databaseTime } from './database-time.ts';
import { failDrifted } from './fail-drifted.ts';
import { failMoved } from './fail-moved.ts';
import { isElsewhere, pushThere } from './push.ts';

const doing = 'publish';

export const publishFlow = handleCalls(publishFlowJob, async ({ flow_id: id, way }, context) => {
  const flow = await openWork(context.own, id, doing);
  if (!flow) return context.finish();
  return atProvider(context, flow, async (at) => {
    const readAt = await databaseTime(context);
    const reached = await reachedByUs(context, at, flow);
    if (reached) return published(context, id, reached, readAt);
    if (!moveOf(flow.status, doing)) return failMoved(context, id, doing, flow);
    let { status, provider_flow_id: providerId } = flow;
    // Without changes too, but for a repeat: nobody publishes a document that nobody here has seen.
    if (hasChanges(flow) || (status === 'published' ? asksHere(flow) : flow.asked_at === null)) {
      const pushed = await pushThere(context, at, flow, { doing, way });
      if (pushed.kind === 'over') return context.finish();
      if (pushed.kind === 'conflict') return failDrifted(context, id, pushed);
      if (pushed.kind === 'moved') return failMoved(context, id, doing, pushed);
      // Stored before the next step: a run after this one finds nothing left to push, and the status that the upload made.
      const settled = await duringWork(context.transact, { id, doing }, async (own, row) => {
        await settlePushed(own, row, pushed.exchanged);
        return row;
      });
      if (!settled) return context.finish();
      if (pushed.exchanged.faults?.length) return context.fail(invalid(pushed.exchanged.faults.length));
      ({ status, provider_flow_id: providerId } = settled);
    }
    if (status === 'published') return context.finish(({ own }) => endWork(own, id, doing));
    const claimed = await claimWork(context.transact, id, doing, flow);
    if (claimed === undefined) return context.finish();
    if (!moveOf(claimed, doing)) return failMoved(context, id, doing, { status: claimed });
    return publish(context, at, { id, providerId: providerId! });
  });
});

/** Only what is published can be throttled or blocked: the publication has succeeded. */
const isReached = (status: FlowStatus) => status === 'published' || status === 'throttled' || status === 'blocked';

/** An earlier run may have asked for it. A flow that is no draft here and has changes to push was so before. */
async function reachedByUs(
  { config }: RunContext<unknown>,
  { app, account, call }: AtProvider,
  flow: FlowRecord,
): Promise<FlowStatus | undefined> {
  const { asked_at, provider_flow_id: providerId, status } = flow;
  if (asked_at === null || providerId === null || (status !== 'draft' && hasChanges(flow))) return undefined;
  const there = await call(() => app.readFlow(account, providerId));
  return isReached(there.status) && !isElsewhere(config, flow, there) ? there.status : undefined;
}

/** `askedAt`: the database's time before the provider's answer. What it made of the published flow since then is newer. */
const published = ({ finish }: RunContext<unknown>, id: string, status: FlowStatus, askedAt: string) =>
  finish(({ own }) =>
    endWork(own, id, doing, (row) => {
      const isNewer = row.status !== 'draft' && Date.parse(row.status_at ?? '') > Date.parse(askedAt);
      if (!isNewer) takeStatus(own, row, status);
    }),
  );

async function publish(
  context: RunContext<unknown>,
  { app, account, call }: AtProvider,
  { id, providerId }: { id: string; providerId: string },
): Promise<Outcome> {
  let askedAt = await databaseTime(context);
  let status: FlowStatus = 'published';
  try {
    await call(() => app.publishFlow(account, providerId));
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.stopsChannel || saysGone(error)) throw error;
    askedAt = await databaseTime(context);
    const there = await call(() => app.readFlow(account, providerId));
    if (!isReached(there.status)) return failAs(context, id, there, error);
    status = there.status;
  }
  return published(context, id, status, askedAt);
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
