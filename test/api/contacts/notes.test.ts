import { useApp } from '../../support/app.ts';
import { describeNotes, nobodysNote } from '../../support/notes.ts';

const app = useApp({});
const create = async (phone_number: string, key = app.tenant.key): Promise<string> =>
  (await app.call('contacts.create', { key, body: { phone_number, name: 'Ada' } })).body.data.id;

describeNotes(app, {
  operation: (name) => `contacts.notes.${name}`,
  async make() {
    const [id, other] = [await create('+16505550101'), await create('+16505550103')];
    const foreign = await create('+16505550102', (await app.organization()).key);
    return { id, other, wrong: [foreign, nobodysNote, 'no-uuid'] };
  },
  params: (contactID, noteID) => ({ contactID, ...(noteID && { noteID }) }),
  path: (id) => `/v1/contacts/${id}/notes`,
  noteOf: ({ data }) => data,
  listOf: ({ data }) => data,
});
