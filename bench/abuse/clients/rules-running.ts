import { ask } from '../../campaigns/campaigner.ts';
import { abuse } from '../abuse.ts';
import { eventName, runningRule, toldText } from '../dear-rules.ts';
import { clients, withKey } from '../requests.ts';

const path = '/v1/automation/rules';
const [rules, tellers] = [10, 5];

export const rulesRunning = abuse<{ base: string; apiKey: string; contactIds: string[] }>({
  number: 9,
  finding: 'D9',
  what: `${tellers} tell events of 15,000 characters, each for ${rules} live rules of the dearest conditions and Liquid, which run`,
  victims: ['get', 'message'],
  hasWorker: true,
  async prepare({ base, hostile: { tenant } }) {
    for (let number = 0; number < rules; number += 1) {
      const { id } = await ask<{ id: string }>(base, tenant, path, runningRule);
      await ask(base, tenant, `${path}/${id}/publish`);
    }
    return { base, apiKey: tenant.apiKey, contactIds: tenant.people.map(({ contactId }) => contactId) };
  },
  // Of another person each time: a rule begins ten times an hour for one.
  attack: (target, tally) =>
    clients(tellers, 500, tally, (_, number) => {
      const contact_id = target.contactIds[number % target.contactIds.length];
      const told = { name: eventName, contact_id, data: { text: toldText } };
      return withKey(target, 'tell', 'POST', '/v1/automation/events', told);
    }),
});
