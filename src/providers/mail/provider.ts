/** Throws only the errors of providers/errors.ts; they contain nothing of the mail. */
export type Mail = {
  send(mail: OutboundMail): Promise<void>;
};

export type OutboundMail = {
  /** With `kind`, all that a log may show: the rest is personal, and the link lets in. */
  mailId: string;
  kind: string;
  to: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  subject: string;
  text: string;
  html: string;
  /** In angle brackets, the same at every attempt: mail servers and programs recognize a repeat by it. */
  messageId: string;
};
