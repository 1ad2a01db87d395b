import { runsReport, runsScale } from './automation/scale.ts';
import { campaignsReport, campaignsScale } from './campaigns/scale.ts';
import { flags, rowsOr } from './command.ts';
import { contactsReport, contactsScale } from './contacts/scale.ts';
import { crmReport } from './crm/report.ts';
import { crmScale } from './crm/scale.ts';
import { responsesReport, responsesScale } from './flows/responses.ts';
import { inboxReport, inboxScale } from './inbox/scale.ts';
import { ordersReport, ordersScale } from './orders/scale.ts';
import type { Stage } from './stage.ts';

const shown = <Found extends { walks: string[] }>(found: Found, report: (found: Found) => string) => ({
  report: report(found),
  walks: found.walks,
});
/** Reads of a large organization and of a small one; `walks`: those that read a whole table. */
export const scales: { name: string; title: string; measure(stage: Stage): Promise<{ report: string; walks: string[] }> }[] = [
  {
    name: 'contacts',
    title: 'Contacts',
    measure: async (stage) => shown(await contactsScale(stage, Number(flags.contacts)), contactsReport),
  },
  {
    name: 'inbox',
    title: 'Inbox',
    async measure(stage) {
      const sizes = { messages: Number(flags.messages ?? 200_000), conversations: Number(flags.conversations) };
      return shown(await inboxScale(stage, sizes), inboxReport);
    },
  },
  {
    name: 'flow-responses',
    title: 'Answers to a flow',
    measure: async (stage) => shown(await responsesScale(stage, rowsOr(1_000_000)), responsesReport),
  },
  { name: 'crm', title: 'CRM', measure: async (stage) => shown(await crmScale(stage, rowsOr(20_000), flags.only), crmReport) },
  {
    name: 'campaign-reads',
    title: 'Campaigns',
    measure: async (stage) => shown(await campaignsScale(stage, rowsOr(1_000_000)), campaignsReport),
  },
  {
    name: 'automation-reads',
    title: 'Runs of rules',
    measure: async (stage) => shown(await runsScale(stage, rowsOr(1_000_000)), runsReport),
  },
  {
    name: 'orders',
    title: 'Orders',
    measure: async (stage) => shown(await ordersScale(stage, rowsOr(1_000_000), flags.only), ordersReport),
  },
];
