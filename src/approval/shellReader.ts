import { redirectionsOf, type RedirectParts } from './shellRedirects.js';
import { piecesOf, refusePrompt } from './shellPieces.js';
import { wordsOf } from './shellWords.js';
import {
  bareCommand,
  literalWord,
  unknownWord,
  UnparsableError,
  type Assignment,
  type ParsedLine,
  type SimpleCommand,
  type Word,
} from './shellTypes.js';
import type { SyntaxNode } from './syntax.js';
import { nameOf } from './programs.js';

/** Commands of one line; with more it counts as unparsable, for each is judged by itself. */
const MAX_COMMANDS = 300;

/** What holds where a statement stands. `folders` changes as the statements are walked. */
interface Scope {
  folders: readonly Word[] | null;
  pipedFrom: readonly SimpleCommand[];
}

/** Nodes whose parts are walked one after another. Every other kind has its own case or makes the line unparsable. */
const SEQUENCES = [
  'program',
  'list',
  'do_group',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'negated_command',
];
const STATEMENTS = [
  ...SEQUENCES,
  'compound_statement',
  'redirected_statement',
  'command',
  'declaration_command',
  'unset_command',
  'variable_assignment',
  'variable_assignments',
  'test_command',
  'for_statement',
  'c_style_for_statement',
  'case_statement',
  'pipeline',
  'subshell',
  'function_definition',
];

/** Turns one simple command into what it runs: itself, or the commands it wraps. */
export type Unwrap = (command: SimpleCommand) => {
  commands: SimpleCommand[];
  changesFolder: boolean;
  forkBomb: boolean;
};

/**
 * Reads the checked tree of one line. The state of one reading: commands found so far, values given to variables, names of functions. Throws
 * `UnparsableError` for a kind of node it does not know.
 */
export class ShellReader {
  private readonly commands: SimpleCommand[] = [];
  private readonly variables = new Map<string, Word[]>();
  private forkBomb = false;

  constructor(
    private readonly source: string,
    private readonly unwrap: Unwrap,
  ) {}

  read(root: SyntaxNode): Extract<ParsedLine, { kind: 'parsed' }> {
    this.walk(root, { folders: [], pipedFrom: [] });
    return { kind: 'parsed', commands: this.commands, variables: this.variables, forkBomb: this.forkBomb };
  }

  private walk(node: SyntaxNode, scope: Scope): void {
    if (node.type === 'comment') return;
    if (SEQUENCES.includes(node.type)) return this.walkAll(node.children, scope);
    switch (node.type) {
      case 'compound_statement':
        return node.children[0]?.type === '((' ? this.arithmetic(node, scope) : this.walkAll(node.children, scope);
      case 'subshell':
        return this.walkAll(node.children, { ...scope });
      case 'pipeline':
        return this.pipeline(node, scope);
      case 'redirected_statement':
        return this.redirected(node, scope);
      case 'command':
      case 'declaration_command':
      case 'unset_command':
      case 'variable_assignment':
      case 'variable_assignments':
        this.command(node, [], scope);
        return;
      case 'test_command':
        return this.arithmetic(node, scope);
      case 'for_statement':
        return this.forLoop(node, scope);
      case 'c_style_for_statement':
        return this.cStyleFor(node, scope);
      case 'case_statement':
        return this.caseStatement(node, scope);
      case 'function_definition':
        return this.functionDefinition(node, scope);
      default:
        throw new UnparsableError((t) => t('it holds something that is not understood ({0})', node.type));
    }
  }

