import { t } from '@vscode/l10n';
import type { LanguageSymbol } from '../../platform/languages.js';

/** The usual kinds in the person's language; the others are said as they are. One is asked for each row of a list that follows the keys. */
const KINDS: Record<string, (() => string) | undefined> = {
  class: () => t({ message: 'class', comment: 'kind of a symbol' }),
  constant: () => t({ message: 'constant', comment: 'kind of a symbol' }),
  constructor: () => t({ message: 'constructor', comment: 'kind of a symbol' }),
  enum: () => t({ message: 'enum', comment: 'kind of a symbol' }),
  'enum member': () => t({ message: 'enum member', comment: 'kind of a symbol' }),
  field: () => t({ message: 'field', comment: 'kind of a symbol' }),
  function: () => t({ message: 'function', comment: 'kind of a symbol' }),
  interface: () => t({ message: 'interface', comment: 'kind of a symbol' }),
  method: () => t({ message: 'method', comment: 'kind of a symbol' }),
  module: () => t({ message: 'module', comment: 'kind of a symbol' }),
  namespace: () => t({ message: 'namespace', comment: 'kind of a symbol' }),
  property: () => t({ message: 'property', comment: 'kind of a symbol' }),
  struct: () => t({ message: 'struct', comment: 'kind of a symbol' }),
  variable: () => t({ message: 'variable', comment: 'kind of a symbol' }),
};

/** What stands beside a symbol's name: `method in Shelf, src/shelf.ts:3`. */
export function symbolDetail({ kind, container }: LanguageSymbol, where: string): string {
  const words = KINDS[kind]?.() ?? kind;
  return container ? t('{0} in {1}, {2}', words, container, where) : t('{0}, {1}', words, where);
}
