/** What a clock on the wall shows: `HH:MM`. */
export const wallTime = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The end of a range may also be the end of its day. */
export const wallTimeOfEnd = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Of the day, 0 to 1,440. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** In the order of ISO 8601: the first is day 1. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** May pass midnight: from 22:00 to 08:00. */
export type DailyHours = { from: string; to: string };
