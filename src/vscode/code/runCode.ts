import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import { commandsOf, hiddenCharacter, kindOfShell, shellKindOf } from './shellText.js';
import { openUntitled } from './newFile.js';

/** What a question can show whole: more is opened in an editor instead of run. */
const MAX_LINES = 25;
const MAX_CHARACTERS = 2_000;

/** Runs code blocks in a terminal of VS Code, which is shown: each only after the person saw all of it and said yes. */
export class CodeRunner implements vscode.Disposable {
  private terminal: vscode.Terminal | undefined;
  /** Whether the terminal has told that nothing runs in it. One whose shell tells nothing is used once. */
  private isFree = false;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly trusted: () => boolean) {
    const { window } = vscode;
    this.subscriptions = [
      window.onDidEndTerminalShellExecution(({ terminal }) => {
        if (terminal === this.terminal) this.isFree = true;
      }),
      window.onDidStartTerminalShellExecution(({ terminal }) => {
        if (terminal === this.terminal) this.isFree = false;
      }),
      window.onDidCloseTerminal((terminal) => {
        if (terminal === this.terminal) this.terminal = undefined;
      }),
    ];
  }

  /** Asks, and runs; says why where it cannot be run. */
  async run(text: string, language: string): Promise<void> {
    if (!this.trusted()) return tellRestricted();
    const commands = commandsOf(text);
    const reason = refusal(commands, language);
    if (reason !== undefined) {
      const chosen = await vscode.window.showWarningMessage(
        plain(t('Nanobot: {0} Nothing was run.', reason)),
        t('Open as New File'),
      );
      if (chosen) await openUntitled(commands, language);
      return;
    }
    const question = commands.includes('\n') ? t('Run these lines in a terminal?') : t('Run this in a terminal?');
    const yes = t('Run');
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail: commands }, yes);
    if (chosen === yes) this.send(commands);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private send(commands: string): void {
    if (!this.isFree || !this.terminal)
      this.terminal = vscode.window.createTerminal({ name: t('Nanobot: Code Block') });
    this.isFree = false;
    this.terminal.show();
    this.terminal.sendText(commands);
  }
}

function refusal(commands: string, language: string): string | undefined {
  if (commands.trim() === '') return t('there is no command in this block.');
  const wanted = shellKindOf(language);
  if (!wanted) return t('this block is not for a shell.');
  const shell = kindOfShell(vscode.env.shell);
  if (!wanted.any && wanted.kind !== shell)
    return t("this block is for another shell than your terminal's ({0}).", shell);
  const lines = commands.split('\n').length;
  if (lines > MAX_LINES || commands.length > MAX_CHARACTERS)
    return t(
      'the block is too long ({0} lines) to be looked at in one question: open it, look at it and run it from there.',
      lines,
    );
  const hidden = hiddenCharacter(commands);
  return hidden && t('the block holds a character that cannot be seen or is a key to a terminal ({0}).', hidden);
}

async function tellRestricted(): Promise<void> {
  const said = t('Nanobot: in Restricted Mode nothing is run. Trust this folder first.');
  if (await vscode.window.showWarningMessage(plain(said), t('Manage Workspace Trust')))
    await vscode.commands.executeCommand('workbench.trust.manage');
}
