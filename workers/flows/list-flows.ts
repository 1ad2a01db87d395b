import type { FlowSummary } from '../../src/providers/messaging-app/flow-calls.ts';
import type { AtProvider, FlowPage } from './at-provider.ts';

/** Of 100 flows each, ten times of what an organization may have. */
export const maxListedPages = 100;

/** `isCut`: the account's list goes on. */
export type Listed = { flows: FlowSummary[]; isCut: boolean };

export async function listFlows({ app, account, call }: Pick<AtProvider, 'app' | 'account' | 'call'>): Promise<Listed> {
  const flows: FlowSummary[] = [];
  let after: string | null = null;
  for (let page = 0; page < maxListedPages; page += 1) {
    const from: string | null = after;
    const listed: FlowPage = await call(() => app.listFlows(account, { after: from }));
    flows.push(...listed.flows);
    after = listed.after;
    if (after === null) return { flows, isCut: false };
  }
  return { flows, isCut: true };
}