  private walkAll(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) if (node.named) this.walk(node, scope);
  }

  private pipeline(node: SyntaxNode, scope: Scope): void {
    const before = this.commands.length;
    for (const part of node.children) {
      if (!part.named || part.type === 'comment') continue;
      this.walk(part, { ...scope, pipedFrom: [...scope.pipedFrom, ...this.commands.slice(before)] });
    }
  }

  /** `[ … ]`, `[[ … ]]` and `(( … ))`: names in them are evaluated, which can run commands, so they count as commands themselves. */
  private arithmetic(node: SyntaxNode, scope: Scope): void {
    const before = this.commands.length;
    this.substitutions(node, scope);
    const name = node.children[0]?.type ?? '[';
    const command = bareCommand([literalWord(name), unknownWord(this.text(node))]);
    this.emit({ ...command, substitutes: this.commands.slice(before) }, scope);
  }

  private redirected(node: SyntaxNode, scope: Scope): void {
    const redirects = node.children.filter((child) => child.type.endsWith('_redirect'));
    const body = node.children.find((child) => child.named && child.type !== 'comment' && !redirects.includes(child));
    const before = this.commands.length;
    const inner = { ...scope };
    const simple = !body || ['command', 'declaration_command', 'unset_command'].includes(body.type);
    const rest: RedirectParts['rest'] = [];
    if (simple) {
      rest.push(...this.command(body, redirects, inner));
    } else {
      this.walk(body, inner);
      const own = this.commands.length;
      const parts = this.redirects(redirects, inner);
      if (parts.words.length > 0) throw new UnparsableError((t) => t('words follow a redirection of several commands'));
      this.commands.splice(
        before,
        own - before,
        ...this.commands.slice(before, own).map((command) => apply(command, parts)),
      );
      rest.push(...parts.rest);
    }
    scope.folders = inner.folders;
    for (const { operator, statement } of rest) {
      if (operator.startsWith('|')) this.walk(statement, { ...scope, pipedFrom: this.commands.slice(before) });
      else this.walk(statement, scope);
    }
  }

  /** Emits one simple command; returns the statements that a here-document's first line goes on with. */
  private command(node: SyntaxNode | undefined, redirects: SyntaxNode[], scope: Scope): RedirectParts['rest'] {
    const before = this.commands.length;
    const words: Word[] = [];
    const assignments: Assignment[] = [];
    const inside: SyntaxNode[] = [];
    const parts = node?.type === 'variable_assignment' ? [node] : (node?.children ?? []);
    let end = -1;
    for (const part of parts) {
      if (part.type === 'comment') continue;
      if (part.type.endsWith('_redirect')) {
        inside.push(part);
        end = part.end;
      } else if (part.type === 'variable_assignment') assignments.push(this.assignment(part, scope));
      else {
        if (part.start === end) throw new UnparsableError((t) => t('two words in it touch each other'));
        end = part.end;
        words.push(...this.words(part, scope));
      }
    }
    const read = this.redirects([...inside, ...redirects], scope);
    const command = apply({ ...bareCommand([...words, ...read.words]), assignments }, read);
    if (assignments.some((assignment) => assignment.value.dynamic)) command.dynamic = true;
    const substitutes = this.commands.slice(before);
    this.emit({ ...command, substitutes }, scope);
    return read.rest;
  }

  private emit(command: SimpleCommand, scope: Scope): void {
    if (this.commands.length >= MAX_COMMANDS) throw new UnparsableError((t) => t('it holds too many commands'));
    const complete = { ...command, folders: scope.folders, pipedFrom: scope.pipedFrom };
    const { commands, changesFolder, forkBomb } = this.unwrap(complete);
    this.forkBomb ||= forkBomb;
    this.commands.push(...commands);
    if (changesFolder) scope.folders = null;
    for (const inner of commands) if (!inner.guess && inner.runBy.length === 0) this.changeFolder(inner, scope);
  }

  private changeFolder(command: SimpleCommand, scope: Scope): void {
    const name = nameOf(command);
    if (name === 'popd') scope.folders = null;
    if ((name !== 'cd' && name !== 'pushd') || scope.folders === null) return;
    const target = command.words.slice(1).find((word) => !/^-[LPe@]+$|^--$/.test(word.text));
    if (target?.text === '-' || (name === 'pushd' && /^[+-]|^$/.test(target?.text ?? ''))) scope.folders = null;
    else scope.folders = [...scope.folders, target ?? { ...literalWord('~'), tilde: true }];
  }

  private assignment(node: SyntaxNode, scope: Scope): Assignment {
    const [target, , value] = node.children;
    if (!target) throw new UnparsableError((t) => t('an assignment in it has no name'));
    this.substitutions(target, scope);
    const name = this.text(target).replace(/\[[^]*$/, '');
    // The grammar takes `@x=1` for an assignment; bash runs a program of that name.
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new UnparsableError((t) => t('an assignment in it has no proper name'));
    const word = value ? this.single(value, scope) : literalWord('');
    this.variables.set(name, [...(this.variables.get(name) ?? []), word]);
    return { name, value: target.type === 'subscript' ? { ...word, dynamic: true } : word };
  }

  private single(node: SyntaxNode, scope: Scope): Word {
    const words = this.words(node, scope);
    return words.length === 1 && words[0] ? words[0] : unknownWord(this.text(node));
  }

  private redirects(nodes: SyntaxNode[], scope: Scope): RedirectParts {
    return redirectionsOf(nodes, this.source, {
      words: (node) => this.words(node, scope),
      substitutions: (node) => this.substitutions(node, scope),
      statement: (type) => STATEMENTS.includes(type),
    });
  }

  private words(node: SyntaxNode, scope: Scope): Word[] {
    return wordsOf(piecesOf(node, this.source, (part) => this.substitutions(part, scope)));
  }

  /** Walks the commands that run inside expansions anywhere below the node. */
  private substitutions(node: SyntaxNode, scope: Scope): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') {
      const inner = { folders: scope.folders, pipedFrom: [] };
      for (const child of node.children) {
        if (child.type === 'file_redirect') this.command(undefined, [child], inner);
        else if (child.named) this.walk(child, inner);
      }
      return;
    }
    if (/^(ansi_c_string|string)$/.test(node.type)) {
      this.words(node, scope);
      return;
    }
    if (node.type === 'expansion') refusePrompt(node);
    for (const child of node.children) {
      if (STATEMENTS.includes(child.type) && !['test_command', 'subshell', 'compound_statement'].includes(child.type)) {
        if (child.type !== 'variable_assignment')
          throw new UnparsableError((t) => t('a command stands where none can be'));
      }
      this.substitutions(child, scope);
    }
  }

  private forLoop(node: SyntaxNode, scope: Scope): void {
    const values: Word[] = [];
    let name = '';
    let inValues = false;
    for (const child of node.children) {
      if (child.type === 'in') inValues = true;
      else if (child.type === 'do_group') this.walk(child, scope);
      else if (child.named && child.type === 'variable_name' && !inValues) name = this.text(child);
      else if (child.named && child.type !== 'comment') values.push(...this.words(child, scope));
      if (child.type === 'do_group' || !name) continue;
      this.variables.set(name, inValues ? [...values] : [unknownWord()]);
    }
  }

  private cStyleFor(node: SyntaxNode, scope: Scope): void {
    const body = node.children.at(-1);
    const head = { ...node, type: 'arithmetic', children: node.children.filter((child) => child !== body) };
    this.arithmetic(
      { ...head, children: [{ ...node, type: '((', named: false, children: [] }, ...head.children] },
      scope,
    );
    if (body) this.walk(body, scope);
  }

  private caseStatement(node: SyntaxNode, scope: Scope): void {
    for (const child of node.children) {
      if (!child.named || child.type === 'comment') continue;
      if (child.type === 'case_item') this.caseStatement(child, scope);
      else if (STATEMENTS.includes(child.type)) this.walk(child, scope);
      else this.substitutions(child, scope);
    }
  }

  private functionDefinition(node: SyntaxNode, scope: Scope): void {
    const [nameNode, ...rest] = node.children.filter((child) => child.named && child.type !== 'comment');
    const name = nameNode ? this.text(nameNode) : '';
    const before = this.commands.length;
    const redirects = rest.filter((child) => child.type.endsWith('_redirect'));
    const inner = { ...scope, pipedFrom: [] };
    for (const child of rest) if (!redirects.includes(child)) this.walk(child, inner);
    const own = this.commands.length;
    const parts = this.redirects(redirects, inner);
    this.commands.splice(
      before,
      own - before,
      ...this.commands.slice(before, own).map((command) => apply(command, parts)),
    );
    const recursive = this.commands.slice(before).some((command) => command.words[0]?.text === name);
    if (recursive && holds(node, ['|', '|&', '&'])) this.forkBomb = true;
    scope.folders = inner.folders === scope.folders ? scope.folders : null;
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.start, node.end);
  }
}

function holds(node: SyntaxNode, tokens: string[]): boolean {
  return (!node.named && tokens.includes(node.type)) || node.children.some((child) => holds(child, tokens));
}

/** The command with these redirections added. */
function apply(command: SimpleCommand, parts: RedirectParts): SimpleCommand {
  return {
    ...command,
    redirections: [...command.redirections, ...parts.redirections],
    stdin: command.stdin ?? parts.stdin,
    dynamic: command.dynamic || parts.redirections.some((each) => each.target.dynamic),
  };
}
