import type { FlowRecord } from '../../src/flows/told.ts';
import type { ProviderFlow } from '../../src/providers/messaging-app/flow-calls.ts';

/** What was changed here since the last exchange. Undefined: nothing. */
export function changedMetadata({ name, pushed_name, categories, pushed_categories }: FlowRecord) {
  const change = {
    ...(name !== pushed_name && { name }),
    ...(categories.join() !== pushed_categories?.join() && { categories }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** The provider may give them in another order. */
const listed = (categories: string[]) => [...categories].sort().join();

/** Would what is to be sent replace a name or categories that were changed there, too? As in a sync, the same change on both sides is none. */
export function isOverwriting(flow: FlowRecord, there: Pick<ProviderFlow, 'name' | 'categories'>): boolean {
  const { name = there.name, categories = there.categories } = changedMetadata(flow) ?? {};
  const { pushed_name, pushed_categories } = flow;
  const isName = pushed_name !== null && there.name !== pushed_name && there.name !== name;
  const [theirs, ours] = [listed(there.categories), listed(categories)];
  return isName || (pushed_categories !== null && theirs !== listed(pushed_categories) && theirs !== ours);
}
