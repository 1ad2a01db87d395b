import { randomBytes } from 'node:crypto';
import type { App, Reply } from './app.ts';
import type { Person } from './factories/person.ts';

/** An address nobody came from yet, as a trusted proxy tells it (TRUST_PROXY=1): what slows logins counts by it. */
export const fromAnywhere = () => ({ 'x-forwarded-for': [10, ...randomBytes(3)].join('.') });

/** The session's cookie as a browser sends it back; undefined: the reply sets none. */
export const cookieOf = ({ headers }: Reply): string | undefined => headers.getSetCookie()[0]?.split(';')[0];

export type Browser = { cookie: string; headers: { cookie: string; origin: string } };

/** Logs in over the API: the headers a page of ours sends from then on. */
export async function browserOf(app: App, { email, password }: Pick<Person, 'email' | 'password'>): Promise<Browser> {
  const reply = await app.call('auth.login', { key: null, body: { email, password }, headers: fromAnywhere() });
  const cookie = cookieOf(reply);
  if (!cookie) throw new Error(`No session: ${reply.status} ${reply.text}`);
  return { cookie, headers: { cookie, origin: app.base } };
}

/** A request with a session's or a token's headers, or with none, and no API key. */
export const asks =
  (app: App) =>
  (
    operationId: string,
    headers: Record<string, string> = {},
    more: Omit<Parameters<App['call']>[1] & object, 'headers' | 'key'> = {},
  ) =>
    app.call(operationId, { key: null, headers, ...more });

/** What stands in the newest mail to somebody. */
export async function mailedToken(app: App, recipient: string): Promise<string> {
  const [mail] = await app.rows('select token from mails where recipient = $1 order by created_at desc limit 1', [recipient]);
  if (!mail) throw new Error('There is no mail');
  return app.web.deps.secrets.open(mail.token);
}
