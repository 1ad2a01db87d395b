import type Joi from 'joi';
import { type Role, roles } from '../src/organizations/roles.ts';
import { type Scope, scopes } from '../src/organizations/scopes.ts';
import { isUuid } from '../src/platform/ids.ts';
import { toMoment } from '../src/platform/time/moment.ts';
import { email, personName } from '../src/users/person.ts';

/** A key given instead of its id is not repeated: text on a screen is copied into tickets. */
export function idArgument(text: string, subject: string): string {
  if (isUuid(text)) return text;
  throw new Error(`${/^k[kt]_/.test(text) ? 'That' : JSON.stringify(text)} is not the id of ${subject}`);
}

export function nameArgument(text: string): string {
  const name = text.trim();
  if (name === '') throw new Error('The name is empty');
  return name;
}

export const emailArgument = (text: string): string => read(email, text, `${JSON.stringify(text)} is not an email`);
export const personNameArgument = (text: string): string => read(personName, text, 'The name must have 1 to 200 characters');

function read(schema: Joi.StringSchema, text: string, fault: string): string {
  const { value, error } = schema.validate(text);
  if (error) throw new Error(fault);
  return value;
}

export function roleArgument(text: string): Role {
  if (!roles.includes(text as Role)) throw new Error(`Not a role: ${text}. There are: ${roles.join(', ')}`);
  return text as Role;
}

export function scopesArgument(text: string): Scope[] {
  const names = wordsArgument(text, 'scope');
  const unknown = names.filter((name) => !scopes.includes(name as Scope));
  if (unknown.length > 0) throw new Error(`Not a scope: ${unknown.join(', ')}. There are: ${scopes.join(', ')}`);
  return names as Scope[];
}

/** What stands between commas, each once. `subject` is what one is. */
export function wordsArgument(text: string, subject: string): string[] {
  const words = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  if (words.length === 0) throw new Error(`No ${subject} is named`);
  return [...new Set(words)];
}

const maxDays = 3_650;

/** The time so many days from now. */
export function daysArgument(text: string): Date {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > maxDays) throw new Error(`The days must be a whole number from 1 to ${maxDays}`);
  return new Date(Date.now() + days * 86_400_000);
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2026-11-21T09:00:00Z`, `2026-11-21`, or how long ago: `90m`, `6h`, `2d`. */
export function timeArgument(text: string): Date {
  const [, amount, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (amount && unit) return new Date(Date.now() - Number(amount) * unitMs[unit]!);
  const moment = toMoment(text);
  if (!moment) throw new Error(`${JSON.stringify(text)} is not a time: write 2026-11-21T09:00:00Z, or how long ago, as 6h`);
  return new Date(moment);
}

const maxSeconds = 3_600;

export function secondsArgument(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > maxSeconds) throw new Error(`The seconds must be a whole number from 1 to ${maxSeconds}`);
  return seconds;
}

export function limitArgument(text: string, max: number): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > max) throw new Error(`The limit must be a whole number from 1 to ${max}`);
  return limit;
}

/** 0: any. */
export function portArgument(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new Error('The port must be a whole number from 0 to 65535');
  return port;
}
