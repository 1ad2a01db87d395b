import { type Account, digitsOf } from '../accounts.ts';
import { asFields, type Fields } from '../messages/checks.ts';
import type { State } from '../state.ts';
import type { User } from '../windows.ts';
import { ownNumber } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { page } from './paging.ts';
import { reply } from './reply.ts';
import { requestUrl } from './request-url.ts';

const maxAtOnce = 1_000;

type Asked = { input: string; user: User };

/** Judges each user separately: the answer lists added and failed ones, and is an error if any failed. */
export function blockUsers(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const account = ownNumber(state, req, res);
    const asked = readUsers(req.body);
    const number = account.phone_number_id;
    const failed = asked.map((one) => ({ ...one, code: refusalOf(state, account, one.user) })).filter(({ code }) => code);
    const added = asked.filter(({ input }) => !failed.some((one) => one.input === input));
    const fresh = added.filter(({ user }) => !state.blocks.has(number, user));
    if (state.blocks.count(number) + fresh.length > state.behaviour.block_limit) throw new GraphError(139101);
    for (const { user } of fresh) state.blocks.add(number, knownUser(state, number, user));
    const lists = {
      ...(added.length > 0 && { added_users: added.map(entryOf) }),
      ...(failed.length > 0 && {
        failed_users: failed.map((one) => ({ ...entryOf(one), errors: [userErrors[one.code!]] })),
      }),
    };
    const body = { messaging_product: 'whatsapp', block_users: lists };
    if (failed.length === 0) reply(res, 200, body);
    else reply(res, 400, { ...body, error: someFailed(res.locals.traceId) });
  };
}

/** Unblocking a user who is not blocked does nothing. */
export function unblockUsers(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { phone_number_id } = ownNumber(state, req, res);
    const asked = readUsers(req.body);
    for (const { user } of asked) state.blocks.delete(phone_number_id, user);
    reply(res, 200, { messaging_product: 'whatsapp', block_users: { removed_users: asked.map(entryOf) } });
  };
}

export function listBlocked(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { phone_number_id } = ownNumber(state, req, res);
    const users = state.blocks.of(phone_number_id).map(({ wa_id, user_id }) => ({
      messaging_product: 'whatsapp',
      ...(wa_id === undefined ? { user_id } : { wa_id }),
    }));
    reply(res, 200, page(users, requestUrl(req)));
  };
}

const userErrors: Record<number, object> = {
  131021: {
    message: 'Recipient cannot be sender',
    code: 131021,
    error_data: { details: 'The number cannot block itself' },
  },
  131047: {
    message: 'Re-engagement required',
    code: 131047,
    error_data: { details: 'User has not messaged in the last 24 hours' },
  },
};

function refusalOf({ behaviour, blocks, windows }: State, account: Account, user: User): number | undefined {
  const number = account.phone_number_id;
  if (user.wa_id === digitsOf(account.display_phone_number)) return 131021;
  const hasWritten = behaviour.window === 'off' || windows.isOpen(number, user.wa_id ?? user.user_id!);
  return hasWritten || blocks.has(number, user) ? undefined : 131047;
}

/** Under phone and user id, where both are known. */
const knownUser = ({ windows }: State, number: string, user: User) => windows.userOf(number, user.wa_id ?? user.user_id!) ?? user;

const entryOf = ({ input, user }: Asked) => ({ input, ...user });

const someFailed = (traceId: string) => ({
  message: '(#139100) Failed to block/unblock users',
  type: 'OAuthException',
  code: 139100,
  error_data: { details: 'Failed to block some users, see the block_users response list for details' },
  fbtrace_id: traceId,
});

function readUsers(given: unknown): Asked[] {
  const { messaging_product, block_users: users } = asFields(given) ?? {};
  if (messaging_product !== 'whatsapp')
    throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' });
  if (!Array.isArray(users) || users.length === 0)
    throw new GraphError(100, { message: '(#100) The parameter block_users is required.' });
  if (users.length > maxAtOnce)
    throw new GraphError(100, { message: `(#100) Param block_users must have at most ${maxAtOnce} entries.` });
  return users.map((user, index) => readUser(asFields(user) ?? {}, index));
}

function readUser({ user, user_id }: Fields, index: number): Asked {
  if (typeof user === 'string' && digitsOf(user) !== '') return { input: user, user: { wa_id: digitsOf(user) } };
  if (user === undefined && typeof user_id === 'string' && user_id !== '') return { input: user_id, user: { user_id } };
  throw new GraphError(100, { message: `(#100) Param block_users[${index}] must have a user or a user_id.` });
}
