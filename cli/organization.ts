import { listOrganizations, openOrganization } from '../src/operator/organizations.ts';
import { nameArgument } from './arguments.ts';
import { withDatabase, withTransact } from './connect.ts';
import { type ListOptions, printList, time } from './print-list.ts';

export async function createOrganizationCommand(text: string) {
  const name = nameArgument(text);
  console.log(await withTransact((transact) => openOrganization(transact, name)));
}

export async function listOrganizationsCommand(options: ListOptions) {
  printList(
    await withDatabase((database) => listOrganizations(database.em())),
    [
      ['id', ({ id }) => id],
      ['name', ({ name }) => name],
      ['created', ({ created_at }) => time(created_at)],
      ['members', ({ members }) => String(members)],
      ['keys', ({ keys }) => String(keys)],
    ],
    options,
  );
}
