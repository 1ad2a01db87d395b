import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type ArrivedMail = { from: string; to: string[]; user?: string; raw: string };

export type MailServer = {
  port: number;
  url: string;
  arrived: ArrivedMail[];
  /** The next answers to a command; once used up, all is well again. */
  answer(command: 'RCPT' | 'MAIL' | 'DATA', ...answers: { code: number; text: string }[]): void;
  close(): Promise<void>;
};

export const mailUser = 'kanal@example.com';
export const mailPassword = 'smtp-p@ss/word';

/** A mail server on loopback that keeps what it takes; `hasLogin`: only after a login. */
export async function startMailServer({
  hasLogin = false,
  ...more
}: SMTPServerOptions & { hasLogin?: boolean } = {}): Promise<MailServer> {
  const arrived: ArrivedMail[] = [];
  const answers: Record<string, { code: number; text: string }[]> = { RCPT: [], MAIL: [], DATA: [] };
  const fault = (command: string) => {
    const next = answers[command]!.shift();
    return next && Object.assign(new Error(next.text), { responseCode: next.code });
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(hasLogin ? [] : ['AUTH'])],
    authOptional: !hasLogin,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 200,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === mailUser && password === mailPassword
        ? done(null, { user: username })
        : done(new Error(`Login of ${username} with ${password} failed`)),
    onMailFrom: (_address, _session, done) => done(fault('MAIL')),
    onRcptTo: (_address, _session, done) => done(fault('RCPT')),
    onData(stream, { envelope, user }, done) {
      text(stream).then((raw) => {
        const refused = fault('DATA');
        if (refused) return done(refused);
        arrived.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          user,
          raw,
        });
        done();
      }, done);
    },
    ...more,
  });
  // A client that goes away is the client's affair.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  const login = hasLogin ? `${encodeURIComponent(mailUser)}:${encodeURIComponent(mailPassword)}@` : '';
  return {
    port,
    url: `smtp://${login}127.0.0.1:${port}`,
    arrived,
    answer: (command, ...next) => void answers[command]!.push(...next),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** Headers by their lower-case names and the two bodies of a mail, decoded as far as the tests need. */
export function read(raw: string): { headers: Record<string, string>; text: string; html: string } {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const boundary = /boundary="?([^";\r\n]+)"?/.exec(head)?.[1];
  const parts = boundary ? raw.split(`--${boundary}`).slice(1, -1) : [];
  const bodyOf = (type: string) => {
    const part = parts.find((one) => new RegExp(`^Content-Type: ${type}`, 'im').test(one)) ?? '';
    const [partHead = '', ...rest] = part.replace(/^\r\n/, '').split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    if (/quoted-printable/i.test(partHead)) return fromQuotedPrintable(body);
    return /base64/i.test(partHead) ? Buffer.from(body, 'base64').toString('utf8') : body;
  };
  return { headers: headersOf(head), text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

const headersOf = (head: string) =>
  Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );

const fromQuotedPrintable = (body: string) =>
  Buffer.from(
    body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
