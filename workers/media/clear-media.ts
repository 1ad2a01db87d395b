import { clearMediaJob } from '../../src/media/jobs.ts';
import { clearDeleted } from '../../src/media/remove.ts';
import { handle } from '../handler.ts';

export const clearMedia = handle(clearMediaJob, async (_, context) => {
  const { own, transact, storage, facts } = context;
  facts.removed = await context.outside(() => clearDeleted(own, transact, storage));
  return context.finish();
});
