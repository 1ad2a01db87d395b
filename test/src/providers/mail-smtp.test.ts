import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ProviderError, ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import { smtpMail } from '../../../src/providers/mail/smtp.ts';
import { type MailServer, mailPassword, mailUser, read, startMailServer } from '../../support/mail-server.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serverWith(options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  open.push(server);
  return server;
}

function mailTo(url: string, timeoutMs = 20_000) {
  const { mail, close } = smtpMail({ url, timeoutMs });
  open.push({ close });
  return mail;
}

const recipient = 'ada.lovelace@example.com';
const letter = {
  mailId: 'id',
  kind: 'invitation',
  to: recipient,
  from: 'Kanal <no-reply@example.com>',
  subject: 'Grüße an Ada',
  text: 'Hello,\n\nhttps://app.example.com/invitation#token=secret-token\n',
  html: '<p>Hello, <a href="https://app.example.com/invitation#token=secret-token">here</a></p>',
  messageId: '<id@example.com>',
};

/** The error of a send; it says nothing of the mail and nothing of the server's words. */
async function errorOf(sending: Promise<void>): Promise<ProviderError> {
  const error = await sending.then(
    () => new Error('The mail was sent'),
    (thrown: ProviderError) => thrown,
  );
  expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toMatch(
    /ada\.lovelace|secret-token|smtp-p@ss|smtp-p%40ss|kanal@example|Mailbox/,
  );
  return error as ProviderError;
}

describe('a mail', () => {
  test('arrives as it was written: one sender, one recipient, both bodies, its own id', async () => {
    const server = await serverWith();
    await mailTo(server.url).send(letter);
    const [arrived] = server.arrived;
    expect(arrived).toMatchObject({ from: 'no-reply@example.com', to: [recipient] });
    const { headers, text, html } = read(arrived!.raw);
    expect(headers).toMatchObject({
      from: 'Kanal <no-reply@example.com>',
      to: recipient,
      subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_an_Ada?=',
      'message-id': '<id@example.com>',
      'auto-submitted': 'auto-generated',
    });
    expect(text.replaceAll('\r\n', '\n').trim()).toBe(letter.text.trim());
    expect(html).toContain(letter.html);
  });

  test('cannot gain a header by its subject, nor a recipient by its address', async () => {
    const server = await serverWith();
    const mail = mailTo(server.url);
    await mail.send({ ...letter, subject: 'Hello\r\nBcc: eve@example.com' });
    expect(read(server.arrived[0]!.raw).headers).not.toHaveProperty('bcc');
    expect(server.arrived[0]!.to).toEqual([recipient]);
    await mail.send({ ...letter, to: `${recipient}, eve@example.com` }).catch(() => undefined);
    expect(server.arrived.flatMap(({ to }) => to)).not.toContain('eve@example.com');
  });

  test('of what is no address is refused before anybody is asked', async () => {
    const server = await serverWith();
    expect(await errorOf(mailTo(server.url).send({ ...letter, to: '' }))).toBeInstanceOf(ProviderRefused);
    expect(server.arrived).toEqual([]);
  });

  test('goes over the connection of the one before', async () => {
    let connections = 0;
    const server = await serverWith({
      onConnect(_session, done) {
        connections += 1;
        done();
      },
    });
    const mail = mailTo(server.url);
    for (let i = 0; i < 3; i += 1) await mail.send(letter);
    expect(server.arrived).toHaveLength(3);
    expect(connections).toBe(1);
  });
});

describe('an answer', () => {
  test.each([
    ['RCPT', 'the recipient'],
    ['MAIL', 'the sender'],
    ['DATA', 'the mail'],
  ] as const)('5xx to %s is final, and says no more than its codes', async (command, what) => {
    const server = await serverWith();
    server.answer(command, { code: 550, text: `5.1.1 <${recipient}>: Mailbox unavailable` });
    const mail = mailTo(server.url);
    const error = await errorOf(mail.send(letter));
    expect(error).toBeInstanceOf(ProviderRefused);
    expect([error.message, error.providerCode]).toEqual([`The mail server refused ${what} (550 5.1.1)`, '550']);
    await mail.send(letter);
    expect(server.arrived).toHaveLength(1);
  });

  test.each([
    ['RCPT', 421],
    ['RCPT', 450],
    ['MAIL', 451],
    ['DATA', 452],
  ] as const)('to %s of %i is tried again', async (command, code) => {
    const server = await serverWith();
    server.answer(command, { code, text: `<${recipient}> try again later` });
    const mail = mailTo(server.url);
    const error = await errorOf(mail.send(letter));
    expect(error).toBeInstanceOf(ProviderFailed);
    expect(error.providerCode).toBe(String(code));
    await mail.send(letter);
    expect(server.arrived).toHaveLength(1);
  });

  test('at the door is about the server and not about the mail, a 554 too', async () => {
    const server = await serverWith({
      onConnect: (_session, done) => done(Object.assign(new Error('Mailbox'), { responseCode: 554 })),
    });
    expect(await errorOf(mailTo(server.url).send(letter))).toBeInstanceOf(ProviderFailed);
  });
});

