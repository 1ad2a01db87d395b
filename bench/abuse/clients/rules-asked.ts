import { ask } from '../../campaigns/campaigner.ts';
import { abuse } from '../abuse.ts';
import { branchesRule, dearSteps, eventName, longText, needlesRule } from '../dear-rules.ts';
import { clients, together, withKey } from '../requests.ts';

const path = '/v1/automation/rules';
const [testers, readers, savers] = [5, 10, 5];
/** Of a rule of nearly the greatest size: a page of them would be ten megabytes. */
const copies = 40;

type Target = { base: string; apiKey: string; contactId: string; tried: string[]; saved: string[] };

export const rulesAsked = abuse<Target>({
  number: 9,
  finding: 'D9',
  what: `${testers} tests at once of rules of the greatest size with 30,000 characters, ${readers} pages of ${copies} such rules, ${savers} rules saved and published in turns with all the Liquid that is allowed`,
  victims: ['get'],
  hasWorker: false,
  async prepare({ base, hostile: { tenant } }) {
    const made = async (rule: object) => (await ask<{ id: string }>(base, tenant, path, rule)).id;
    const tried = [await made(needlesRule), await made(branchesRule)];
    for (let copy = 0; copy < copies; copy += 1) await ask(base, tenant, `${path}/${tried[0]}/duplicate`);
    const saved: string[] = [];
    while (saved.length < savers)
      saved.push(await made({ name: 'Bench saved', trigger: { type: 'manual' }, steps: dearSteps(1) }));
    return { base, apiKey: tenant.apiKey, contactId: tenant.people[0]!.contactId, tried, saved };
  },
  attack({ base, apiKey, contactId, tried, saved }, tally) {
    const client = { base, apiKey };
    const data = { contact_id: contactId, name: eventName, data: { text: longText } };
    const event = JSON.stringify({ event: { type: 'automation.event', data } });
    const drafts = [100, 200].map((number) => JSON.stringify({ steps: dearSteps(number) }));
    const turns = saved.map(() => 0);
    return together(
      clients(testers, 500, tally, (_, number) =>
        withKey(client, 'test', 'POST', `${path}/${tried[number % tried.length]}/test`, event),
      ),
      clients(readers, 500, tally, () => withKey(client, 'page', 'GET', `${path}?limit=100`)),
      // Saved, published, saved as another one, published: a draft that has not changed is not published again.
      clients(savers, 500, tally, (own) => {
        const turn = turns[own]!;
        turns[own] = turn + 1;
        const rule = `${path}/${saved[own]}`;
        return turn % 2 === 0
          ? withKey(client, 'save', 'PATCH', rule, drafts[(turn / 2) % drafts.length]!)
          : withKey(client, 'publish', 'POST', `${rule}/publish`, {});
      }),
    );
  },
});
