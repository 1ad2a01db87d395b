import { htmlPage } from '../html-page.ts';

type Field = { name: string; label: string; hint?: string; attributes: string };
type Page = {
  title: string;
  lead: string;
  endpoint: string;
  /** Answers whose the link is. */
  lookUp?: string;
  fields: Field[];
  choice?: string;
  action: string;
  done: string;
};

/** `POST /v1/invitations/accept`: a new account, or by the choice one that exists. */
export const invitationPage = (folder: string) =>
  pageOf(folder, {
    title: 'Accept your invitation',
    lead: 'Tell us your name and choose a password. Your account is made at once.',
    endpoint: 'v1/invitations/accept',
    lookUp: 'v1/invitations/look-up',
    fields: [
      { name: 'name', label: 'Your name', attributes: 'type="text" autocomplete="name" maxlength="200" required data-only-new' },
      newPassword('password', 'Password'),
    ],
    choice: 'I already have an account',
    action: 'Accept the invitation',
    done: 'You have joined {organization}. You can sign in now.',
  });

/** `POST /v1/auth/password-reset/confirm`. */
export const passwordPage = (folder: string) =>
  pageOf(folder, {
    title: 'Set a new password',
    lead: 'Choose a new password for your account. Wherever you are signed in, you will be signed out.',
    endpoint: 'v1/auth/password-reset/confirm',
    fields: [newPassword('new_password', 'New password')],
    action: 'Set the password',
    done: 'Your password is set. You can sign in with it now.',
  });

/** The server decides which password will do; the length spares a round trip. */
function newPassword(name: string, label: string): Field {
  return {
    name,
    label,
    hint: 'At least 12 characters, and not one that many others use.',
    attributes: 'type="password" autocomplete="new-password" minlength="12" maxlength="128" required data-password',
  };
}

const fieldOf = ({ name, label, hint, attributes }: Field) => `
        <div class="field">
          <label for="${name}">${label}</label>
          <input id="${name}" name="${name}" ${attributes} aria-describedby="${name}-error${hint ? ` ${name}-hint` : ''}">
          ${hint ? `<p class="hint" id="${name}-hint">${hint}</p>` : ''}
          <p class="error" id="${name}-error" aria-live="polite"></p>
        </div>`;

const choiceOf = (choice: string | undefined) =>
  choice ? `<p><label class="choice"><input type="checkbox" id="has-account"> ${choice}</label></p>` : '';

const pageOf = (folder: string, { title, lead, endpoint, lookUp, fields, choice, action, done }: Page) =>
  htmlPage({
    title: `${title} – Kanal`,
    head: `<link rel="stylesheet" href="${folder}/page.css">
    <script defer src="${folder}/page.js"></script>`,
    body: `      <h1>${title}</h1>
      ${lookUp ? `<p id="invited" data-look-up="${lookUp}" aria-live="polite" hidden>You are invited to join <bdi id="organization"></bdi>.</p>` : ''}
      <form method="post" data-endpoint="${endpoint}" hidden>
        <p id="lead">${lead}</p>
        ${choiceOf(choice)}${fields.map(fieldOf).join('')}
        <p><label class="choice"><input type="checkbox" id="show-password"> Show the password</label></p>
        <button type="submit">${action}</button>
      </form>
      <p class="error" id="problem" role="alert"></p>
      <p id="done" role="status" tabindex="-1" data-text="${done}"></p>
      <ul id="next" hidden>
        <li><a href="console">Console</a>: sign in here</li>
        <li><a href="docs">API reference</a>: how to sign in, and everything a client can do</li>
        <li><a href="./">What runs here</a></li>
      </ul>
      <noscript>This page needs JavaScript.</noscript>`,
  });
