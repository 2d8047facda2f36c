/** One line of an ignore file. */
export interface IgnoreRule {
  /** On paths relative to the folder of the ignore file, with slashes. */
  matches: RegExp;
  negated: boolean;
  folderOnly: boolean;
}

/** Ignore files that apply below one folder; the last rule that matches decides. */
export interface IgnoreScope {
  /** Absolute path with slashes, without one at the end. */
  base: string;
  rules: IgnoreRule[];
}

/** The rules of a .gitignore, .ignore or info/exclude file. A line that is no valid pattern is skipped, as git does. */
export function parseIgnoreFile(text: string): IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const rule = parseIgnoreLine(line);
    return rule ? [rule] : [];
  });
}

/** Whether a path is ignored: the scopes are asked from the innermost (last) to the outermost (first), the first with a say wins. */
export function isIgnored(path: string, isFolder: boolean, scopes: readonly IgnoreScope[]): boolean {
  for (let index = scopes.length - 1; index >= 0; index--) {
    const scope = scopes[index];
    if (!scope) continue;
    const relative = path.slice(scope.base.length + 1);
    const rule = scope.rules.findLast((one) => (isFolder || !one.folderOnly) && one.matches.test(relative));
    if (rule) return !rule.negated;
  }
  return false;
}

/**
 * A matcher over paths relative to a root, for globs as ripgrep's `-g` takes them: `!` excludes, the last match decides, and with only
 * excluding globs everything else is in. Throws an Error that names a glob which cannot be parsed.
 */
export function globMatcher(globs: readonly string[]): (relative: string) => boolean {
  const parsed = globs.map((glob) => {
    const negated = glob.startsWith('!');
    return { negated, matches: globToRegExp(negated ? glob.slice(1) : glob, { braces: true }) };
  });
  const otherwise = parsed.every((glob) => glob.negated);
  return (relative) => {
    const found = parsed.findLast((glob) => glob.matches.test(relative));
    return found ? !found.negated : otherwise;
  };
}

/**
 * A glob as gitignore defines it: without a slash (but at its end) it matches a name at any depth, else from the root; a match of a folder
 * is not a match of what is in it, but for `**` at the end. `braces` adds `{a,b}`. Throws for brackets or braces left open.
 */
export function globToRegExp(glob: string, options: { braces?: boolean } = {}): RegExp {
  const body = glob.replace(/\/$/, '');
  const anchored = body.includes('/');
  const source = translate(body.replace(/^\//, ''), glob, options.braces ?? false);
  return new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 'su');
}

function parseIgnoreLine(line: string): IgnoreRule | undefined {
  // A blank at the end counts only where it is escaped.
  const pattern = line.replace(/(?<!\\)[ \t]+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const negated = pattern.startsWith('!');
  const glob = negated ? pattern.slice(1) : pattern;
  if (glob === '' || glob === '/') return undefined;
  try {
    return { negated, folderOnly: glob.endsWith('/'), matches: globToRegExp(glob) };
  } catch {
    // Only this line is lost: a broken pattern must not make a folder unreadable.
    return undefined;
  }
}

function translate(glob: string, whole: string, braces: boolean): string {
  let source = '';
  let open = 0;
  for (let at = 0; at < glob.length;) {
    const piece = translateStars(glob, at) ?? translateClass(glob, at, whole);
    if (piece) {
      source += piece.source;
      at = piece.end;
      continue;
    }
    const character = glob[at] ?? '';
    const escaped = character === '\\' && at + 1 < glob.length;
    if (escaped) source += quote(glob[at + 1] ?? '');
    else if (character === '?') source += '[^/]';
    else if (braces && character === '{') source += '(?:';
    else if (braces && character === '}' && open > 0) source += ')';
    else if (braces && character === ',' && open > 0) source += '|';
    else source += quote(character);
    if (!escaped && braces && character === '{') open++;
    if (!escaped && braces && character === '}' && open > 0) open--;
    at += escaped ? 2 : 1;
  }
  if (open > 0) throw new Error(`error parsing glob '${whole}': unclosed brace; missing '}'`);
  return source;
}

interface Piece {
  source: string;
  end: number;
}

function translateStars(glob: string, at: number): Piece | undefined {
  if (glob[at] !== '*') return undefined;
  let end = at;
  while (glob[end] === '*') end++;
  const wholePart = (at === 0 || glob[at - 1] === '/') && (end === glob.length || glob[end] === '/');
  if (end - at < 2 || !wholePart) return { source: '[^/]*', end };
  return glob[end] === '/' ? { source: '(?:.*/)?', end: end + 1 } : { source: '.+', end };
}

function translateClass(glob: string, at: number, whole: string): Piece | undefined {
  if (glob[at] !== '[') return undefined;
  const found = /^\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]/su.exec(glob.slice(at));
  if (!found) throw new Error(`error parsing glob '${whole}': unclosed character class; missing ']'`);
  const inside = (found[2] ?? '')
    .replace(/\[:(\w+):\]/g, (_, name: string) => classes[name] ?? '')
    .replace(/\\(.)/gsu, '$1')
    .replace(/[\\\]^[&|(){}/~`!#%*+.:;<=>?@$,"']/g, '\\$&');
  return { source: `(?!/)[${found[1] ? '^' : ''}${inside}]`, end: at + found[0].length };
}

const classes: Record<string, string> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: ' \t',
};

function quote(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
