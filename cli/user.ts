import { createPasswords } from '../src/accounts/password-hash.ts';
import { enrolUser, listMembersOf, listUsers, renewPassword } from '../src/operator/users.ts';
import { ownRows } from '../src/platform/database/own.ts';
import { emailArgument, idArgument, personNameArgument, roleArgument } from './arguments.ts';
import { withDatabase, withTransact } from './connect.ts';
import { passwordInput } from './password-input.ts';
import { type ListOptions, printList, time } from './print-list.ts';

type Create = { name?: string; organization?: string; role?: string; passwordStdin?: boolean };

export async function createUserCommand(text: string, { name, organization, role, passwordStdin }: Create) {
  const email = emailArgument(text);
  if (role !== undefined && organization === undefined) throw new Error('--role is one in an organization: name it too');
  const wanted = {
    email,
    name: personNameArgument(name ?? email.slice(0, email.indexOf('@'))),
    ...(organization !== undefined && {
      membership: { organizationId: idArgument(organization, 'an organization'), role: roleArgument(role ?? 'owner') },
    }),
    ...(passwordStdin && { password: await passwordInput() }),
  };
  const { userId, isNew, isAdded, ...made } = await withPasswords((parts) => enrolUser(parts, wanted));
  console.log(`id        ${userId}`);
  if (made.password) console.log(`password  ${made.password}`);
  if (isNew) return;
  if (isAdded) console.log(`There is a user of this email: made ${made.role} of the organization, name and password as before`);
  else console.log(`The user is a member already, as ${made.role}: nothing to do`);
}

/** Prints one that was made up, and nothing else: it can go through a pipe. */
export async function setPasswordCommand(text: string, { passwordStdin }: { passwordStdin?: boolean }) {
  const email = emailArgument(text);
  const given = passwordStdin ? await passwordInput() : undefined;
  const password = await withPasswords((parts) => renewPassword(parts, email, given));
  console.log(given === undefined ? password : 'The password is set; all sessions and bearer tokens of the user have ended');
}

type Parts = Parameters<typeof renewPassword>[0];

const withPasswords = <Result>(work: (parts: Parts) => Promise<Result>): Promise<Result> =>
  withTransact(async (transact) => {
    const passwords = createPasswords();
    try {
      return await work({ transact, passwords });
    } finally {
      await passwords.close();
    }
  });

export async function listUsersCommand({ organization, ...options }: { organization?: string } & ListOptions) {
  if (organization === undefined) {
    printList(
      await withDatabase((database) => listUsers(database.em())),
      [
        ['id', ({ id }) => id],
        ['email', ({ email }) => email],
        ['name', ({ name }) => name],
        ['created', ({ created_at }) => time(created_at)],
        ['organizations', ({ organizations }) => String(organizations)],
      ],
      options,
    );
    return;
  }
  const organizationId = idArgument(organization, 'an organization');
  printList(
    await withDatabase((database) => listMembersOf(ownRows(database, organizationId))),
    [
      ['id', ({ id }) => id],
      ['email', ({ email }) => email],
      ['name', ({ name }) => name],
      ['created', ({ created_at }) => time(created_at)],
      ['role', ({ role }) => role],
    ],
    options,
  );
}
