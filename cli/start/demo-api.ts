import type { Addresses } from './environment.ts';
import { ask } from './local-http.ts';

/** The API of the installation that starts, with the demo organization's key. */
export type DemoApi = { addresses: Addresses; apiKey: string; signal: AbortSignal };

type Request = { method: string; path: string; body?: object; expected: number };

export async function answerOf<Body>(
  { addresses, apiKey: key, signal }: DemoApi,
  { method, path, body, expected }: Request,
): Promise<Body> {
  const answer = await ask<Body>(`${addresses.base}${path}`, { method, key, body, signal });
  if (answer?.status === expected) return answer.body;
  throw new Error(`The demo's ${method} ${path} was answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
}

/** The first of a list; without one it is made, at `made` if that is another path. */
export async function firstOr<One>(where: DemoApi, path: string, body: object, made = path): Promise<One> {
  const list = await answerOf<{ items: One[] }>(where, { method: 'GET', path: `${path}?limit=1`, expected: 200 });
  return list.items[0] ?? (await answerOf<One>(where, { method: 'POST', path: made, body, expected: 201 }));
}

/** The one of that name; without one it is made. */
export async function namedOr<One extends { name: string }>(
  where: DemoApi,
  path: string,
  name: string,
  content: () => Promise<object>,
): Promise<One> {
  const list = await answerOf<{ items: One[] }>(where, { method: 'GET', path: `${path}?limit=100`, expected: 200 });
  const known = list.items.find((one) => one.name === name);
  return known ?? answerOf<One>(where, { method: 'POST', path, body: await content(), expected: 201 });
}
