import { maskAssignments } from './secretAssignments.js';
import { SECRET_FORMS } from './secretForms.js';

const MASK = '***';

/**
 * What only a log may lose: anything that resembles a key, be it cut short or with stars in it, as services put them into their errors, and
 * anything long that mixes letters and digits.
 */
const DOUBTFUL_FORMS = [
  /\b(?:sk|pk|rk|gsk|xai|nvapi|hf|key|tvly|AIza|ghp|github_pat)[-_]?[A-Za-z0-9*._-]{12,}/g,
  /\bsk-[A-Za-z0-9*._-]{4,}/g,
  /\bBearer\s+[^\s"',}]{6,}/gi,
  /(?<=\bapi[-_ ]?key\b["']?(?:\s+provided)?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi,
  /\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{32,}\b/g,
];

/**
 * The text with every secret of a known form replaced by `***`: keys, tokens, private keys, passwords in addresses, headers, commands and
 * assignments. For what is kept for long: history, notes, commits. Masking twice changes nothing more. A secret that looks like an ordinary word
 * is not found.
 */
export function maskSecrets(text: string): string {
  return maskForms(text, () => MASK);
}

/** The same, with as many lines as the text has: a secret of several lines leaves a mask on each. */
export function maskSecretsInLines(text: string): string {
  return maskForms(text, (secret) => secret.replaceAll(/[^\n]+|(?<=\n)(?=\n)/g, MASK));
}

function maskForms(text: string, maskOf: (secret: string) => string): string {
  let masked = text;
  for (const { pattern, counts } of SECRET_FORMS) {
    masked = masked.replace(pattern, (match: string, before: unknown, secret: unknown) => {
      const [kept, found] = typeof before === 'string' && typeof secret === 'string' ? [before, secret] : ['', match];
      return (counts?.(found) ?? true) ? `${kept}${maskOf(found)}` : match;
    });
  }
  return maskAssignments(masked, MASK);
}

/** The text with these secrets, every secret of a known form, and what only resembles one, replaced by `***`. For logs and errors. */
export function maskKeys(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= 6) masked = masked.replaceAll(secret, MASK);
  }
  return DOUBTFUL_FORMS.reduce((current, form) => current.replace(form, MASK), maskSecrets(masked));
}
