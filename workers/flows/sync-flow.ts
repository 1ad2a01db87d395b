import { syncFlowJob } from '../../src/flows/jobs.ts';
import { endWork, openWork } from '../../src/flows/outcome.ts';
import { documentOf, takeFromProvider } from '../../src/flows/take-provider.ts';
import { handleCalls } from '../handler.ts';
import { atProvider } from './at-provider.ts';
import { databaseTime } from './database-time.ts';
import { failDrifted } from './fail-drifted.ts';

export const syncFlow = handleCalls(syncFlowJob, async ({ flow_id: id, way }, context) => {
  const flow = await openWork(context.own, id, 'sync');
  const providerId = flow?.provider_flow_id;
  if (!flow || !providerId) return context.finish(({ own }) => endWork(own, id, 'sync'));
  return atProvider(context, flow, async ({ app, account, call }) => {
    const readAt = await databaseTime(context);
    const there = await call(() => app.readFlow(account, providerId));
    const flowJson = await call(() => app.downloadFlowDocument(account, providerId));
    const document = flowJson === undefined ? null : await documentOf(flowJson, { id, name: there.name });
    const taken = await takeFromProvider(
      context.transact,
      { id, isTaking: way === 'take' },
      { flow: there, document, readAt },
      context.config,
    );
    if (taken === 'conflict') return failDrifted(context, id, { about: 'document', remote: document?.sha256 ?? null });
    return context.finish(({ own }) => endWork(own, id, 'sync'));
  });
});
