import type { ProviderFlow } from '../providers/messaging-app/flow-calls.ts';
import type { FlowRecord } from './told.ts';

/** Which side's document changed since the last exchange. `agreed`: both, in the same way. */
export type Changed = 'nothing' | 'ours' | 'theirs' | 'both' | 'agreed';

export type Hashes = {
  /** Of our document, and of ours as the provider got it last. */
  local: string;
  pushed: string | null;
  /** Of what the provider gave back then: it may have written ours otherwise. And of what it has at present. */
  base: string | null;
  remote: string | null;
};

/** null: there is no document, or was none. */
export function changedIn({ local, pushed, base, remote }: Hashes): Changed {
  const [isOurs, isTheirs] = [local !== pushed, remote !== base];
  if (isTheirs && remote === local) return 'agreed';
  if (isOurs && isTheirs) return 'both';
  if (isTheirs) return 'theirs';
  return isOurs ? 'ours' : 'nothing';
}

export const driftOf = (remote: string | null) => ({
  detected_at: new Date().toISOString(),
  provider_sha256: remote ?? '',
});

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
