import { answerOf, type DemoApi, namedOr } from './demo-api.ts';

type Item = { id: string; name: string };
export type DemoCampaign = { segment: { id: string }; campaign: { id: string } };

const tag = 'newsletter';
const segmentName = 'Newsletter';
const campaignName = 'Spring sale';
/** The last one has the tag and never agreed to be written to. */
const people = [
  { name: 'Ada', phone_number: '+15550100201', agrees: true },
  { name: 'Budi', phone_number: '+15550100202', agrees: true },
  { name: 'Chen', phone_number: '+15550100203', agrees: true },
  { name: 'Dewi', phone_number: '+15550100204', agrees: false },
];

/** A segment of people who agreed to be written to, and the draft of a campaign to it. What is there already is kept. */
export async function prepareCampaign(where: DemoApi, channelId: string): Promise<DemoCampaign> {
  const segment = await namedOr<Item>(where, '/v1/segments', segmentName, async () => {
    await Promise.all(people.map((person) => addPerson(where, person)));
    return { name: segmentName, kind: 'dynamic', tags: [tag] };
  });
  const campaign = await namedOr<Item>(where, '/v1/campaigns', campaignName, async () => ({
    name: campaignName,
    channel_ids: [channelId],
    audience: { segment_ids: [segment.id] },
    variants: [{ id: 'a', weight: 1, templates: [springSale] }],
  }));
  return { segment: { id: segment.id }, campaign: { id: campaign.id } };
}

/** The template of that name that the sandbox's account has (sandbox/demo-account.ts). */
const springSale = {
  name: 'spring_sale',
  language: 'en_US',
  components: [
    {
      type: 'body',
      parameters: [
        { type: 'text', text: '{{ contact.name | default: "there" }}' },
        { type: 'text', text: '20 %' },
      ],
    },
  ],
};

async function addPerson(where: DemoApi, { name, phone_number, agrees }: (typeof people)[number]) {
  const body = { name, phone_number };
  const { data } = await answerOf<{ data: Item }>(where, { method: 'POST', path: '/v1/contacts', body, expected: 201 });
  const path = `/v1/contacts/${data.id}`;
  await answerOf(where, { method: 'POST', path: `${path}/tags`, body: { name: tag }, expected: 201 });
  const consent = { status: 'granted', source: 'npm start' };
  if (agrees) await answerOf(where, { method: 'PUT', path: `${path}/consent/messaging_app`, body: consent, expected: 200 });
}
