/** What a piece of code is, as far as its colour goes. */
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword';

/** A piece of code that has a colour: from `start` up to, not including, `end`. */
export interface CodeToken {
  kind: TokenKind;
  start: number;
  end: number;
}

/** Characters of a block that is still coloured. */
const MOST = 40_000;

interface Family {
  languages: string;
  comment: string;
  string: string;
  keyword: string;
}

const QUOTED = `"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?`;
const words = (list: string) => `\\b(?:${list.trim().replaceAll(/\s+/g, '|')})\\b`;

/** Languages that look alike share a family: this colours code in a chat, it does not parse it. */
const FAMILIES: Family[] = [
  {
    languages:
      'js javascript jsx mjs cjs ts typescript tsx mts cts java kotlin kt scala c h cpp c++ cc hpp cs csharp go rust rs swift dart php ' +
      'groovy proto solidity zig',
    comment: '//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)',
    string: `${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\`?`,
    keyword: words(
      'abstract as async await break case catch chan class const continue crate declare default defer delete do else enum export extends ' +
        'false final finally fn for from fun func function go guard if impl implements import in instanceof interface is let loop ' +
        'mod mut namespace new nil null nullptr of override package private protected pub public readonly return satisfies self static struct ' +
        'super switch this throw trait true try type typeof undefined unsafe use using val var virtual void when where while yield',
    ),
  },
  {
    languages:
      'py python rb ruby sh bash zsh shell console fish yaml yml toml ini r perl pl make makefile dockerfile elixir ex exs nim tf hcl',
    comment: '(?<=^|\\s)#[^\\n]*',
    string: `"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${QUOTED}`,
    keyword: `^[ \\t]{0,40}(?:- )?[\\w.-]{1,60}(?=:(?:\\s|$))|${words(
      'and as assert async await begin break case class continue def defmodule del do done elif else elsif end ensure esac except export False ' +
        'false fi finally fn for from function global if import in is lambda local module next nil None nonlocal not null or pass raise require ' +
        'rescue return self then True true try unless until when while with yield',
    )}`,
  },
  {
    languages: 'json jsonc json5',
    comment: '//[^\\n]*|/\\*[\\s\\S]*?\\*/',
    string: QUOTED,
    keyword: words('true false null'),
  },
  {
    languages: 'html htm xml svg vue svelte markup',
    comment: '<!--[\\s\\S]*?(?:-->|$)',
    string: QUOTED,
    keyword: '</?[\\w:.-]+|/?>',
  },
  {
    languages: 'css scss less sass',
    comment: '/\\*[\\s\\S]*?(?:\\*/|$)',
    string: QUOTED,
    keyword: '@[\\w-]+|[\\w-]{1,40}(?= ?:\\s)|!important',
  },
  {
    languages: 'sql postgres postgresql mysql sqlite plsql lua haskell hs',
    comment: '--[^\\n]*',
    string: QUOTED,
    keyword: words(
      'ALTER AND AS ASC BEGIN BETWEEN BY CASE COMMIT CREATE DELETE DESC DISTINCT DROP ELSE END EXISTS FROM FULL FUNCTION GROUP HAVING IF IN INDEX ' +
        'INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT LOCAL NOT NULL OFFSET ON OR ORDER OUTER PRIMARY REFERENCES RETURN RIGHT SELECT SET TABLE ' +
        'THEN UNION UPDATE VALUES VIEW WHEN WHERE WHILE WITH DO',
    ),
  },
];

const KINDS: TokenKind[] = ['comment', 'string', 'number', 'keyword'];

/** The coloured pieces of a block, in order. Empty for a language that is not known, and for a block too long to be worth it. */
export function codeTokens(code: string, language: string): CodeToken[] {
  const name = language.toLowerCase();
  const family = FAMILIES.find(({ languages }) => languages.split(' ').includes(name));
  if (!family || code.length > MOST) return [];
  const number = '\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\w{0,3}\\b';
  const pattern = `(${family.comment})|(${family.string})|(${number})|(${family.keyword})`;
  const flags = family.languages.startsWith('sql') ? 'gmi' : 'gm';
  return Array.from(code.matchAll(new RegExp(pattern, flags)), (match) => {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)] ?? 'keyword';
    return { kind, start: match.index, end: match.index + match[0].length };
  });
}
