import { raw } from '@mikro-orm/core';
import { v7 } from 'uuid';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** A time by the database's clock, as a value to write. A negative number of milliseconds is in the past. */
export const inMs = (ms: number) => raw(`clock_timestamp() + ? * interval '1 ms'`, [ms]) as unknown as string;

/** The database's clock, in milliseconds of the epoch. */
export async function databaseNowMs(em: Em): Promise<number> {
  const [row] = await query<{ ms: number }>(em, 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  return row!.ms;
}

/** An id as if it had been made that many milliseconds from now. */
export const idInMs = (ms: number) => v7({ msecs: Date.now() + ms });

/** A stored time in milliseconds of the epoch, with its microseconds. */
export function msOf(time: string): number {
  const fraction = /\.\d+/.exec(time)?.[0] ?? '.0';
  return Date.parse(time.replace(/\.\d+/, '')) + Number(`0${fraction}`) * secondMs;
}
