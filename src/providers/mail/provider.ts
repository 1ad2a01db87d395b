/** What the product needs of e-mail, in our words. Throws the errors of providers/errors.ts; nothing of the mail stands in them. */
export type Mail = {
  /** Done once the mail server has taken the mail over; the same mail may be sent twice. */
  send(mail: OutboundMail): Promise<void>;
};

export type OutboundMail = {
  /** All that a log may say of a mail: the rest is a person's, and its link lets in. */
  mailId: string;
  kind: string;
  /** One address, without a name. */
  to: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  subject: string;
  text: string;
  html: string;
  /** The same at every try, in angle brackets: by it a mail server or program knows a repeat. */
  messageId: string;
};
