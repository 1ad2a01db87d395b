import type { Output } from '../actions/action.ts';

const maxBytes = 16 * 1024;

/** What is kept of what a step gave. */
export const bounded = (output: Output): Output =>
  Buffer.byteLength(JSON.stringify(output)) > maxBytes ? { is_too_long: true } : output;
