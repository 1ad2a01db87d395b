/** SQL: the condition that a suppression, or a remembered one, is in force; expired rows are ignored. `of` is its table. */
export const isLive = (of: string) => `(${of}.expires_at is null or ${of}.expires_at > clock_timestamp())`;
