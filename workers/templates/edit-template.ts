import { lookAtCopies } from '../../src/templates/copies.ts';
import { editTemplateJob } from '../../src/templates/jobs.ts';
import { looksLike } from '../../src/templates/looks-like.ts';
import { beginWork, markRefused, settleEdited } from '../../src/templates/outcome.ts';
import { handle } from '../handler.ts';
import { atProvider } from './at-provider.ts';

/** An edit counts for the provider's limits: after a lost answer it is repeated only where the provider does not show it. */
export const editTemplate = handle(editTemplateJob, async ({ template_id: id }, context) => {
  const begun = await beginWork(context.transact, id, 'edit');
  const { change, provider_template_id: providerId } = begun?.template ?? {};
  if (!begun || !change || !providerId) return context.finish();
  return atProvider(context, begun.template, {
    isRepeat: begun.isRepeat,
    async work(app, account, found) {
      const isDone =
        found !== undefined &&
        (!change.components || looksLike(change.components, found.components)) &&
        (!change.category || change.category === found.category);
      if (!isDone) await context.outside(() => app.editTemplate(account, providerId, change));
      return context.finishLooked(lookAtCopies(context.own, id), ({ own }, copies) => settleEdited(own, id, copies));
    },
    refused: ({ own }) => markRefused(own, id),
  });
});
