import type { App } from './app.ts';
import { redisTexts } from './redis.ts';

export type Text = { place: string; text: string };

/** Base64 of a longer text that holds the secret at any place: what of it does not depend on its neighbours. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
}

/** Every form in which a secret could stand somewhere: as it is, in JSON, in a URL, as hex, in base64 of either alphabet. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = inBase64(bytes);
  const url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, escaped, encodeURIComponent(secret), bytes.toString('hex'), ...base64, ...url])];
}

/** What PostgreSQL's `\x…` of a bytea says, after the text that holds it. */
function withBytes(text: string): string {
  const decoded = [...text.matchAll(/\\x((?:[0-9a-f]{2})+)/g)].map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'));
  return [text, ...decoded].join('\n');
}

/** The places where a secret stands in the clear, or as anybody could read it. A prefix such as `kk_` or `whsec_` is not needed to know it. */
export function leaks(texts: Text[], secrets: Iterable<string>): string[] {
  const sought = [...secrets].map((secret) => ({ secret, forms: formsOf(secret.replace(/^(kk_|kt_|whsec_)/, '')) }));
  for (const { secret } of sought) if (secret.length < 12) throw new Error(`Too short to be told from chance: ${secret}`);
  return texts.flatMap(({ place, text }) => {
    const whole = withBytes(text);
    return sought
      .filter(({ forms }) => forms.some((form) => whole.includes(form)))
      .map(({ secret }) => `${secret.slice(0, 24)} in ${place}`);
  });
}

/** Every row of every table in every schema, whoever's it is: the queue's too. */
export async function databaseTexts(app: App): Promise<Text[]> {
  const tables = await app.rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'm') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`,
  );
  const read = async ({ name }: { name: string }) =>
    (await app.rows<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`)).map(({ text }) => ({
      place: name,
      text,
    }));
  return (await Promise.all(tables.map(read))).flat();
}

/** All that is left of a journey: the database, the queue, the lines of web and workers. */
export async function everythingLeftBy(app: App): Promise<Text[]> {
  const lines = app.log.lines.map((line) => ({ place: `the log: ${line.msg}`, text: JSON.stringify(line) }));
  return [...(await databaseTexts(app)), ...(await redisTexts()), ...lines];
}