describe('no answer', () => {
  const listening = async (onConnection: Parameters<typeof createServer>[1]): Promise<string> => {
    const server: Server = createServer({}, onConnection).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const sockets: { destroy(): void }[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    open.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
  };

  test('a server that is away is tried again', async () => {
    const server = await startMailServer();
    await server.close();
    const error = await errorOf(mailTo(server.url).send(letter));
    expect(error).toBeInstanceOf(ProviderFailed);
    expect([error.message, error.providerCode]).toEqual(['No answer from the mail server (ECONNREFUSED)', 'ECONNREFUSED']);
  });

  test('a server that never greets, or hangs up, is tried again', async () => {
    const silent = await listening(() => undefined);
    expect(await errorOf(mailTo(silent, 200).send(letter))).toBeInstanceOf(ProviderFailed);
    const rude = await listening((socket) => socket.end());
    expect(await errorOf(mailTo(rude).send(letter))).toBeInstanceOf(ProviderFailed);
  });

  test('lost after the mail was handed over: again, for a repeat harms nobody', async () => {
    let taken = 0;
    const server = await serverWith({
      onData(stream) {
        stream.resume();
        stream.once('end', () => {
          taken += 1;
        });
      },
    });
    const error = await errorOf(mailTo(server.url, 300).send(letter));
    expect(taken).toBe(1);
    expect(error).toBeInstanceOf(ProviderFailed);
  });
});

describe('a login', () => {
  test('with a percent-encoded user and password', async () => {
    const server = await serverWith({ hasLogin: true });
    await mailTo(server.url).send(letter);
    expect(server.arrived).toMatchObject([{ user: mailUser }]);
  });

  test('that is not accepted is ours to mend: tried again, without the password', async () => {
    const server = await serverWith({ hasLogin: true });
    const wrong = server.url.replace(encodeURIComponent(mailPassword), encodeURIComponent(`${mailPassword}!`));
    const error = await errorOf(mailTo(wrong).send(letter));
    expect(error).toBeInstanceOf(ProviderFailed);
    expect(error.message).toMatch(/^The mail server did not accept the login of MAIL_URL \(535/);
  });

  test('that the server wants and MAIL_URL does not have', async () => {
    const server = await serverWith({ hasLogin: true });
    const error = await errorOf(mailTo(`smtp://127.0.0.1:${server.port}`).send(letter));
    expect(error).toBeInstanceOf(ProviderFailed);
    expect(error.message).toMatch(/login/);
  });

  test('is not left out where the server offers none', async () => {
    const server = await serverWith();
    const error = await errorOf(mailTo(server.url.replace('//', `//u:${encodeURIComponent(mailPassword)}@`)).send(letter));
    expect(error).toBeInstanceOf(ProviderFailed);
    expect(server.arrived).toEqual([]);
  });
});

describe('TLS', () => {
  test('that is required and not offered: nothing is sent', async () => {
    const server = await serverWith({ hasLogin: true });
    expect(await errorOf(mailTo(`${server.url}?tls=required`).send(letter))).toBeInstanceOf(ProviderFailed);
    expect(server.arrived).toEqual([]);
  });

  test('by a certificate nobody vouches for: nothing is sent', async () => {
    const logins: string[] = [];
    const server = await serverWith({
      disabledCommands: [],
      onAuth(auth, _session, done) {
        logins.push(String(auth.username));
        done(null, { user: 'x' });
      },
    });
    const url = `smtp://u:${encodeURIComponent(mailPassword)}@127.0.0.1:${server.port}?tls=required`;
    expect(await errorOf(mailTo(url).send(letter))).toBeInstanceOf(ProviderFailed);
    expect([server.arrived, logins]).toEqual([[], []]);
  });
});
