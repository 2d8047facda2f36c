/**
 * How one kind of secret is found. A pattern with groups keeps its first group and masks the second; one without is masked whole.
 */
export interface SecretForm {
  pattern: RegExp;
  /** Whether what was found is a secret at all; always where missing. */
  counts?: (secret: string) => boolean;
}

/**
 * Forms that are secrets wherever they stand: keys by their beginnings, and places where a secret follows. So narrow that words, commit hashes,
 * UUIDs, version numbers and paths do not fit, for what is masked in the history can never be read again. Each pattern takes time that grows with
 * the text's length only.
 */
export const SECRET_FORMS: readonly SecretForm[] = [
  // Private keys, to their last line, or as far as they go where they were cut off.
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[rn]|["'+,]){0,8}[A-Za-z0-9+/=]{16,})*)/g,
  },
  { pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{20,}/g },

  // Keys that say by their beginning whose they are.
  { pattern: /\bsk-[A-Za-z0-9_-]{16,}/g, counts: hasRandomPart },
  { pattern: /\b(?:[rs]k|pk)_(?:live|test)_[A-Za-z0-9]{10,}/g },
  { pattern: /\bwhsec_[A-Za-z0-9+/=]{16,}/g },
  { pattern: /\b(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g },
  { pattern: /\bgl(?:pat|dt|rt|ptt|cbt|soat|ft|agent)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9._-]+)?/g },
  { pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  { pattern: /\bAIza[A-Za-z0-9_-]{30,}/g },
  { pattern: /\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}/g },
  { pattern: /\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/g },
  { pattern: /\bxapp-\d-[A-Za-z0-9-]{10,}/g },
  {
    pattern:
      /\b(?:npm|hf|gsk|figd|sbp|ntn|pplx|xai|nvapi|tvly|lin_api|dckr_pat|api_org|r8|glsa|glc|ATATT3|sntrys|pypi|dop_v1|doo_v1|shpat|shpca|shppa|shpss|key|sq0atp|sq0csp|NRAK|HRKU)[_-][A-Za-z0-9_=-]{20,}/g,
    counts: hasRandomPart,
  },
  { pattern: /\b(?:dapi|hvs\.|hvb\.|dp\.pt\.)[A-Za-z0-9_-]{20,}/g, counts: hasRandomPart },
  { pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g },
  { pattern: /\bSK[0-9a-f]{32}\b/g },
  { pattern: /\b[0-9a-f]{32}\.[A-Za-z0-9]{16}\b/g, counts: hasRandomPart },
  { pattern: /(?<![\w.~-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/g },
  { pattern: /(?<![\w:])\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])/g },
  { pattern: /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}/g },
  // Of no known kind, and nothing else looks like it: long, with capitals, small letters and digits all mixed up.
  { pattern: /(?<![\w/\\=?&#.:@+-])[A-Za-z0-9]{32,200}(?![\w/\\-])/g, counts: isMixedUp },

  // Addresses that are secrets, or that carry one.
  { pattern: /(https:\/\/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{10,})/g },
  {
    pattern:
      /(https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)(\d{5,25}\/[A-Za-z0-9_-]{10,})/g,
  },
  { pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"'<>]{0,100}:)([^\s/@"'<>]{2,200})(?=@)/gi, counts: isNoReference },
  { pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/)([^\s/:@"'<>]{16,200})(?=@)/gi, counts: hasRandomPart },
  {
    pattern:
      /([?&](?:(?:access|refresh|id)_token|api_?key|key|token|sig|signature|secret|client_secret|auth|x-amz-(?:signature|security-token))=)([^\s&#"'<>)]{8,})/gi,
    counts: hasRandomPart,
  },

  // Headers and command lines.
  {
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest|apikey|bot)\s{1,4})([^\s"',}]{6,})/gi,
    counts: isNoReference,
  },
  { pattern: /\b(bearer\s{1,4})([A-Za-z0-9._~+/=-]{16,})/gi, counts: hasRandomPart },
  { pattern: /\b(cookie["']?\s{0,4}:\s{0,4}["']?)([^\s=;"']{1,60}=[^\r\n"']{8,})/gi },
  { pattern: /\b(curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,100}:)([^\s"']{2,})/g, counts: isNoReference },
  { pattern: /\b((?:mysql|mysqldump|mariadb)\b[^\n]{0,200}?\s-p)([^\s"']{3,})/g, counts: isNoReference },
  { pattern: /\b(sshpass\s{1,4}-p\s{0,4}["']?)([^\s"']{2,})/g, counts: isNoReference },
  { pattern: /\b(login\s{1,4}\S{1,100}\s{1,4}password\s{1,4})(\S{2,})/g, counts: isNoReference },
  {
    pattern: /(\s--(?:[a-z]{1,20}-)?(?:password|passwd|token|secret|api-?key)\s{1,4}["']?)([^\s"'-][^\s"']{3,})/gi,
    counts: (value) => isNoReference(value) && /\d|[^\w]/.test(value),
  },
];

/** Whether some unbroken part of it looks drawn by lot: letters and digits in no order that a word, a name or a date has. */
export function hasRandomPart(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((run) => {
    const digits = run.replaceAll(/\D/g, '').length;
    return run.length >= 12 && digits >= 2 && digits < run.length && changes(run) * 5 >= run.length;
  });
}

/** Capitals, small letters and digits so mixed up that no name written in one word is. */
function isMixedUp(run: string): boolean {
  const digits = run.replaceAll(/\D/g, '').length;
  return digits >= 3 && /[a-z]/.test(run) && /[A-Z]/.test(run) && changes(run) * 3 >= run.length;
}

/** How often the kind of character changes between small letter, capital and digit. */
function changes(run: string): number {
  return run.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0;
}

/** Whether a value stands for itself: not a variable, a placeholder, a mask or a piece of code that would yield it. */
export function isNoReference(value: string): boolean {
  return !(
    /^(?:\$|%\w+%|\{\{|<|\[|!|@@|\*+$|\.{2,}|…|x{3,}$|_+$)/i.test(value) ||
    /^(?:process\.env|os\.environ|import\.meta|env\b|secrets?\.|vault:|op:\/\/|file:|https?:\/\/|arn:)/i.test(value) ||
    /[([{]/.test(value) ||
    /^(?:your|my|the|some|example|placeholder|redacted|hidden|masked|changeme|change_me|insert)\b|[_-]here$/i.test(
      value,
    )
  );
}
