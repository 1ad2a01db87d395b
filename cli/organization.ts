import { createOrganization } from '../src/organizations/organizations.ts';
import { nameArgument } from './arguments.ts';
import { withDatabase } from './connect.ts';

export async function createOrganizationCommand(text: string) {
  const name = nameArgument(text);
  console.log(await withDatabase((database) => createOrganization(database.em(), name)));
}
