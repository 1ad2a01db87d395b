import { previewFlowJob } from '../../src/flows/jobs.ts';
import { endWork, openWork } from '../../src/flows/outcome.ts';
import { handleCalls } from '../handler.ts';
import { atProvider } from './at-provider.ts';

export const previewFlow = handleCalls(previewFlowJob, async ({ flow_id: id, way }, context) => {
  const flow = await openWork(context.own, id, 'preview');
  const providerId = flow?.provider_flow_id;
  if (!flow || !providerId) return context.finish(({ own }) => endWork(own, id, 'preview'));
  return atProvider(context, flow, async ({ app, account, call }) => {
    const there = await call(() => app.readFlow(account, providerId, { isPreviewRenewed: way === 'renew' }));
    return context.finish(({ own }) =>
      endWork(own, id, 'preview', (row) => {
        row.preview_url = there.previewUrl;
        row.preview_expires_at = there.previewExpiresAt?.toISOString() ?? null;
      }),
    );
  });
});
