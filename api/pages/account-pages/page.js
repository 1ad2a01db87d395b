const find = (id) => document.getElementById(id);
const form = document.querySelector('form');
const lead = find('lead');
const invited = find('invited');
const hasAccount = find('has-account');
const inputs = [...form.querySelectorAll('.field input')];
const password = form.querySelector('[data-password]');
const button = form.querySelector('button');
const texts = {
  incomplete: 'This link is not complete, or it was opened before. Open the link in your mail once more.',
  notOpen:
    'This invitation is not open: it was accepted, taken back or replaced, or it has expired. If you have joined already, sign in; if not, ask for a new one.',
  unreachable: 'The server cannot be reached. Please try again.',
  isNew: { lead: lead.textContent, autocomplete: 'new-password' },
  exists: { lead: 'Enter the password of your account: the invitation is added to it.', autocomplete: 'current-password' },
};
let token = '';

/** The token leaves the address at once: no history, no screenshot and no shared address shall have it. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  if (!given && token) return;
  token = given ?? '';
  form.reset();
  form.hidden = !token;
  if (invited) invited.hidden = true;
  password.type = 'password';
  if (hasAccount) choose();
  find('done').textContent = '';
  find('next').hidden = true;
  tell(token ? '' : texts.incomplete);
  if (token && invited) void nameOrganization();
}

/** Says who invites before anything is typed, or that the link opens nothing. Without an answer the form works as it is. */
async function nameOrganization() {
  const asked = token;
  const response = await post(invited.dataset.lookUp, { token: asked }).catch(() => undefined);
  const reply = await response?.json().catch(() => undefined);
  if (token !== asked) return;
  if (response?.ok) {
    find('organization').textContent = reply.organization_name;
    invited.hidden = false;
    // An acceptance that is under way gets an answer of its own.
  } else if (response?.status === 422 && !button.disabled) {
    token = '';
    form.hidden = true;
    tell(texts.notOpen);
    find('next').hidden = false;
  }
}

const post = (endpoint, body) =>
  fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    // Whoever is signed in here already is not who the link is for.
    credentials: 'omit',
    body: JSON.stringify(body),
  });

function tell(problem) {
  find('problem').textContent = problem;
}

function tellAt(input, problem) {
  find(`${input.id}-error`).textContent = problem;
  if (problem) input.setAttribute('aria-invalid', 'true');
  else input.removeAttribute('aria-invalid');
}

/** With an account the password is that one's own, and its name is known. */
function choose() {
  const { lead: text, autocomplete } = hasAccount.checked ? texts.exists : texts.isNew;
  lead.textContent = text;
  password.autocomplete = autocomplete;
  password.minLength = hasAccount.checked ? 1 : 12;
  find(`${password.id}-hint`).hidden = hasAccount.checked;
  for (const input of form.querySelectorAll('[data-only-new]')) {
    input.disabled = hasAccount.checked;
    input.closest('.field').hidden = hasAccount.checked;
  }
  for (const input of inputs) tellAt(input, '');
  tell('');
}

/** What the server says of a field stands at the field, all else below the form. */
function tellError(status, error) {
  const rest = [];
  for (const { field, message } of error?.details ?? []) {
    const input = inputs.find(({ name, disabled }) => name === field && !disabled);
    // The API's name of the field is not the person's.
    if (input) tellAt(input, message.startsWith(field) ? `This${message.slice(field.length)}` : message);
    else rest.push(message);
  }
  const wrong = inputs.find((input) => input.getAttribute('aria-invalid'));
  const whole = error?.message ?? `That did not work (${status}). Please try again later.`;
  tell(rest.length > 0 ? rest.join(' ') : wrong ? '' : whole);
  wrong?.focus();
}

async function send() {
  const body = { token };
  for (const { name, value, disabled } of inputs) if (!disabled) body[name] = value;
  const response = await post(form.dataset.endpoint, body);
  const reply = await response.json().catch(() => undefined);
  if (!response.ok) return tellError(response.status, reply?.error);
  token = '';
  form.reset();
  form.hidden = true;
  if (invited) invited.hidden = true;
  find('done').textContent = find('done').dataset.text.replace('{organization}', () => reply.organization_name);
  find('next').hidden = false;
  find('done').focus();
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  tell('');
  for (const input of inputs) tellAt(input, '');
  button.disabled = true;
  form.setAttribute('aria-busy', 'true');
  try {
    await send();
  } catch {
    tell(texts.unreachable);
  } finally {
    button.disabled = false;
    form.removeAttribute('aria-busy');
  }
});
find('show-password').addEventListener('change', ({ target }) => {
  password.type = target.checked ? 'text' : 'password';
});
hasAccount?.addEventListener('change', choose);
addEventListener('hashchange', takeToken);
takeToken();
