/** What people write behind a fence, where VS Code calls it something else. */
const IDS: Record<string, string> = {
  ...{ ts: 'typescript', mts: 'typescript', cts: 'typescript', tsx: 'typescriptreact', jsx: 'javascriptreact' },
  ...{ js: 'javascript', mjs: 'javascript', cjs: 'javascript', node: 'javascript', py: 'python', python3: 'python' },
  ...{
    rb: 'ruby',
    rs: 'rust',
    golang: 'go',
    kt: 'kotlin',
    cs: 'csharp',
    'c#': 'csharp',
    'c++': 'cpp',
    cc: 'cpp',
    h: 'c',
  },
  ...{ sh: 'shellscript', bash: 'shellscript', zsh: 'shellscript', shell: 'shellscript', console: 'shellscript' },
  ...{
    fish: 'shellscript',
    ps1: 'powershell',
    pwsh: 'powershell',
    cmd: 'bat',
    batch: 'bat',
    yml: 'yaml',
    md: 'markdown',
  },
  ...{ docker: 'dockerfile', make: 'makefile', patch: 'diff', htm: 'html', text: 'plaintext', txt: 'plaintext' },
};

/** VS Code's name of a language that stands behind a fence, out of those it knows; `plaintext` for all others. */
export function languageIdOf(language: string, known: readonly string[]): string {
  const small = language.toLowerCase();
  const id = Object.hasOwn(IDS, small) ? (IDS[small] ?? small) : small;
  return known.includes(id) ? id : 'plaintext';
}
