/** A number, the business account it belongs to, and the token that may use both. */
export type Account = { phoneNumberId: string; accountId: string; accessToken: string };
