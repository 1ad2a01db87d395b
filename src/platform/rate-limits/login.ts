import { hash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database, Source } from '../database/database.ts';
import { query } from '../database/query.ts';
import { AppError } from '../errors.ts';
import { countedAddress } from './address.ts';

export type LoginLimits = {
  /** Counts before the password is checked, so that a parallel burst cannot pass; throws `rate_limited`. */
  attempt(email: string, address: string | undefined): Promise<void>;
  succeeded(email: string, address: string | undefined): Promise<void>;
  /** For a `catch` of the hash, when the password was not checked. Rethrows the error. */
  giveBack(email: string, address: string | undefined): (error: unknown) => Promise<never>;
  /** After a proof by mail the owner may log in from this address at once. */
  forgive(email: string, address: string | undefined): Promise<void>;
  /** Throws only for the address: the reply must not reveal earlier requests for the email. */
  mail(email: string, address: string | undefined): Promise<boolean>;
  /** For requests that cost a password hash and name no email. */
  work(address: string | undefined): Promise<void>;
  /** For looks at what a link opens: counted apart, so that they take nothing from `work`. */
  look(address: string | undefined): Promise<void>;
  /** After too many guesses the right password is refused too, or guessing would go on. */
  mayGuess(address: string | undefined): Promise<void>;
  guessedWrong(address: string | undefined): Promise<void>;
};

const minute = 60;
const quarter = 15 * minute;
const hour = 60 * minute;

/** Always in PostgreSQL: all processes share the counts and a restart loses nothing. Fixed windows from the first attempt. */
export function createLoginLimits({ pool }: Database): LoginLimits {
  const limiter = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'login_limits',
      tableCreated: true,
      // src/platform/retention/purges.ts deletes them.
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration,
    });
  const pairs = limiter('pair', 10, quarter);
  const addresses = limiter('address', 100, quarter);
  const emails = limiter('email', 50, hour);
  const onceAMinute = limiter('once', 1, minute);
  const mailAddresses = limiter('mail-address', 30, hour);
  const mailEmails = limiter('mail-email', 5, hour);
  const workAddresses = limiter('work', 60, quarter);
  const lookAddresses = limiter('look', 60, quarter);
  const operatorAddresses = limiter('operator', 60, quarter);

  return {
    async attempt(email, from) {
      const { pair, address, person } = keysOf(email, from);
      // Only reads: a refused address must not leave a row for every email it names.
      const spent = await addresses.get(address);
      if (spent && spent.consumedPoints >= addresses.points) throw tooMany(spent);
      // Attackers spend the person's attempts: then each address has one a minute. Others count nowhere, or lock the owner out.
      const isUnderAttack = ((await emails.get(person))?.consumedPoints ?? 0) >= emails.points;
      if (isUnderAttack) await orThrow(onceAMinute, pair);
      await orThrow(pairs, pair);
      await orThrow(addresses, address);
      const isFree = await take(emails, person);
      if (isFree !== true && !isUnderAttack) await orThrow(onceAMinute, pair);
    },
    async succeeded(email, from) {
      const { pair, address, person } = keysOf(email, from);
      await Promise.all([pairs.delete(pair), onceAMinute.delete(pair), addresses.reward(address), emails.reward(person)]);
    },
    giveBack: (email, from) => async (error) => {
      const { pair, address, person } = keysOf(email, from);
      await Promise.all([pairs.reward(pair), onceAMinute.delete(pair), addresses.reward(address), emails.reward(person)]);
      throw error;
    },
    async forgive(email, from) {
      const { pair } = keysOf(email, from);
      await Promise.all([pairs.delete(pair), onceAMinute.delete(pair)]);
    },
    async mail(email, from) {
      const { address, person } = keysOf(email, from);
      await orThrow(mailAddresses, address);
      return (await take(mailEmails, person)) === true;
    },
    work: (from) => orThrow(workAddresses, keysOf('', from).address),
    look: (from) => orThrow(lookAddresses, keysOf('', from).address),
    async mayGuess(from) {
      const spent = await operatorAddresses.get(keysOf('', from).address);
      if (spent && spent.consumedPoints >= operatorAddresses.points) throw tooMany(spent);
    },
    guessedWrong: (from) => orThrow(operatorAddresses, keysOf('', from).address),
  };
}

/** SQL: the library's table, searched by the beginnings of its keys. */
const forgetStatement = `
  delete from login_limits
   where key = 'email:' || $1
      or starts_with(key, 'pair:' || $1 || '.')
      or starts_with(key, 'once:' || $1 || '.')`;

export async function forgetTries(source: Source, email: string): Promise<void> {
  const { person } = keysOf(email, undefined);
  await query(source, forgetStatement, [person]);
}

/** The table shows neither emails nor addresses. */
function keysOf(email: string, from: string | undefined) {
  const [person, address] = [email.toLowerCase(), countedAddress(from).toLowerCase()];
  return { pair: `${keyOf(person)}.${keyOf(address)}`, address: keyOf(address), person: keyOf(person) };
}

const keyOf = (text: string) => hash('sha256', text, 'base64url');

async function take(limiter: RateLimiterPostgres, key: string): Promise<true | RateLimiterRes> {
  try {
    await limiter.consume(key);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}

async function orThrow(limiter: RateLimiterPostgres, key: string): Promise<void> {
  const answer = await take(limiter, key);
  if (answer !== true) throw tooMany(answer);
}

function tooMany({ msBeforeNext }: RateLimiterRes): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('rate_limited', `Too many attempts; try again in ${retryAfterSeconds} seconds`, { retryAfterSeconds });
}
