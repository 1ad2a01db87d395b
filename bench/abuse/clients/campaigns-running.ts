import { ask } from '../../campaigns/campaigner.ts';
import { abuse } from '../abuse.ts';
import { dearVariants, openDearCampaigns } from '../dear-campaigns.ts';
import { answerTo, clients, loops, together, withKey } from '../requests.ts';

const path = '/v1/campaigns';
const starters = 3;
const rows = 20_000;

type Target = { base: string; apiKey: string; channelId: string; filled: string; contactIds: string[]; phones: string[] };

export const campaignsRunning = abuse<Target>({
  number: 13,
  finding: 'D13',
  what: `${starters} who make and start campaigns of the dearest Liquid to 1,000 people, one after the other, and files of ${rows} recipients`,
  victims: ['get', 'message'],
  hasWorker: true,
  async prepare({ base, kanal: { sql, env }, hostile: { tenant } }) {
    await openDearCampaigns(sql, env.MESSAGING_APP_URL!, tenant);
    const withChannel = { name: 'Bench file', channel_ids: [tenant.channelId] };
    const { id: filled } = await ask<{ id: string }>(base, tenant, path, withChannel);
    const { apiKey, channelId, people } = tenant;
    const phones = people.map(({ phone }) => phone);
    return { base, apiKey, channelId, filled, contactIds: people.map(({ contactId }) => contactId), phones };
  },
  attack(target, tally) {
    const { base, apiKey, channelId, filled, contactIds, phones } = target;
    const content = { name: 'Bench', channel_ids: [channelId], variants: dearVariants(4), audience: { contact_ids: contactIds } };
    const draft = JSON.stringify(content);
    const file = `phone_number,param.code\r\n${Array.from({ length: rows }, (_, row) => `+${phones[row % phones.length]},c${row}\r\n`).join('')}`;
    return together(
      loops(starters, 1_000, async (_, signal) => {
        let id: string | undefined;
        const onText = (text: string) => {
          id = /^\{"id":"([0-9a-f-]{36})"/.exec(text)?.[1];
        };
        tally.add(await answerTo({ ...withKey(target, 'draft', 'POST', path, draft), onText }, signal));
        if (id) tally.add(await answerTo(withKey(target, 'start', 'POST', `${path}/${id}/start`), signal));
      }),
      clients(1, 2_000, tally, () => ({
        base,
        method: 'POST',
        path: `${path}/${filled}/recipients/import`,
        headers: { 'x-api-key': apiKey, 'content-type': 'text/csv' },
        body: file,
        nameFor: (status) => `file ${status}`,
      })),
    );
  },
});
