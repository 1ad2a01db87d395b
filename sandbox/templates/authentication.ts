import type { TemplateComponent } from '../accounts.ts';

/** The provider writes the words of an authentication template itself, and its button is a link that carries the code. */
export function authenticationComponents(components: TemplateComponent[]): TemplateComponent[] {
  return components.map((component) => {
    if (component.type === 'BODY') return { ...component, text: '*{{1}}* is your verification code.' };
    if (component.type !== 'BUTTONS') return component;
    const buttons = (component.buttons ?? []).map((button) =>
      button.type === 'OTP'
        ? { type: 'URL', text: button.text ?? 'Copy code', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }
        : button,
    );
    return { ...component, buttons };
  });
}
