import { hasRandomPart, isNoReference } from './secretForms.js';

/**
 * A name, what stands between, and a value in quotes or without. A name of two words (`API key`) is one here. Behind `=` a value ends at `&`, where
 * a query or a form has its next one.
 */
const ASSIGNMENT =
  /((?:\b(?:api|access|secret|private|account|client|auth|bot|signing|encryption)[ ])?[\p{L}_][\p{L}\p{N}_.-]{0,80})(\\?["'`]?\s{0,3}(?:=>|:=|[=:：])\s{0,3}\\?)(?:"([^"\n]{1,500}?)\\?"|'([^'\n]{1,500})'|`([^`\n]{1,500})`|((?<==)[^\s"'`,;&<>|\])}，。；]{2,500}|(?<!=)[^\s"'`,;<>|\])}，。；]{2,500}))/giu;

/** The same said in a sentence. */
const SENTENCE =
  /((?:\b(?:password|passphrase|passcode|passwort|api key|access key|secret key|token|secret)\b\s{1,3}(?:is|was|are|ist|lautet|set to|to)\s{1,3}|(?:密码|口令|密钥|パスワード|비밀번호)\s?(?:是|为|は|는|改为|改成)\s?)["'`“‘「]?)([^\s"'`”’」，。、；]{4,200})/giu;

const PASSWORD_NAMES = /(?:password|passwd|passphrase|passcode|passwort|pwd|密码|口令|パスワード|비밀번호)$/iu;
const SHORT_PASSWORD_NAMES = /(?:^|[_.-])(?:pass|PASS)$|[a-z]Pass$/;
const KEY_NAMES =
  /(?:secret|(?:api|access|secret|private|account|encryption|signing|auth|client|sharedaccess|master|license)key|(?:access|refresh|auth|id|bot|api|bearer|session|csrf)token|token|accesssignature|credentials?|密钥)$/iu;
/** Tokens that are numbers of words or marks on a page of results. */
const NO_KEY_NAMES =
  /(?:max|min|next|prev|page|continuation|start|end|stop|eos|bos|pad|unk|cancellation|syntax)token$/i;

/** Words that a form, a type or a text about passwords has in the place of one. */
const NO_VALUES =
  /^(?:string|str|number|boolean|bool|text|varchar|char|bytes|object|any|unknown|null|nil|none|undefined|true|false|yes|no|on|off|required|optional|missing|invalid|wrong|expired|empty|unset|default|secret|token|password|passwd|hidden|field|input|argon2\w*|bcrypt|scrypt|pbkdf2\w*|(?:hmac-?)?sha-?\d+|md5|base64|oauth2?(?:\.\d)?|jwt|rs256|hs256|x509|ed25519|\w+v\d)$/i;

/** The text with the values of secrets masked that are given by name: `password=…`, `"api_key": "…"`, `DB_PASS: …`, "the password is …". */
export function maskAssignments(text: string, mask: string): string {
  const assigned = text.replace(
    ASSIGNMENT,
    (match: string, name: string, between: string, a?: string, b?: string, c?: string, bare?: string) => {
      const quoted = a ?? b ?? c;
      const value = quoted ?? bare ?? '';
      if (!isSecretValue(name, between, value, quoted !== undefined)) return match;
      const at = name.length + between.length;
      return `${name}${between}${match.slice(at).replace(value, () => mask)}`;
    },
  );
  return assigned.replace(SENTENCE, (match: string, before: string, value: string) => {
    const word = /["'`“‘「]$/.test(before) ? value : value.replace(/[.,;:!?)]+$/, '');
    return isStrong(word, 6) && isNoReference(word) ? `${before}${mask}${value.slice(word.length)}` : match;
  });
}

function isSecretValue(name: string, between: string, value: string, quoted: boolean): boolean {
  const kind = kindOf(name);
  if (!kind || !isNoReference(value) || NO_VALUES.test(value) || isPath(value)) return false;
  if (value.toLowerCase() === name.toLowerCase()) return false;
  if (quoted && /\s/.test(value)) return kind === 'password' && /\d/.test(value);
  if (!quoted && !/^[A-Z\d_]+$/.test(name) && isMember(value)) return false;
  if (kind === 'key') return hasRandomPart(value) || (value.length >= (quoted ? 8 : 12) && isMixed(value));
  if (quoted || /^\\?["'`]?=$/.test(between)) return value.length >= 3;
  return isStrong(value, 6) || /^\d{4,}$/.test(value);
}

function kindOf(name: string): 'password' | 'key' | undefined {
  const plain = name.replaceAll(/[ _.-]/g, '');
  if (PASSWORD_NAMES.test(plain) || SHORT_PASSWORD_NAMES.test(name)) return 'password';
  return KEY_NAMES.test(plain) && !NO_KEY_NAMES.test(plain) ? 'key' : undefined;
}

/** Letters with digits, or with signs in their midst, as passwords have and words do not. */
function isStrong(value: string, least: number): boolean {
  if (value.length < least || NO_VALUES.test(value)) return false;
  return isMixed(value) || /\w[!@#$%^&*+~?][\w!@#$%^&*+~?]/.test(value);
}

function isMixed(value: string): boolean {
  return /\d/.test(value) && /\p{L}/u.test(value);
}

/** `settings.token`: in code it stands for a value. In the environment, whose names are all capitals, it is one. */
function isMember(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && !hasRandomPart(value);
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?[\\/]|^[A-Za-z]:\\/.test(value) && !hasRandomPart(value);
}
