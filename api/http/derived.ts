import type Joi from 'joi';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { pathId } from './schemas.ts';
import type { View } from './view.ts';

/** The names of a path's parameters: `noteID` and `contactID` of `/v1/contacts/:contactID/notes/:noteID`. */
export type ParamOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** In the order of the path. Ids, except those declared otherwise. */
export function paramsOf(path: string, declared: Record<string, Joi.Schema | undefined> = {}) {
  const names = namesIn(path);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, declared[name] ?? pathId]));
}

/** `noteID` is shown as the note that all examples share. */
export function exampleParamsOf(path: string, declared: Record<string, string> = {}) {
  const names = namesIn(path);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, declared[name] ?? exampleIdOf(name.replace(/ID$/, ''))]));
}

type Facts = {
  method: string;
  path: string;
  scope: string;
  subject?: string;
  isMissingFine?: boolean;
  query?: Joi.Schema;
  errors?: readonly number[];
};

/** Query parts that are parsed again after the schema; one we did not make is a 400. */
const readAgain = ['cursor', 'filters'];

/** The error statuses that follow from the rest, with those that do not. Every endpoint refuses an unknown parameter: 422. */
export function errorsOf({ method, path, scope, subject, isMissingFine, query, errors = [] }: Facts): number[] {
  const takesBody = method !== 'get' && method !== 'delete';
  const keys = Object.keys((query?.describe() as { keys?: object } | undefined)?.keys ?? {});
  const follow = [
    ...(takesBody || keys.some((key) => readAgain.includes(key)) ? [400] : []),
    ...(scope === 'public' ? [] : [401, 403]),
    ...((subject || path.includes(':')) && !isMissingFine ? [404] : []),
    422,
  ];
  return [...new Set([...follow, ...errors])].sort();
}

type Made = { status: number; body?: unknown; headers?: Record<string, string> };
type MadeBody = { id?: string; data?: { id?: string } };

/** The id of the record that a reply shows. */
export const idIn = ({ body }: Made): string | undefined => {
  const { id, data } = (body ?? {}) as MadeBody;
  return id ?? data?.id;
};

/** Sets `Location`: the created record's id below the path. */
export function locating(path: string) {
  const pieces = path.split(/:(\w+)/);
  return <Reply extends Made>(reply: Reply, params: Record<string, string>): Reply => {
    const id = reply.status === 201 ? idIn(reply) : undefined;
    if (id === undefined) return reply;
    const base = pieces.map((piece, index) => (index % 2 === 0 ? piece : params[piece])).join('');
    return { ...reply, headers: { ...reply.headers, Location: `${base}/${id}` } };
  };
}

/** Of the replies: their schemas, the one example they share, and the records in them that have a name. */
export function repliesOf(responses: Record<number, View | null>) {
  const views = Object.values(responses).filter((one) => one !== null);
  return {
    schemas: Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, one?.schema ?? null])),
    example: views[0]?.example,
    named: Object.assign({}, ...views.map(({ named }) => named)) as Record<string, Joi.Schema>,
  };
}
