import { ask } from '../../campaigns/campaigner.ts';
import { abuse } from '../abuse.ts';
import { addEndedCampaign, dearVariants, largeDraft, openDearCampaigns } from '../dear-campaigns.ts';
import { clients, together, withKey } from '../requests.ts';

const path = '/v1/campaigns';
const [previews, counts, pages, writers, testers] = [10, 20, 5, 5, 5];
/** Of nearly a megabyte each. */
const drafts = 30;
const testedPeople = 5;
const filters = Array.from({ length: 20 }, (_, number) => ({
  field: 'custom_fields.city',
  operator: 'not_contains',
  value: `qz${number}x`,
}));

type Target = {
  base: string;
  apiKey: string;
  largeKey: string;
  previewed: string;
  counted: string;
  tested: string;
  contactIds: string[];
};

export const campaignsAsked = abuse<Target>({
  number: 13,
  finding: 'D13',
  what: `${previews} previews over 150,000 contacts, ${counts} statistics of a campaign of as many, ${pages} pages of ${drafts} drafts of a megabyte, ${writers} drafts made with all the Liquid that is allowed, ${testers} tests of it to ${testedPeople} people`,
  victims: ['get'],
  hasWorker: false,
  async prepare({ base, kanal: { sql, env }, hostile }) {
    const { tenant } = hostile;
    const large = await hostile.large();
    await openDearCampaigns(sql, env.MESSAGING_APP_URL!, tenant);
    const made = async (owner: { apiKey: string }, draft: object) => (await ask<{ id: string }>(base, owner, path, draft)).id;
    for (let number = 0; number < drafts; number += 1) await made(tenant, largeDraft(number));
    const content = { channel_ids: [tenant.channelId], variants: dearVariants(1) };
    return {
      base,
      apiKey: tenant.apiKey,
      largeKey: large.apiKey,
      previewed: await made(large, { name: 'Bench', audience: { filters } }),
      counted: await addEndedCampaign(sql, large.organizationId),
      tested: await made(tenant, { name: 'Bench', ...content }),
      contactIds: tenant.people.map(({ contactId }) => contactId),
    };
  },
  attack({ base, apiKey, largeKey, previewed, counted, tested, contactIds }, tally) {
    const [own, large] = [
      { base, apiKey },
      { base, apiKey: largeKey },
    ];
    const draft = JSON.stringify({ name: 'Bench', variants: dearVariants(4) });
    return together(
      clients(previews, 500, tally, () => withKey(large, 'preview', 'POST', `${path}/${previewed}/preview`)),
      clients(counts, 500, tally, () => withKey(large, 'stats', 'GET', `${path}/${counted}/stats`)),
      clients(pages, 1_000, tally, () => withKey(own, 'page', 'GET', `${path}?limit=100`)),
      clients(writers, 1_000, tally, () => withKey(own, 'draft', 'POST', path, draft)),
      clients(testers, 1_000, tally, (_, number) => {
        const first = (number * testedPeople) % (contactIds.length - testedPeople);
        const to = contactIds.slice(first, first + testedPeople);
        return withKey(own, 'test', 'POST', `${path}/${tested}/test`, { to });
      }),
    );
  },
});
