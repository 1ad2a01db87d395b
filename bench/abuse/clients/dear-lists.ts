import { abuse } from '../abuse.ts';
import { clients } from '../requests.ts';

const lists = 60;
const fields = ['name', 'email', 'custom_fields.city', 'custom_fields.ref'];
const filters = Array.from({ length: 20 }, (_, number) => ({
  field: fields[number % fields.length],
  operator: 'not_contains',
  value: `qz${number}x`,
}));

export const dearLists = abuse<{ base: string; apiKey: string }>({
  number: 6,
  finding: 'C6',
  what: `${lists} lists at once of 20 × not_contains with include_total, over 150,000 contacts`,
  victims: ['get'],
  hasWorker: false,
  prepare: async ({ base, hostile }) => ({ base, apiKey: (await hostile.large()).apiKey }),
  attack: ({ base, apiKey }, tally) =>
    clients(lists, 500, tally, () => ({
      base,
      method: 'GET',
      path: `/v1/contacts?${new URLSearchParams({ include_total: 'true', filters: JSON.stringify(filters) })}`,
      headers: { 'x-api-key': apiKey },
    })),
});
