import { parameterFormatOf } from '../../src/templates/components.ts';
import { submitTemplateJob } from '../../src/templates/jobs.ts';
import { looksLike } from '../../src/templates/looks-like.ts';
import { beginWork, markRefused, settleSubmitted } from '../../src/templates/outcome.ts';
import { handle } from '../handler.ts';
import { atProvider } from './at-provider.ts';

/** After a lost answer the provider is asked for the template before it is submitted again. */
export const submitTemplate = handle(submitTemplateJob, async ({ template_id: id }, context) => {
  const begun = await beginWork(context.transact, id, 'submit');
  if (!begun) return context.finish();
  const { template, isRepeat } = begun;
  const { name, language, category, components } = template;
  return atProvider(context, template, {
    isRepeat,
    async work(app, account, found) {
      const content = { name, language, category, components, parameterFormat: parameterFormatOf(template) };
      const there = found ?? (await context.outside(() => app.createTemplate(account, content)));
      if (!found || looksLike(components, found.components)) return context.finish(({ own }) => settleSubmitted(own, id, there));
      const message = 'The provider has a template of this name with other content, which is shown now: edit it';
      return context.fail({ code: 'conflict', message }, { work: ({ own }) => settleSubmitted(own, id, there) });
    },
    refused: ({ own }, { stopsChannel, message }) => markRefused(own, id, stopsChannel ? undefined : message),
  });
});
