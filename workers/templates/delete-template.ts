import type { ChannelAccount } from '../../src/channels/account.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import type { MessagingApp } from '../../src/providers/messaging-app/provider.ts';
import { lookAtCopies } from '../../src/templates/copies.ts';
import { deleteTemplateJob } from '../../src/templates/jobs.ts';
import { looksLike } from '../../src/templates/looks-like.ts';
import { openDeletion, settleDeleted } from '../../src/templates/outcome.ts';
import type { TemplateRecord } from '../../src/templates/told.ts';
import { handle } from '../handler.ts';
import { atProvider } from './at-provider.ts';

export const deleteTemplate = handle(deleteTemplateJob, async ({ template_id: id }, context) => {
  const template = await openDeletion(context.own, id);
  if (!template) return context.finish();
  if (!template.provider_template_id && !template.submitted_at) return context.finish(({ own }) => settleDeleted(own, id));
  return atProvider(context, template, {
    async work(app, account) {
      await context.outside(() => deleteThere(app, account, template));
      return context.finishLooked(lookAtCopies(context.own, id), ({ own }, copies) => settleDeleted(own, id, copies));
    },
  });
});

/** Of one that has no id, since its submission had no answer, only what looks like ours is ours. A refusal is none where the provider does not have the template: an earlier try deleted it, or its submission never arrived. */
async function deleteThere(app: MessagingApp, account: ChannelAccount, template: TemplateRecord): Promise<void> {
  const { name, language, components } = template;
  const ourId = async () => {
    const found = await app.findTemplate(account, { name, language });
    return found && looksLike(components, found.components) ? found.id : undefined;
  };
  const id = template.provider_template_id ?? (await ourId());
  if (!id) return;
  try {
    await app.deleteTemplate(account, { id, name });
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.stopsChannel) throw error;
    const still = await app.findTemplate(account, { name, language });
    if (still?.id === id) throw error;
  }
}
