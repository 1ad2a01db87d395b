import { post } from './api.js';
import { useAction } from './loading.js';
import { Field, Refused, Title, valuesOf } from './parts.js';
import { html } from './view.js';

export function LogIn({ done }) {
  const { isBusy, problem, run } = useAction(async (form) => {
    await post('auth/login', valuesOf(form));
    await done();
  });
  const submit = (event) => {
    event.preventDefault();
    run(event.currentTarget);
  };
  return html`
    <main class="narrow">
      <${Title} text="Log in" />
      <form method="post" onSubmit=${submit} aria-busy=${isBusy}>
        <${Field} label="Email">
          <input name="email" type="email" autocomplete="username" required maxlength="254" />
        <//>
        <${Field} label="Password">
          <input name="password" type="password" autocomplete="current-password" required maxlength="1000" />
        <//>
        <${Refused} problem=${problem} />
        <button type="submit" disabled=${isBusy}>Log in</button>
      </form>
      <p class="quiet">For members of an organization. Programs use an API key: <a href="docs">API reference</a>.</p>
    </main>
  `;
}
