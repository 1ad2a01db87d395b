import { importFlow, newFlowId } from '../../src/flows/import.ts';
import { importFlowsJob } from '../../src/flows/jobs.ts';
import { ownerless } from '../../src/flows/ownerless.ts';
import { documentOf } from '../../src/flows/take-provider.ts';
import type { FlowSummary } from '../../src/providers/messaging-app/flow-calls.ts';
import { FlowRefused } from '../../src/providers/messaging-app/flow-refusals.ts';
import { handleCalls, type RunContext } from '../handler.ts';
import { type AtProvider, atProvider, saysGone } from './at-provider.ts';
import { databaseTime } from './database-time.ts';
import { type ImportCounts, unfinished } from './import-outcome.ts';
import { listFlows } from './list-flows.ts';

/** A run that comes again goes on where the last one stopped: what is here is not read. */
export const importFlows = handleCalls(importFlowsJob, async ({ channel_id: channelId }, context) =>
  atProvider(context, { id: channelId, channel_id: channelId, provider_flow_id: null }, async (at) => {
    const { flows: listed, isCut } = await listFlows(at);
    const wanted = new Set(
      await ownerless(
        context.own,
        listed.map(({ id }) => id),
      ),
    );
    const counts: ImportCounts = { imported: 0, listed: listed.length, isCut, isFull: false, taken: [], unstorable: [] };
    for (const flow of listed) if (wanted.has(flow.id) && !counts.isFull) await importOne(context, at, channelId, flow, counts);
    context.facts.imported = counts.imported;
    const reason = unfinished(counts);
    if (reason) return context.fail(reason);
    return context.finish();
  }),
);

async function importOne(
  context: RunContext<unknown>,
  { app, account, call }: AtProvider,
  channelId: string,
  { id: providerId, name }: FlowSummary,
  counts: ImportCounts,
): Promise<void> {
  const readAt = await databaseTime(context);
  const id = newFlowId();
  try {
    const flow = await call(() => app.readFlow(account, providerId));
    const flowJson = (await call(() => app.downloadFlowDocument(account, providerId))) ?? {
      version: flow.jsonVersion,
      screens: [],
    };
    const document = await documentOf(flowJson, { id, name: flow.name });
    const outcome = await importFlow(context.transact, { id, channelId }, { flow, document, readAt });
    if (outcome === 'imported') counts.imported += 1;
    if (outcome === 'name_taken') counts.taken.push(name);
    counts.isFull = outcome === 'full';
  } catch (error) {
    if (error instanceof FlowRefused && error.reason === 'unstorable') counts.unstorable.push(name);
    // Deleted since the list was read.
    else if (!saysGone(error)) throw error;
  }
}
